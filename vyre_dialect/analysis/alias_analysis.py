"""
Locations of memory that an invocation accesses: which are the same, or have nothing in common.

Both are seen from one run of the code around both: with the same ids and the same iterations of the
loops around both, and with all iterations of a loop around one of them. Answers come from the
cheapest source that has one: the SSA values, exact sums (`LinearForms`), access relations (isl).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from xdsl.dialects import arith
from xdsl.ir import Attribute, Block, OpResult, SSAValue

from vyre_dialect.analysis.access_relations import Reaches
from vyre_dialect.analysis.affine_values import AffineValues
from vyre_dialect.analysis.bounded_effort import bounded, next_question
from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.forms import LinearForm
from vyre_dialect.analysis.isl import is_installed, isl
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.symbol_keys import Quotient
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.interfaces import HasInvocationsInterface
from vyre_dialect.ops.memory import LoadOp, StoreOp

MOST_PROOFS = 1024
"""Inequalities between sums that are tried for one arm: time stays linear in its size."""
MOST_QUESTIONS = 64
"""Questions to isl for one arm; after one that it has given up, none."""


@dataclass(frozen=True)
class Key:
    """Locations of a buffer with equal keys are the same, and hold the same type."""

    base: SSAValue | None
    offset: int
    count: int
    type: Attribute

    def is_like(self, other: Key) -> bool:
        """Whether what is stored to one location may be what is loaded from the other."""
        return (self.count, self.type) == (other.count, other.type)


@dataclass(frozen=True, eq=False)
class MemoryLocation:
    """The elements `[base + offset, base + offset + count)` of a buffer that an op accesses."""

    op: LoadOp | StoreOp
    base: SSAValue | None
    offset: int
    count: int

    @staticmethod
    def of(op: LoadOp | StoreOp) -> MemoryLocation:
        """The elements that an op accesses."""
        return MemoryLocation(op, *_split(op.index), op.elements)

    @property
    def key(self) -> Key:
        """What is the same of two locations only if they are."""
        return Key(self.base, self.offset, self.count, self.op.value.type)

    @property
    def block(self) -> Block:
        """Where it is accessed."""
        assert self.op.parent is not None
        return self.op.parent


def _split(index: SSAValue) -> tuple[SSAValue | None, int]:
    """An index as a value and a constant; no value for a constant."""
    op = index.owner
    if (constant := _constant(index)) is not None:
        return None, constant
    if isinstance(op, arith.AddiOp) and (constant := _constant(op.rhs)) is not None:
        return op.lhs, constant
    return index, 0


def _constant(value: SSAValue) -> int | None:
    number = integer_of(value)
    return None if number is None or abs(number) >= 2**62 else number


class AliasAnalysis:
    """
    Compares locations of the same buffer that one arm or kernel accesses.

    No manager keeps it: what it may still spend depends on what it was asked, so that each run over
    an arm has its own, and answers rest on no run before.
    """

    def __init__(
        self, arm: HasInvocationsInterface, forms: LinearForms, divergence: DivergenceAnalysis
    ):
        self._arm, self._forms, self._divergence = arm, forms, divergence
        self._proofs_left = MOST_PROOFS
        self._questions_left = MOST_QUESTIONS
        self._meetings: dict[tuple[MemoryLocation, MemoryLocation], bool] = {}

    @staticmethod
    def of(arm: HasInvocationsInterface, facts: AnalysisManager) -> AliasAnalysis:
        """The locations that an arm or kernel accesses, of which nothing was asked yet."""
        return AliasAnalysis(arm, facts.get(LinearForms, arm), facts.get(DivergenceAnalysis, arm))

    def may_alias(self, one: MemoryLocation, other: MemoryLocation) -> bool:
        """Whether both may have an element in common."""
        if one.base is other.base:
            return -one.count < one.offset - other.offset < other.count
        if (one, other) not in self._meetings:
            self._meetings[one, other] = self._may_alias(one, other)
        return self._meetings[one, other]

    def covers(self, one: MemoryLocation, other: MemoryLocation) -> bool:
        """Whether the first holds all elements of the second, wherever both are accessed."""
        room = one.count - other.count
        if one.base is other.base:
            return 0 <= other.offset - one.offset <= room
        if room < 0 or not self._are_decided(one, other) or not self.may_alias(one, other):
            return False
        gap = self._gap(other, one)
        if not gap.terms:
            return 0 <= gap.constant <= room
        limits = gap.times(-1), gap.shifted(-room)
        if all(self._is_never_positive(limit, one, other) for limit in limits):
            return True
        return _is_opaque(gap) and self._is_answered(self._is_around, one, other)

    def _may_alias(self, one: MemoryLocation, other: MemoryLocation) -> bool:
        if not self._are_decided(one, other):
            return True
        gap = self._gap(one, other)
        if not gap.terms:
            return -one.count < gap.constant < other.count
        if _steps_over(gap, one, other):
            return False
        overlaps = gap.shifted(one.count), gap.times(-1).shifted(other.count)
        if any(self._is_never_positive(overlap, one, other) for overlap in overlaps):
            return False
        return not (_is_opaque(gap) and self._is_answered(self._is_apart, one, other))

    def _are_decided(self, *locations: MemoryLocation) -> bool:
        """Whether ids and loop counters say which they are: of data, little is ever proven."""
        return all(self._divergence.of(each.op.index).is_decided for each in locations)

    # By sums.

    def _form(self, location: MemoryLocation) -> LinearForm:
        return self._forms.at(location.op.index, location.block)

    def _gap(self, one: MemoryLocation, other: MemoryLocation) -> LinearForm:
        """How far the first starts behind the second."""
        return self._form(one).plus(self._form(other), -1)

    def _is_never_positive(
        self, goal: LinearForm, one: MemoryLocation, other: MemoryLocation
    ) -> bool:
        """Whether a sum is provably at most 0 where both are accessed."""
        if self._proofs_left == 0:
            return False
        self._proofs_left -= 1
        inner = one.block if other.block.is_ancestor(one.block) else other.block
        return self._forms.is_never_positive(goal, inner)

    # By access relations.

    @cached_property
    def _reaches(self) -> Reaches:
        return Reaches(AffineValues(self._arm, Symbols(isl.Context())))

    def _is_answered(
        self,
        question: Callable[[MemoryLocation, MemoryLocation], bool],
        one: MemoryLocation,
        other: MemoryLocation,
    ) -> bool:
        """Whether isl says that it is so; not where it does not know, or has no time left."""
        if self._questions_left == 0 or not is_installed():
            return False
        context = self._reaches.values.symbols.context
        try:
            with bounded(context):
                answer = question(one, other)
                next_question(context)
        except isl.Error:
            self._questions_left = 0
            return False
        return answer

    def _is_apart(self, one: MemoryLocation, other: MemoryLocation) -> bool:
        reaches = [self._reach(location) for location in (one, other)]
        if reaches[0] is None or reaches[1] is None:
            return False
        self._questions_left -= 1
        common = reaches[0].intersect(reaches[1])
        return self._reaches.values.symbols.restricted(common).is_empty()

    def _reach(self, location: MemoryLocation) -> isl.Map | None:
        """The elements that a location is, for ids and loop counters."""
        first = self._reaches.number(location.op.index)
        if first is None:
            return None
        count = self._reaches.values.space.constant(location.count)
        return self._reaches.run(first, count).intersect_domain(self._reaches.where(location.block))

    def _is_around(self, one: MemoryLocation, other: MemoryLocation) -> bool:
        outer, inner = (self._reaches.number(location.op.index) for location in (one, other))
        if outer is None or inner is None:
            return False
        self._questions_left -= 1
        values = self._reaches.values
        last = outer + values.space.constant(one.count - other.count)
        around = outer.le_set(inner).intersect(inner.le_set(last))
        runs = self._reaches.where(one.block).intersect(self._reaches.where(other.block))
        return values.symbols.is_within(runs, around)


def _steps_over(gap: LinearForm, one: MemoryLocation, other: MemoryLocation) -> bool:
    """Whether no multiple of the common divisor makes locations this far apart meet (Banerjee)."""
    step = gcd(*(factor for _, factor in gap.terms))
    first = gap.constant + -(-(1 - one.count - gap.constant) // step) * step
    return first >= other.count


def _is_opaque(gap: LinearForm) -> bool:
    """Whether a sum holds results of ops that are no sums, of which isl may know more."""
    keys = [symbol.key for symbol, _ in gap.terms]
    return any(isinstance(key, OpResult | Quotient) for key in keys)
