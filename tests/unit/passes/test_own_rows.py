"""Queries that a user may write get rows for the sums of a group on GPUs."""

from __future__ import annotations

import pytest
from support.optimized_examples import DEVICES

from benchmarks.gate.programs import PROGRAMS
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.program.compilation import (
    for_device,
    load_module,
    make_context,
    optimize_module,
)


@pytest.mark.parametrize("name", ["q1", "q1_aggregate"])
def test_sums_of_a_group_lie_side_by_side(name: str) -> None:
    context = make_context()
    module = load_module(PROGRAMS[name].path, context)
    optimize_module(module, for_device(OptimizePass(), DEVICES["gpu"]), context)
    assert "@prices_of_group : !vyre.buffer<2048xi64, read_write, workgroup>" in str(module)
