"""Whatever schedule programs are compiled by, a device gives what the interpreter says of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import strategies as st
from support.fusion import is_defined
from support.generated.drawing import Draws, in_batches
from support.generated.programs import Sample, options, programs
from support.generated.schedules import schedules
from support.on_devices import require_same_results

from vyre_dialect.runtime.opencl.devices import Device

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
    require_same_results(device, [sample for sample, _ in drawn], drawn[0][1])


@pytest.mark.slow
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
