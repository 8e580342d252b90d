"""
The pass fuses a pair exactly if brute force finds it legal: nothing illegal is fused, and
nothing legal is refused, in this class.

- a producer and one or two consumers of one handoff, each over one axis, none cooperative;
- their element indices are quasi-affine (steps, floors, permutations and gathers inside blocks,
  counted from either end, in loops, in runs of elements, under affine guards), and the reads
  of a consumer, and the writes of the producer, have one average step per invocation;
- sizes are static, or affine in the length of an input;
- a tile is a fixed number of consecutive invocations of each consumer, read through a footprint
  of constant extent that moves with the tile and is as large as a whole tile needs; it runs
  the producer's invocations from the first to the last that write into the footprint;
- every arm touches the handoff at least somewhere, and every invocation of a producer with
  other effects writes into some footprint (of others the class leaves open which tile runs them).
"""

from __future__ import annotations

import pytest
from support.exactness import Verdicts, decidable_pairs
from support.generated.drawing import for_each
from support.tiers import first_quick

SHARDS = 4
PAIRS = 90
"""In each shard."""
AUTOMATIC = 40
FEW = 30
"""Pairs whose shares say little."""


def _require_both(seen: Verdicts, least: float = 0.2) -> None:
    """Fail unless there were enough pairs of either verdict; of few, any share may be by chance."""
    assert min(seen.legal, seen.illegal) > 0, seen
    if seen.total < FEW:
        return
    assert seen.undecided < 0.15 * seen.total, seen
    assert min(seen.legal, seen.illegal) > least * seen.total, seen


@pytest.mark.slow
@pytest.mark.parametrize("shard", first_quick(range(SHARDS)))
def test_the_verdict_is_that_of_brute_force(shard: int) -> None:
    seen = Verdicts()
    for_each(decidable_pairs(), seen.check, examples=PAIRS, seed=shard)
    _require_both(seen)


@pytest.mark.slow
@pytest.mark.parametrize("shard", first_quick(range(2)))
def test_automatic_fusion_is_legal_one_way_or_the_other(shard: int) -> None:
    seen = Verdicts()
    for_each(decidable_pairs(), seen.check_automatic, examples=AUTOMATIC, seed=100 + shard)
    # Generated workgroups are small, so that much of what is legal is too much repeated.
    _require_both(seen, least=0.1)
