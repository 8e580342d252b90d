"""Generated programs mean the same before and after fusion, by the reference interpreter."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from support.fusion import check, fused, random_options
from support.random_pairs import random_program

SHARDS = 8
PROGRAMS = 240


@pytest.mark.parametrize("shard", range(SHARDS))
def test_fusion_keeps_the_meaning(shard: int) -> None:
    seen = Counter[str]()
    for seed in range(shard, PROGRAMS, SHARDS):
        try:
            outcome = check(seed)
        except Exception as error:
            error.add_note(f"program of seed {seed}")
            raise
        seen["promoted" if outcome.promoted else "left alone"] += 1
        seen.update(str(refusal.reason) for refusal in outcome.refusals)
    # Neither all legal nor all illegal, or the comparison would say little.
    assert seen["promoted"] > 0.2 * (PROGRAMS // SHARDS)
    assert seen["left alone"] > 0.2 * (PROGRAMS // SHARDS)


@pytest.mark.parametrize("seed", range(24))
def test_fusing_again_changes_nothing(seed: int) -> None:
    random = Random(seed)
    case, options = random_program(random), random_options(random)
    once, _ = fused(case.module(), options)
    twice, again = fused(once, options)
    assert not again.promoted
    assert once.is_structurally_equivalent(twice)
