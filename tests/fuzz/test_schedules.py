"""As many generated programs as asked for, each through schedules that nobody would write."""

from __future__ import annotations

import os

import pytest
from support.fusion import require_same_meaning
from support.generated.drawing import for_each
from support.generated.programs import programs
from support.generated.schedules import Scheduled, scheduled

PROGRAMS = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "0"))

pytestmark = pytest.mark.skipif(not PROGRAMS, reason="set VYRE_FUZZ_EXAMPLES, or run 'make fuzz'")


def test_no_schedule_changes_the_meaning_of_many_programs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    compared = 0

    def check(drawn: Scheduled) -> None:
        nonlocal compared
        meaning = require_same_meaning(drawn.sample.module, drawn.after, drawn.sample.inputs)
        compared += meaning is not None

    for_each(scheduled(programs()), check, examples=PROGRAMS)
    with capsys.disabled():
        print(f"\n{PROGRAMS} programs, {compared} compared")
    assert compared
