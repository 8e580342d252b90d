"""As many generated programs as asked for: fusion keeps the meaning, and is exact."""

from __future__ import annotations

import os

import pytest
from support.exactness import Verdicts, decidable_pairs
from support.fusion import Seen
from support.generated.drawing import for_each
from support.generated.programs import programs

PROGRAMS = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "0"))

pytestmark = pytest.mark.skipif(not PROGRAMS, reason="set VYRE_FUZZ_EXAMPLES, or run 'make fuzz'")


def test_fusion_keeps_the_meaning_of_many_programs(capsys: pytest.CaptureFixture[str]) -> None:
    seen = Seen()
    for_each(programs(), seen.check, examples=PROGRAMS)
    with capsys.disabled():
        print(f"\n{seen}")
    assert seen.compared


def test_the_verdicts_on_many_pairs_are_those_of_brute_force(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen = Verdicts()
    for_each(decidable_pairs(), seen.check, examples=PROGRAMS)
    with capsys.disabled():
        print(f"\n{seen}")
    assert seen.legal
    assert seen.illegal
