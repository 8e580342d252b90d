"""The examples on the interpreter: every form agrees, without races or undefined reads."""

from pathlib import Path

import pytest
from support.example_data import encoded_text

from vyre_dialect.runtime.interpreter import (
    Interpretation,
    Observers,
    RaceChecker,
    UndefinedReadChecker,
    interpret,
)
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, make_context
from vyre_dialect.runtime.program.pipelines import DEFAULT, REFERENCE, UNFUSED

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))
TEXT = (Path(__file__).read_bytes() * 3)[:4608]


def checked_run(path: Path, pipeline: str) -> Interpretation:
    """The run of an example after the passes of `pipeline`; fails on a race or undefined read."""
    context = make_context()
    module = load_module(path, context)
    inputs = {"encoded": encoded_text(module, TEXT)}
    apply_pipeline(module, pipeline, context)
    races, undefined = RaceChecker(), UndefinedReadChecker()
    result = interpret(module, inputs, observer=Observers(races, undefined))
    races.verify()
    undefined.verify()
    return result


@pytest.mark.one_in(10)
@pytest.mark.parametrize("pipeline", [UNFUSED, DEFAULT], ids=["outlined", "fused"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_means_the_same_after_the_passes(path: Path, pipeline: str):
    arms, kernels = checked_run(path, REFERENCE), checked_run(path, pipeline)
    assert arms.outputs.keys() == kernels.outputs.keys() != set()
    for name, output in arms.outputs.items():
        assert output.tobytes() == kernels.outputs[name].tobytes(), name
