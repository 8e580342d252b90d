"""Generated programs mean the same before and after fusion, by the reference interpreter."""

from __future__ import annotations

import pytest
from support.fusion import FusibleProgram, Seen, fused, fusible, program_of, promoted_handoffs
from support.generated.drawing import Draws, for_each
from support.generated.programs import KINDS, programs, programs_of

from vyre_dialect.passes.fusion.decode_scan_fuse import candidate_handoffs, count_opportunities
from vyre_dialect.runtime.program.compilation import make_context, parse_module

CONTEXT = make_context()
SHARDS = 4
PROGRAMS = 16
"""In each shard."""
FUSED = 16
OF_EACH_KIND = 16
OF_KIND = {"one arm": 48, "host value": 48, "steered": 48, "chain": 8, "library": 6}
"""More of those in which what could go wrong takes more to come together; fewer of the large."""
MOST_BATCHES = 8
"""Of a kind, until a program was drawn that fuses and has a meaning."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_fusion_keeps_the_meaning(shard: int, draws: Draws) -> None:
    seen = Seen()
    for_each(programs(), seen.check, examples=draws(PROGRAMS), seed=shard)
    # Neither all legal nor all illegal, or the comparison would say little.
    assert seen.compared, seen
    assert seen.programs - seen.fused > 0.1 * seen.programs, seen
    assert seen.refusals.total() > 0.1 * seen.programs, seen


@pytest.mark.one_in(18)
@pytest.mark.parametrize("kind", KINDS)
def test_programs_of_each_kind_keep_their_meaning(kind: str) -> None:
    seen = Seen()
    for seed in range(MOST_BATCHES):
        examples = OF_KIND.get(kind, OF_EACH_KIND)
        for_each(programs_of(kind), seen.check, examples=examples, seed=seed)
        if seen.compared:
            break
    assert seen.compared, seen


@pytest.mark.slow
def test_asking_names_what_is_promoted_and_changes_nothing(draws: Draws) -> None:
    handoffs = 0

    def check(program: FusibleProgram) -> None:
        nonlocal handoffs
        text, op = str(program.before), program_of(program.before)
        candidates = candidate_handoffs(op, program.sample.options)
        count = count_opportunities(op, program.sample.options)
        assert str(program.before) == text
        assert candidates == promoted_handoffs(program.before, program.after)
        assert count == len(candidates)
        handoffs += count

    for_each(fusible(programs()), check, examples=draws(FUSED), seed=100)
    assert handoffs >= draws(FUSED)


@pytest.mark.slow
def test_fused_programs_parse_back(draws: Draws) -> None:
    count = 0

    def check(program: FusibleProgram) -> None:
        nonlocal count
        again = parse_module(str(program.after), CONTEXT)
        assert program.after.is_structurally_equivalent(again)
        count += 1

    for_each(fusible(programs()), check, examples=draws(FUSED), seed=200)
    assert count >= draws(FUSED)


@pytest.mark.slow
def test_fusing_again_changes_nothing(draws: Draws) -> None:
    count = 0

    def check(program: FusibleProgram) -> None:
        nonlocal count
        twice, again = fused(program.after, program.sample.options)
        assert not again.promoted
        assert program.after.is_structurally_equivalent(twice)
        count += 1

    for_each(fusible(programs()), check, examples=draws(FUSED), seed=300)
    assert count >= draws(FUSED)
