"""Whatever schedule programs are compiled by, a device gives what the interpreter says of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import strategies as st
from support.batches import batched, batched_inputs, prefixed
from support.fusion import is_defined, require_equal
from support.generated.drawing import Draws, in_batches
from support.generated.programs import Sample, options, programs
from support.generated.schedules import schedules
from support.schedules import CONTEXT

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import parse_module

PROGRAMS = 16
BATCH = 16
SEED = 7200


@st.composite
def samples(draw: st.DrawFn) -> tuple[Sample, str]:
    """A program that has a meaning, and a schedule that makes kernels of any."""
    sample = draw(programs().filter(lambda each: is_defined(each.module, each.inputs)))
    return sample, draw(schedules(draw(options()), "vyre-outline-kernels"))


SAMPLES = samples()


def _require_same(device: Device, drawn: Sequence[tuple[Sample, str]]) -> None:
    """Compile programs together by the schedule of the first, and compare what comes out."""
    programs = {f"p{n}": sample for n, (sample, _) in enumerate(drawn)}
    module = batched({key: each.module for key, each in programs.items()})
    schedule = parse_module(drawn[0][1], CONTEXT).body.block.first_op
    assert schedule is not None
    schedule.detach()
    module.body.block.add_op(schedule)
    inputs = batched_inputs({key: each.inputs for key, each in programs.items()})
    got = run_module(module, inputs, device=device).outputs
    for key, sample in programs.items():
        expected = interpret(sample.module, sample.inputs).outputs
        require_equal({name: got[prefixed(key, name)] for name in expected}, expected)


@pytest.mark.xdist_group("schedules on devices")
def test_no_schedule_changes_a_result(device: Device, draws: Draws) -> None:
    count = in_batches(
        SAMPLES,
        lambda batch: _require_same(device, batch),
        examples=draws(PROGRAMS),
        batch=BATCH,
        seed=SEED,
    )
    assert count == draws(PROGRAMS)
