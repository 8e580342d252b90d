"""The stages from a request to a plan, each by itself: values go in, and others come out."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest
from support.fusion import program_of
from xdsl.dialects.builtin import ModuleOp, i8

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.candidates import candidate_for
from vyre_dialect.passes.fusion.tiling.footprints import roomy_footprints
from vyre_dialect.passes.fusion.tiling.growth import grown
from vyre_dialect.passes.fusion.tiling.options import Home, Options
from vyre_dialect.passes.fusion.tiling.plan import Candidate, Draft, Plan
from vyre_dialect.passes.fusion.tiling.proof import joined
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.request import (
    Handoff,
    Request,
    handoff_of,
    matching_share,
    share_of_tile,
    shares_of,
)


def _two_readers(*, backwards: bool = False) -> ModuleOp:
    """One decoder for a scanner of single bytes, and for another of pairs."""
    with program("two_readers") as p:
        source = p.buffer("source", i8, 64, access=Access.READ_ONLY)
        decoded = p.buffer("decoded", i8, 64, initial=Initial.UNDEFINED)
        ones = p.buffer("ones", i8, 64, live_out=True)
        pairs = p.buffer("pairs", i8, 32, live_out=True)
        with p.arm("decode", 64) as i:
            decoded[i] = source[i] ^ 1
        with p.arm("one", 64) as i:
            ones[i] = decoded[63 - i] if backwards else decoded[i]
        with p.arm("pair", 32) as i:
            pairs[i] = decoded[i * 2] + decoded[i * 2 + 1]
    return p.module


def _handoff(module: ModuleOp) -> tuple[ProgramAnalysis, Handoff]:
    op = program_of(module)
    buffer = op.buffer("decoded")
    assert buffer is not None
    analysis = AnalysisManager().get(ProgramAnalysis, op)
    handoff = handoff_of(analysis, buffer)
    assert isinstance(handoff, Handoff)
    return analysis, handoff


def _request(analysis: ProgramAnalysis, handoff: Handoff, first_share: int) -> Request:
    sinks = shares_of(analysis, handoff, first_share)
    assert not isinstance(sinks, Refusal)
    return Request(handoff.buffer, Options(), Home.WORKGROUP, first_share, sinks)


def test_consumers_get_shares_that_read_equally_much() -> None:
    analysis, handoff = _handoff(_two_readers())
    request = _request(analysis, handoff, 16)
    assert [stage.share.extent for stage in request.sinks] == [16, 8]
    assert request.consumers == 16


def test_no_whole_number_of_invocations_is_a_refusal() -> None:
    _, handoff = _handoff(_two_readers())
    one, pair = handoff.consumers
    refusal = matching_share(handoff, one, pair, 1)
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.consumer) == (Reason.MISMATCHED_TILES, pair.arm)
    assert refusal.detail == (
        "tiles of 1 invocation of 'one' cover 1/2 invocations of 'pair', which is no whole number"
    )
    assert matching_share(handoff, pair, one, 1) == 2


def test_two_directions_are_a_refusal() -> None:
    analysis, handoff = _handoff(_two_readers(backwards=True))
    refusal = shares_of(analysis, handoff, 16)
    assert isinstance(refusal, Refusal)
    assert refusal.detail == "'pair' reads the handoff forwards and 'one' backwards"


@pytest.mark.parametrize(("tile", "share"), [(2, 1), (32, 16), (3, None), (1, None)])
def test_a_tile_of_a_size_has_a_share_or_a_refusal(tile: int, share: int | None) -> None:
    _, handoff = _handoff(_two_readers())
    found = share_of_tile(handoff, handoff.consumers[1], tile)
    assert isinstance(found, Refusal) if share is None else found == share


def _draft(analysis: ProgramAnalysis, request: Request) -> Draft:
    draft = Draft(request)
    for sink in request.sinks:
        draft = draft.joined_by_sink(sink, ())
    return draft


def test_a_candidate_says_what_it_would_fill_and_leaves_the_draft() -> None:
    analysis, handoff = _handoff(_two_readers())
    draft = _draft(analysis, _request(analysis, handoff, 16))
    candidate = candidate_for(analysis, draft, handoff.producer.arm)
    assert isinstance(candidate, Candidate)
    assert {each.sym_name.data: f.extent for each, f in candidate.footprints.items()} == {
        "decoded": 16
    }
    assert not draft.footprints


def test_a_producer_that_joins_makes_another_draft() -> None:
    analysis, handoff = _handoff(_two_readers())
    draft = _draft(analysis, _request(analysis, handoff, 16))
    before = {each.name: getattr(draft, each.name) for each in fields(draft)}
    candidate = candidate_for(analysis, draft, handoff.producer.arm)
    assert isinstance(candidate, Candidate)
    first, again = (joined(analysis, draft, candidate) for _ in range(2))
    assert isinstance(first, Draft) and isinstance(again, Draft)
    assert [stage.name for stage in first.stages.values()] == ["'one'", "'pair'", "'decode'"]
    assert first.met == again.met
    assert first.held_bytes == again.held_bytes == 16
    assert {each.name: getattr(draft, each.name) for each in fields(draft)} == before


def test_a_footprint_that_holds_what_is_written_in_vectors_has_no_more_room() -> None:
    analysis, handoff = _handoff(_two_readers())
    draft = _draft(analysis, _request(analysis, handoff, 12))
    candidate = candidate_for(analysis, draft, handoff.producer.arm)
    assert isinstance(candidate, Candidate)
    draft = joined(analysis, draft, candidate)
    assert isinstance(draft, Draft)
    roomy = roomy_footprints(analysis.tiles, draft, draft.stages.values())
    assert [footprint.extent for footprint in roomy.values()] == [12]


def test_a_draft_cannot_be_changed() -> None:
    analysis, handoff = _handoff(_two_readers())
    draft = _draft(analysis, _request(analysis, handoff, 16))
    with pytest.raises(FrozenInstanceError):
        draft.held_bytes = 1  # pyright: ignore[reportAttributeAccessIssue]


def test_a_plan_too_large_is_a_refusal_with_its_question() -> None:
    analysis, handoff = _handoff(_two_readers())
    sinks = shares_of(analysis, handoff, 16)
    assert not isinstance(sinks, Refusal)
    small = Options(budget=15)
    found = grown(analysis, Request(handoff.buffer, small, Home.WORKGROUP, 16, sinks))
    assert isinstance(found, Refusal)
    assert (found.reason, found.question) == (Reason.OVER_BUDGET, "do the tiles fit?")
    assert isinstance(grown(analysis, _request(analysis, handoff, 16)), Plan)
