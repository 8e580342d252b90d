"""As many generated programs as asked for, on every device, by its policy and by any schedule."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from hypothesis import strategies as st
from support.fusion import is_defined
from support.generated.drawing import in_batches
from support.generated.programs import Sample, options, programs
from support.generated.schedules import schedules
from support.on_devices import require_same_results

from vyre_dialect.runtime.opencl.devices import Device

PROGRAMS = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "0"))
BATCH = 16

pytestmark = [
    pytest.mark.skipif(not PROGRAMS, reason="set VYRE_FUZZ_EXAMPLES, or run 'make fuzz'"),
    pytest.mark.xdist_group("fuzz on devices"),
]
DEFINED = programs().filter(lambda each: is_defined(each.module, each.inputs))


@st.composite
def scheduled(draw: st.DrawFn) -> tuple[Sample, str]:
    """A program that has a meaning, and a schedule that makes kernels of any."""
    return draw(DEFINED), draw(schedules(draw(options()), "vyre-outline-kernels"))


SCHEDULED = scheduled()


def test_many_programs_give_what_the_interpreter_says(device: Device) -> None:
    def check(drawn: Sequence[Sample]) -> None:
        require_same_results(device, drawn)

    assert in_batches(DEFINED, check, examples=PROGRAMS, batch=BATCH) == PROGRAMS


def test_many_programs_give_so_by_any_schedule(device: Device) -> None:
    def check(drawn: Sequence[tuple[Sample, str]]) -> None:
        require_same_results(device, [sample for sample, _ in drawn], drawn[0][1])

    assert in_batches(SCHEDULED, check, examples=PROGRAMS, batch=BATCH) == PROGRAMS
