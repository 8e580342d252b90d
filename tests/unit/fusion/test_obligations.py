"""Obligations: what is asked of plans, in which order, and what a refusal says of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.fusion import fused, program_of

from benchmarks.compile_time import chain, expanded_examples
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.obligations import (
    Asked,
    Obligation,
    Question,
    because,
    prove,
)
from vyre_dialect.passes.fusion.tiling.options import Home, Options
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.search import plan_in
from vyre_dialect.passes.fusion.tiling.summary import PlanSummary

MANUAL = Path(__file__).parents[3] / "docs" / "fusion.md"


def _answer(refusal: Refusal | None, asked: list[str], about: str) -> Callable[[], Refusal | None]:
    def find() -> Refusal | None:
        asked.append(about)
        return refusal

    return find


def test_all_are_met() -> None:
    asked = list[str]()
    questions = [Asked(Question.FITS, each, _answer(None, asked, each)) for each in "ab"]
    assert prove(questions) == (Obligation(Question.FITS, "a"), Obligation(Question.FITS, "b"))
    assert asked == ["a", "b"]


def test_none_is_asked_after_one_that_is_not_met() -> None:
    asked = list[str]()
    found = Refusal(Reason.OVER_BUDGET, "too much")
    refusal = prove(
        Asked(Question.FITS, each, _answer(found if each == "b" else None, asked, each))
        for each in "abc"
    )
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.detail) == (Reason.OVER_BUDGET, "too much")
    assert refusal.question == "do the tiles fit?"
    assert found.question is None
    assert asked == ["a", "b"]


def test_a_refusal_keeps_what_it_found() -> None:
    found = Refusal(Reason.GAVE_UP, "isl gave up")
    assert because(Question.IS_COVERED, found).reason == Reason.GAVE_UP


@pytest.mark.parametrize("question", list(Question))
def test_the_manual_has_each_question(question: Question) -> None:
    assert str(question) in MANUAL.read_text()


@pytest.mark.parametrize("name", sorted(expanded_examples()))
def test_each_promoted_handoff_is_in_a_plan(name: str) -> None:
    _, outcome = fused(expanded_examples()[name], Options())
    tiles = [tile for plan in outcome.plans for tile in plan.tiles]
    assert sorted(tiles) == sorted(outcome.promoted)
    for plan in outcome.plans:
        assert plan.obligations
        assert {f"'@{tile}'" for tile in plan.tiles} <= {
            about for abouts in plan.answers.values() for about in abouts
        }


def test_a_plan_says_what_each_tile_runs() -> None:
    _, outcome = fused(chain(3), Options())
    (plan,) = outcome.plans
    assert (plan.space, plan.steps, dict(plan.tiles)) == (
        MemorySpace.PRIVATE,
        1,
        {"b0": 1, "b1": 1},
    )
    assert [(each.arm, each.invocations, each.times) for each in plan.shares] == [
        ("change0", 1, 1),
        ("change1", 1, 1),
        ("change2", 1, 1),
    ]


def _verdicts(name: str, *, backwards: bool) -> dict[tuple[str, str], object]:
    """What is found for each handoff and place, all of it asked of one analysis."""
    program = program_of(expanded_examples()[name].clone())
    analysis = AnalysisManager().get(ProgramAnalysis, program)
    handoffs = [each for each in program.buffers() if len(analysis.users(each).arms) > 1]
    asked = [(each, home) for each in handoffs for home in Home]
    found = dict[tuple[str, str], object]()
    for handoff, home in reversed(asked) if backwards else asked:
        verdict = plan_in(home, analysis, handoff, Options())
        told = verdict.detail if isinstance(verdict, Refusal) else PlanSummary.of(verdict).as_dict()
        found[handoff.sym_name.data, home] = told
    return found


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", sorted(expanded_examples()))
def test_no_verdict_depends_on_what_was_asked_before(name: str) -> None:
    forwards = _verdicts(name, backwards=False)
    assert forwards
    assert _verdicts(name, backwards=True) == forwards
