"""As many generated programs as asked for mean the same before and after fusion."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from support.fusion import check

PROGRAMS = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "0"))
FIRST_SEED = int(os.environ.get("VYRE_FUZZ_SEED", "1000000"))


@pytest.mark.skipif(not PROGRAMS, reason="set VYRE_FUZZ_EXAMPLES, or run 'make fuzz'")
def test_fusion_keeps_the_meaning_of_many_programs(capsys: pytest.CaptureFixture[str]) -> None:
    seen = Counter[str]()
    for seed in range(FIRST_SEED, FIRST_SEED + PROGRAMS):
        try:
            outcome = check(seed)
        except Exception as error:
            error.add_note(f"program of seed {seed}: VYRE_FUZZ_SEED={seed} VYRE_FUZZ_EXAMPLES=1")
            raise
        seen["promoted" if outcome.promoted else "left alone"] += 1
        seen.update(str(refusal.reason) for refusal in outcome.refusals)
    with capsys.disabled():
        print(f"\nfrom seed {FIRST_SEED}: {dict(seen.most_common())}")
