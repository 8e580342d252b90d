"""What holds in the interior of a block, and the few tests that decide on all of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.analysis.comparisons import condition_of, decide, required
from vyre_dialect.analysis.forms import LinearForm, Symbol
from vyre_dialect.analysis.guards import Comparison
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT, Range
from vyre_dialect.builder import Buffer, Value
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.kernel import measured_buffer
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.loop.splitting.marks import INTERIOR

MAX_TESTS = 8
"""Comparisons that the test may consist of: some for each of several lengths."""
LARGEST_TABLE = 1 << 16
"""Elements of a table of which it is worth asking whether it has all that the data may choose."""
MAX_GOALS = 16
"""Bounds, apart from those that differ by a number only, that are compared with each other."""


@dataclass(frozen=True)
class Goal(ABC):
    """What holds in the interior."""

    form: LinearForm
    """Positive exactly where it does not."""

    @property
    @abstractmethod
    def operands(self) -> Sequence[SSAValue]:
        """What the test computes with."""

    @abstractmethod
    def test(self, copies: Mapping[SSAValue, SSAValue]) -> Value:
        """Whether it holds, at the current place, where `copies` stand for what is further in."""


@dataclass(frozen=True)
class Bound(Goal):
    """That an access does not begin before its buffer, or does not end after it."""

    access: LoadOp | StoreOp
    is_upper: bool
    """Whether it is about the end."""
    may_wrap: bool
    """Whether the end may be beyond what an index holds, for all that is known of the beginning."""

    @property
    def operands(self) -> Sequence[SSAValue]:
        return [self.access.index]

    def test(self, copies: Mapping[SSAValue, SSAValue]) -> Value:
        index = Value(copies.get(self.access.index, self.access.index))
        if not self.is_upper:
            return index >= 0
        length = _length(self.access)
        if self.may_wrap:
            return index <= length - self.access.elements
        return index + self.access.elements <= length


@dataclass(frozen=True)
class Covered(Goal):
    """That a table holds every element that an access may ask for, whatever the data."""

    access: LoadOp | StoreOp
    highest: int

    @property
    def operands(self) -> Sequence[SSAValue]:
        return ()

    def test(self, copies: Mapping[SSAValue, SSAValue]) -> Value:
        return _length(self.access) > self.highest


AccessGoal: TypeAlias = Bound | Covered
"""What makes an access one that needs no guard."""
Unproven: TypeAlias = Callable[[Operation, Block, LinearForms], Iterator[AccessGoal]]
"""What is not known to hold of an access, if that may be tested."""


@dataclass(frozen=True)
class _Decision(Goal):
    """That a comparison holds."""

    comparison: Comparison

    @property
    def operands(self) -> Sequence[SSAValue]:
        return self.comparison.left, self.comparison.right

    def test(self, copies: Mapping[SSAValue, SSAValue]) -> Value:
        left, right = (Value(copies.get(each, each)) for each in self.operands)
        return left.compare(self.comparison.predicate, right)


def _length(access: LoadOp | StoreOp) -> Value:
    """The element count of a buffer: in a kernel, the argument behind it."""
    owner = access.buffer.owner
    for argument in owner.args if isinstance(owner, Block) else ():
        if measured_buffer(argument) is access.buffer:
            return Value(argument)
    return Buffer(access.buffer).length


def unproven_in(block: Block, forms: LinearForms, unproven: Unproven) -> Iterator[AccessGoal]:
    """What may not hold of the accesses of a block itself."""
    for op in block.ops:
        yield from unproven(op, block, forms)


def unproven_within(block: Block, forms: LinearForms, unproven: Unproven) -> Iterator[AccessGoal]:
    """The same of a block and the branches in it that are not split yet."""
    for op in block.ops:
        yield from unproven(op, block, forms)
        if isinstance(op, scf.IfOp) and INTERIOR not in op.attributes:
            for inner in (inner for region in op.regions for inner in region.blocks):
                yield from unproven_within(inner, forms, unproven)


def bounds_of(op: Operation, block: Block, forms: LinearForms) -> Iterator[Bound]:
    """The bounds that a wide access of global memory may not keep."""
    if not _may_be_outside(op) or op.elements < 2:
        return
    index = forms.at(op.index, block)
    past_the_end = index.shifted(op.elements).plus(forms.length_at(op.buffer, block), -1)
    may_wrap = forms.integers.range_at(op.index, block).high + op.elements >= INDEX_LIMIT
    for is_upper, form in ((False, index.times(-1)), (True, past_the_end)):
        if not forms.is_never_positive(form, block):
            yield Bound(form, op, is_upper, may_wrap)


def cover_of(op: Operation, block: Block, forms: LinearForms) -> Iterator[Covered]:
    """What a table in global memory may not hold of which the data choose an element."""
    if not _may_be_outside(op) or op.elements > 1:
        return
    asked = forms.integers.range_at(op.index, block)
    if not asked.within(Range(0, LARGEST_TABLE - 1)):
        return
    form = forms.length_at(op.buffer, block).times(-1).shifted(asked.high + 1)
    if not forms.is_never_positive(form, block):
        yield Covered(form, op, asked.high)


def _may_be_outside(op: Operation) -> TypeGuard[LoadOp | StoreOp]:
    """Whether an op accesses global memory, for all that is known beyond its end."""
    if not isinstance(op, LoadOp | StoreOp) or op.in_bounds is not None:
        return False
    assert isinstance(op.buffer.type, BufferType)
    return op.buffer.type.space == MemorySpace.GLOBAL


def deciding(goals: Sequence[AccessGoal], block: Block, forms: LinearForms) -> list[AccessGoal]:
    """A few of the goals that imply all of them; none if there are no such few, or never true."""
    chosen, left = list[AccessGoal](), _strongest(goals)
    if len(left) > MAX_GOALS:
        return []
    while left and len(chosen) < MAX_TESTS:
        each = [(goal, _without_implied(left, [*chosen, goal], block, forms)) for goal in left]
        goal, left = min(each, key=lambda found: len(found[1]))
        chosen.append(goal)
    is_hopeless = any(_is_never(goal.form, block, forms) for goal in chosen)
    return [] if left or is_hopeless else chosen


def _strongest(goals: Sequence[AccessGoal]) -> list[AccessGoal]:
    """Of goals that differ by a number only, the one that implies the others."""
    found = dict[frozenset[tuple[Symbol, int]], AccessGoal]()
    for goal in goals:
        key = frozenset(goal.form.terms)
        if key not in found or found[key].form.constant < goal.form.constant:
            found[key] = goal
    return list(found.values())


def _is_never(form: LinearForm, block: Block, forms: LinearForms) -> bool:
    """Whether a form is known to be positive."""
    return forms.is_never_positive(form.times(-1).shifted(1), block)


def _without_implied(
    goals: Sequence[AccessGoal], assumed: Sequence[AccessGoal], block: Block, forms: LinearForms
) -> list[AccessGoal]:
    known = [goal.form for goal in assumed]
    return [
        goal
        for goal in goals
        if not forms.is_never_positive(goal.form, goal.access.parent or block, known)
    ]


def with_decisions(tests: Sequence[Goal], block: Block, forms: LinearForms) -> Sequence[Goal]:
    """The tests, and those more comparisons of the block each of which decides several others."""
    found = [condition for op in block.ops if (condition := condition_of(op))]
    while len(tests) < MAX_TESTS and (more := _decision(tests, found, block, forms)) is not None:
        tests = [*tests, more]
    return tests


def _decision(
    tests: Sequence[Goal], found: Sequence[arith.CmpiOp], block: Block, forms: LinearForms
) -> Goal | None:
    """The comparison that decides most of those that are open; None if that is itself alone."""
    known = [test.form for test in tests]
    open_ones = [each for each in found if decide(each, block, forms, known) is None]
    if len(open_ones) > MAX_GOALS:
        return None
    best, most = None, 1
    for test in _possible(open_ones, block, forms, known):
        more = [*known, test.form]
        decided = sum(decide(each, block, forms, more) is not None for each in open_ones)
        if decided > most:
            best, most = test, decided
    return best


def _possible(
    comparisons: Sequence[arith.CmpiOp],
    block: Block,
    forms: LinearForms,
    known: Sequence[LinearForm],
) -> Iterator[_Decision]:
    """
    What may be tested of some comparisons, or of their opposites. One that takes two tests, as an
    equality, holds in no interior.
    """
    for op in comparisons:
        for each in (Comparison.of(op), Comparison.of(op).negated):
            needed = required(each, block, forms, known)
            open_forms = [f for f in needed if not forms.is_never_positive(f, block, known)]
            if len(open_forms) != 1 or each.predicate == "eq":
                continue
            (form,) = open_forms
            if _agrees(form, known) and not _is_never(form, block, forms):
                yield _Decision(form, each)


def _agrees(form: LinearForm, others: Sequence[LinearForm]) -> bool:
    """Whether it fails in the same direction: at the end where others do, not at the start."""
    return all(
        factor * form.factors.get(symbol, 0) >= 0
        for other in others
        for symbol, factor in other.terms
    )
