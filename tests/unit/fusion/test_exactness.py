"""
The pass fuses a pair exactly if brute force finds it legal: nothing illegal is fused, and
nothing legal is refused, in this class:

- a producer and one or two consumers of one handoff, each over one axis, none cooperative;
- their element indices are quasi-affine (steps, floors, permutations and gathers inside blocks,
  counted from either end, in loops, in runs of elements, under affine guards), and the reads
  of a consumer, and the writes of the producer, have one average step per invocation;
- sizes are static, or affine in the length of an input;
- a tile is a fixed number of consecutive invocations of each consumer, read through a window
  of constant extent that moves with the tile and is as large as a whole tile needs; it runs
  the producer's invocations from the first to the last that write into the window;
- every arm touches the handoff at least somewhere, and every invocation of a producer with
  other effects writes into some window (of others the class leaves open which tile runs them).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from support.brute_force import NotDecidedError, is_legal
from support.fusion import fused
from support.pairs import HANDOFF, Case, Size
from support.random_pairs import random_pair

from vyre_dialect.passes.fusion.tiling.options import DEFAULT_BUDGET, Options

PAIRS = 3400
SHARDS = 8


def random_case(random: Random) -> tuple[Case, Options]:
    """A pair of the class, and the options to fuse it with."""
    while True:
        case = random_pair(random)
        case = replace(case, handoffs=(replace(case.handoffs[0], size=Size()),))
        strategy = random.choice(("workgroup", "private"))
        budget, tile = random.choice((DEFAULT_BUDGET, 64, 24, 12)), random.choice((0, 0, 4, 6, 8))
        options = Options(strategy, budget, 0 if strategy == "private" else tile)
        if case.is_possible:
            return case, options


@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_verdict_is_that_of_brute_force(shard: int) -> None:
    seen = Counter[bool]()
    for seed in range(shard, PAIRS, SHARDS):
        case, options = random_case(Random(seed))
        try:
            expected = is_legal(case, options)
        except NotDecidedError:
            continue
        _, outcome = fused(case.module(), options)
        got = HANDOFF in outcome.promoted
        refusals = [str(refusal) for refusal in outcome.refusals]
        assert got == expected, f"seed {seed}: {options} {case} {refusals}"
        seen[got] += 1
    assert seen.total() > 0.85 * PAIRS / SHARDS
    assert min(seen[True], seen[False]) > 0.2 * PAIRS / SHARDS


@pytest.mark.parametrize("shard", range(SHARDS))
def test_automatic_fusion_is_legal_one_way_or_the_other(shard: int) -> None:
    for seed in range(shard, PAIRS // 8, SHARDS):
        case, options = random_case(Random(seed))
        try:
            ways = [
                is_legal(case, replace(options, strategy="workgroup")),
                is_legal(case, replace(options, strategy="private", tile=0)),
            ]
        except NotDecidedError:
            continue
        _, outcome = fused(case.module(), replace(options, strategy="auto"))
        promoted = HANDOFF in outcome.promoted
        assert promoted <= any(ways), f"seed {seed}"
        assert promoted >= ways[0], f"seed {seed}"
