"""
The examples as they are compiled for devices with workgroup memory of their own: by the reference
interpreter they mean what their arms mean, whatever the length, without races.
"""

from pathlib import Path

import pytest
from support.example_data import encoded_text
from support.policies import on_gpus
from support.tiers import slow_if

from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.runtime.interpreter import Interpreter, RaceChecker
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    load_module,
    make_context,
    optimize_module,
)
from vyre_dialect.runtime.program.pipelines import REFERENCE

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("base64_literal", "hex_histogram", "xor_literal")
TEXT = (b"self, itself and selfish: " + Path(__file__).read_bytes() * 3)[:4608]
LENGTHS = (0, 1, 15, 31, 32, 33, 95, 96, 97, 112, 384, 1000, 4607, 4608)
"""Around the bytes of private tiles (32, 96), and more than one pass of the grid."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", slow_if(NAMES, ("base64_literal",)))
def test_persistent_grids_over_values_mean_what_arms_mean(name: str) -> None:
    context = make_context()
    source = load_module(EXAMPLES / f"{name}.mlir", context)
    arms, kernels = source.clone(), source.clone()
    apply_pipeline(arms, REFERENCE, context)
    optimize_module(kernels, on_gpus(1), context)
    assert "vyre.interior" in str(kernels) and "private" not in str(kernels)
    assert sum(isinstance(op, KernelOp) for op in kernels.ops) == 1
    ready, reference = Interpreter(kernels), Interpreter(arms)
    for length in LENGTHS:
        inputs = {"encoded": encoded_text(source, TEXT[:length])}
        races = RaceChecker()
        found = ready.run(inputs, observer=races).outputs
        races.verify()
        for output, expected in reference.run(inputs).outputs.items():
            assert found[output].tobytes() == expected.tobytes(), (length, output)
