"""Whether the pass fuses exactly what brute force finds legal."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from support.brute_force import NotDecidedError, is_legal
from support.fusion import fused
from support.generated.arms import HANDOFF
from support.generated.cases import Case
from support.generated.drawing import any_of
from support.generated.pairs import is_possible, pairs
from support.generated.places import Size
from support.generated.programs import Sample
from vyre_dialect.passes.fusion.tiling.options import DEFAULT_BUDGET, Options, Strategy

_DECIDED: tuple[Strategy, ...] = ("workgroup", "private")


def decidable_pairs() -> st.SearchStrategy[Sample]:
    """Pairs of the class in which brute force knows the verdict, and options."""
    return _decidable_pairs().filter(lambda sample: is_possible(_case(sample)))


def _case(sample: Sample) -> Case:
    assert isinstance(sample.plan, Case)
    return sample.plan


@st.composite
def _decidable_pairs(draw: st.DrawFn) -> Sample:
    case = draw(pairs())
    case = replace(case, handoffs=(replace(case.handoffs[0], size=Size()),))
    strategy = draw(st.sampled_from(_DECIDED))
    budget, tile = draw(any_of(DEFAULT_BUDGET, 64, 24, 12)), draw(any_of(0, 0, 4, 6, 8))
    return Sample(case, Options(strategy, budget, 0 if strategy == "private" else tile))


@dataclass
class Verdicts:
    """The pairs of a test, by what was found of them."""

    legal: int = 0
    illegal: int = 0
    undecided: int = 0

    @property
    def total(self) -> int:
        """Every pair."""
        return self.legal + self.illegal + self.undecided

    def check(self, sample: Sample) -> None:
        """Fail unless the pass fuses the pair exactly if it may."""
        try:
            expected = is_legal(_case(sample), sample.options)
        except NotDecidedError:
            self.undecided += 1
            return
        _, outcome = fused(sample.module, sample.options)
        refusals = [str(refusal) for refusal in outcome.refusals]
        assert (HANDOFF in outcome.promoted) == expected, refusals
        self._note(expected)

    def check_automatic(self, sample: Sample) -> None:
        """
        Fail unless `auto` fuses what is legal in workgroup memory and not too much repeated, and
        only what is legal.
        """
        case, options = _case(sample), sample.options
        try:
            in_workgroups = is_legal(case, replace(options, strategy="workgroup"))
            in_private = is_legal(case, replace(options, strategy="private", tile=0))
        except NotDecidedError:
            self.undecided += 1
            return
        _, outcome = fused(sample.module, replace(options, strategy="auto"))
        promoted = HANDOFF in outcome.promoted
        assert promoted <= (in_workgroups or in_private)
        assert promoted >= (in_workgroups and not _is_much_repeated(sample))
        self._note(promoted)

    def _note(self, legal: bool) -> None:
        self.legal += legal
        self.illegal += not legal


def _is_much_repeated(sample: Sample) -> bool:
    """Whether a producer would be run more than twice in tiles of workgroups."""
    _, outcome = fused(sample.module, replace(sample.options, strategy="workgroup"))
    return any(not 0 < share.times <= 2 for plan in outcome.plans for share in plan.shares)
