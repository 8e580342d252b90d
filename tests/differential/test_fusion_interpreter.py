"""Generated programs mean the same before and after fusion, by the reference interpreter."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from support.fusion import check, check_of, fused, random_options
from support.random_pairs import MAKERS, random_program

SHARDS = 8
PROGRAMS = 320
OF_EACH_KIND = 40
OF_KIND = {"one arm": 160, "host value": 160}
"""More of those in which what could go wrong takes more to come together."""


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
    assert seen["promoted"] > 0.1 * (PROGRAMS // SHARDS)
    assert seen["left alone"] > 0.1 * (PROGRAMS // SHARDS)


@pytest.mark.parametrize("maker", MAKERS)
def test_programs_of_each_kind_keep_their_meaning(maker: str) -> None:
    compared, programs = 0, OF_KIND.get(maker, OF_EACH_KIND)
    for seed in range(programs):
        try:
            compared += check_of(maker, seed).is_compared
        except Exception as error:
            error.add_note(f"program of kind '{maker}' and seed {seed}")
            raise
    assert compared > 0.05 * programs


@pytest.mark.parametrize("seed", range(24))
def test_fusing_again_changes_nothing(seed: int) -> None:
    random = Random(seed)
    case, options = random_program(random), random_options(random)
    once, _ = fused(case.module(), options)
    twice, again = fused(once, options)
    assert not again.promoted
    assert once.is_structurally_equivalent(twice)
