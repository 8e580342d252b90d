"""
What tiles may have in common under `auto`, wherever they live: a decoder that runs for each of them
may decode an element twice on average, and smaller tiles never make it more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from unittest import mock

import numpy as np
import pytest
from support.fusion import fused, require_same_meaning
from xdsl.dialects.builtin import ModuleOp, i8, i64

from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.passes.fusion.tiling import search
from vyre_dialect.passes.fusion.tiling.options import Home, Options
from vyre_dialect.passes.fusion.tiling.outcome import Outcome
from vyre_dialect.passes.fusion.tiling.refusal import Reason

IN_CACHE = Options(local_memory="global")
IN_WORKGROUPS = Options(strategy="auto", tile=64)
TILE = 8192
"""Bytes of the first tile in a cache."""
LENGTH = 100000


def chain(*reaches: int, workgroup: int = 64) -> ModuleOp:
    """Arms each of which reads what the one before wrote: here, next to it, and so far away."""
    with program("chain", workgroup_size=[workgroup]) as p:
        previous = p.buffer("source", i8, LENGTH, access=Access.READ_ONLY)
        last = len(reaches)
        for number, reach in enumerate((0, *reaches)):
            if number == last:
                following = p.buffer("out", i8, LENGTH, live_out=True)
            else:
                following = p.buffer(f"b{number}", i8, LENGTH, initial=Initial.UNDEFINED)
            with p.arm(f"arm{number}", LENGTH) as i:
                value = previous[i]
                if number:
                    value = value + previous[i + 1] + previous[i + reach]
                following[i] = value ^ 7
            previous = following
    return p.module


def wide(handoffs: int) -> ModuleOp:
    """A decoder of many numbers, all of which a scanner reads, next to others."""
    with program("wide") as p:
        source = p.buffer("source", i64, LENGTH, access=Access.READ_ONLY)
        parts = [p.buffer(f"b{n}", i64, LENGTH, initial=Initial.UNDEFINED) for n in range(handoffs)]
        out = p.buffer("out", i64, LENGTH, live_out=True)
        with p.arm("decode", LENGTH) as i:
            for part in parts:
                part[i] = source[i]
        with p.arm("scan", LENGTH) as i:
            read = [part[i + k] for part in parts for k in (0, 1, 40)]
            out[i] = sum(read[1:], read[0])
    return p.module


def asked(module: ModuleOp, options: Options, home: Home) -> tuple[Outcome, Sequence[int]]:
    """What becomes of a module, and the shares that were asked for in a home."""
    shares = list[int]()
    grown = search.grown

    def counted(analysis: search.ProgramAnalysis, request: search.Request) -> object:
        if request.home is home:
            shares.append(request.consumers)
        return grown(analysis, request)

    with mock.patch.object(search, "grown", counted):
        return fused(module, options)[1], shares


@pytest.mark.parametrize(
    ("options", "tile"), [(IN_CACHE, TILE), (IN_WORKGROUPS, 64)], ids=["cache", "workgroup"]
)
def test_a_tile_may_have_as_much_in_common_with_others_as_it_has_alone(
    options: Options, tile: int
) -> None:
    _, at_limit = fused(chain(tile), options)
    assert at_limit.promoted
    _, beyond = fused(chain(tile + 1), options)
    (refused,) = beyond.refusals
    assert refused.reason == Reason.UNPROFITABLE
    assert "each element of '@b0' is in 2.1 tiles on average, the limit is 2" in refused.detail


def test_what_each_tile_decodes_by_blocks_is_counted_too() -> None:
    with program("wide", workgroup_size=[16]) as p:
        source = p.buffer("source", i64, LENGTH, access=Access.READ_ONLY)
        decoded = p.buffer("decoded", i64, LENGTH, initial=Initial.UNDEFINED)
        out = p.buffer("out", i64, LENGTH, live_out=True)
        with p.arm("decode", LENGTH // 32) as i:
            for k in range(32):
                decoded[i * 32 + k] = source[i * 32 + k]
        with p.arm("scan", LENGTH) as i:
            out[i] = decoded[i] + decoded[i + 15]
    _, outcome = fused(p.module, Options(tile=16, budget=40 * 8))
    (refused,) = outcome.refusals
    assert refused.reason == Reason.UNPROFITABLE
    assert "'decode' decodes each element 4 times on average" in refused.detail


def test_who_asks_for_workgroup_memory_gets_it() -> None:
    _, outcome = fused(chain(16000), Options(strategy="workgroup"))
    assert outcome.promoted
    _, automatic = fused(chain(16000), Options())
    assert not automatic.promoted


def test_tiles_in_workgroup_memory_grow_until_they_have_little_in_common() -> None:
    outcome, shares = asked(chain(3000), Options(), Home.WORKGROUP)
    assert outcome.promoted
    assert shares == [1024, 2048, 4096]


def test_smaller_tiles_are_not_asked_for_where_they_have_more_in_common() -> None:
    outcome, shares = asked(chain(32700), IN_CACHE, Home.CACHE)
    assert not outcome.promoted
    assert shares == [TILE]


def test_tiles_stay_large_for_what_is_far_away() -> None:
    outcome, shares = asked(chain(32000, 40), IN_CACHE, Home.CACHE)
    assert set(outcome.promoted) == {"b1"}
    # What takes both is one invocation for a tile, so that it is asked for no fewer.
    assert shares == [TILE, 1]


@pytest.mark.slow
def test_tiles_in_a_cache_shrink_to_an_eighth_at_the_most() -> None:
    outcome, shares = asked(wide(5), IN_CACHE, Home.CACHE)
    assert shares == [1024, 512]
    assert len(outcome.promoted) == 5
    outcome, shares = asked(wide(40), IN_CACHE, Home.CACHE)
    assert not outcome.promoted
    assert set(shares) == {1024, 512, 256, 128}


@pytest.mark.parametrize("length", [1, 15, 16, 17, 100])
def test_every_border_of_a_tile_in_a_cache_is_crossed(length: int) -> None:
    with program("borders") as p:
        source = p.buffer("source", i8, length, access=Access.READ_ONLY)
        decoded = p.buffer("decoded", i8, length, initial=Initial.UNDEFINED)
        out = p.buffer("out", i8, length, live_out=True)
        with p.arm("decode", length) as i:
            decoded[i] = source[i] ^ 7
        with p.arm("scan", length) as i:
            out[i] = decoded[i] + decoded[i + 1] + decoded[i + 5]
    after, outcome = fused(p.module, Options(local_memory="global", cache_budget=64))
    (plan,) = outcome.plans
    assert plan.home is Home.CACHE
    data = np.arange(length, dtype=np.int8)
    assert require_same_meaning(p.module, after, {"source": data}) is not None
