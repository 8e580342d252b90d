"""Integers in few bits, and counts of few elements by comparison, mean what they meant."""

from __future__ import annotations

from collections import Counter

import pytest
from support.fusion import require_equal
from support.generated.bound_program import BoundProgram
from support.generated.drawing import Draws, for_each
from support.generated.wide_arms import wide_arms

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
PROGRAMS = 60
ON_DEVICE = 40
PIPELINES = (
    "vyre-narrow-integers",
    "vyre-expand-counts",
    "vyre-narrow-integers,vyre-expand-counts,vyre-vectorize{lanes=16 lanes_of_bytes=64}",
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shard", range(3))
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_arms_compute_what_they_computed(pipeline: str, shard: int, draws: Draws) -> None:
    seen = Counter[bool]()

    def check(drawn: BoundProgram) -> None:
        copy = drawn.module.clone()
        apply_pipeline(copy, pipeline, CONTEXT)
        copy.verify()
        seen[copy.is_structurally_equivalent(drawn.module)] += 1
        expected = interpret(drawn.module, drawn.inputs).outputs
        require_equal(interpret(copy, drawn.inputs).outputs, expected)

    for_each(wide_arms(), check, examples=draws(PROGRAMS), seed=shard)
    assert seen[False] > 0.1 * seen.total(), seen


@pytest.mark.slow
def test_devices_agree(device: Device, draws: Draws) -> None:
    def check(drawn: BoundProgram) -> None:
        expected = interpret(drawn.module, drawn.inputs).outputs
        require_equal(run_module(drawn.module, drawn.inputs, device=device).outputs, expected)

    for_each(wide_arms(), check, examples=draws(ON_DEVICE), seed=7)
