"""Arms that have lanes fuse, where they would without; they mean the same."""

from __future__ import annotations

import pytest
from support.fused_in_lanes import NAMES, SIZES, inputs_of, program_of
from support.fusion import require_equal
from support.interpreting import interpreter
from support.optimized_examples import DEVICES

from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.program.compilation import for_device, make_context, optimize_module


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_arms_with_lanes_become_one_kernel(name: str, kind: str) -> None:
    module, fused = program_of(name), program_of(name)
    optimize_module(fused, for_device(OptimizePass(), DEVICES[kind]), make_context())
    assert sum(isinstance(op, KernelOp) for op in fused.ops) == 1
    before, after = interpreter(module), interpreter(fused)
    for size in SIZES:
        inputs = inputs_of(module, size)
        expected = before.run(inputs).outputs
        found = after.run(inputs).outputs
        require_equal({each: found[each] for each in expected}, expected)
