"""
Forms: sums of multiples of symbols, what ops on them give, and inequalities between them.

An inequality `form <= 0` is proven from the ranges of the symbols and from known inequalities,
which are subtracted so as to eliminate symbols one by one (Fourier and Motzkin's step, for one
goal).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd
from typing import Any, TypeAlias

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.forward_analysis import ForwardAnalysis, Rule
from vyre_dialect.analysis.guards import Comparison
from vyre_dialect.analysis.value_ranges import RANGE, Range, bit_width, full_range
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.meaning import Facet

MAX_DEPTH = 6
"""Inequalities that one proof may combine."""
MAX_STEPS = 300
"""Combinations that one proof may try."""
MAX_CASES = 16
"""Forms one of which a symbol is known to be equal to, at most."""
MAX_SPLITS = 2
"""Symbols whose cases are told apart, one inside of another."""
_UNBOUNDED = 2**40
"""From here on, a range is no help in a proof."""


@dataclass(frozen=True)
class Symbol:
    """An integer that forms are made of; equal keys stand for equal numbers."""

    key: Hashable
    bounds: Range = field(compare=False)
    facts: list[LinearForm] = field(
        default_factory=lambda: list[LinearForm](), compare=False, repr=False
    )
    """What the meaning of the symbol says: forms, with the symbol, that are at most 0."""
    cases: list[LinearForm] = field(
        default_factory=lambda: list[LinearForm](), compare=False, repr=False
    )
    """Forms one of which the symbol is equal to, up to `MAX_CASES`; none where none are known."""
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.key))

    def __hash__(self) -> int:
        return self._hash  # proofs look symbols up all the time, and keys may be deep

    @cached_property
    def form(self) -> LinearForm:
        """The symbol once."""
        return LinearForm(((self, 1),), 0)


@dataclass(frozen=True)
class LinearForm:
    """`sum(coefficient * symbol) + constant`."""

    terms: tuple[tuple[Symbol, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(terms: dict[Symbol, int], constant: int) -> LinearForm:
        """The form with these terms, those of factor 0 left out."""
        kept = ((symbol, factor) for symbol, factor in terms.items() if factor)
        return LinearForm(tuple(kept), constant)

    @cached_property
    def factors(self) -> dict[Symbol, int]:
        """The factor of each symbol."""
        return dict(self.terms)

    def plus(self, other: LinearForm, times: int = 1) -> LinearForm:
        """The sum with `times` the other form; terms of factor 0 are left out."""
        factors = dict(self.terms)
        for symbol, factor in other.terms:
            if total := factors.get(symbol, 0) + times * factor:
                factors[symbol] = total
            else:
                factors.pop(symbol, None)
        return LinearForm(tuple(factors.items()), self.constant + times * other.constant)

    def times(self, factor: int) -> LinearForm:
        """The product with a number."""
        if factor == 1:
            return self
        terms = tuple((symbol, factor * each) for symbol, each in self.terms) if factor else ()
        return LinearForm(terms, factor * self.constant)

    def shifted(self, constant: int) -> LinearForm:
        """The sum with a number."""
        return LinearForm(self.terms, self.constant + constant)

    def tightened(self) -> LinearForm:
        """The inequality `self <= 0` with the common divisor of its factors taken out."""
        divisor = gcd(*(factor for _, factor in self.terms))
        if divisor <= 1:
            return self
        terms = tuple((symbol, factor // divisor) for symbol, factor in self.terms)
        return LinearForm(terms, -(-self.constant // divisor))

    @property
    def highest(self) -> int:
        """The largest number that it can be."""
        return self.constant + sum(_highest(symbol, factor) for symbol, factor in self.terms)


def _highest(symbol: Symbol, factor: int) -> int:
    return factor * (symbol.bounds.high if factor > 0 else symbol.bounds.low)


def is_never_positive(goal: LinearForm, facts: Iterable[LinearForm]) -> bool:
    """Whether `goal <= 0` follows from the `facts`, each of which is known to be at most 0."""
    return _follows(goal.tightened(), [fact.tightened() for fact in facts], MAX_SPLITS)


def _follows(goal: LinearForm, facts: list[LinearForm], splits: int) -> bool:
    """Whether a goal follows from facts, if need be in each of the cases of a symbol by itself."""
    if _Proof(facts).follows(goal, MAX_DEPTH):
        return True
    symbol = next((symbol for symbol, factor in goal.terms if _is_split(symbol, factor)), None)
    if symbol is None or not splits:
        return False
    factor = goal.factors[symbol]
    in_cases = (goal.plus(case.plus(symbol.form, -1), factor) for case in symbol.cases)
    return all(_follows(each.tightened(), facts, splits - 1) for each in in_cases)


def _is_split(symbol: Symbol, factor: int) -> bool:
    """Whether the cases of a symbol say what none of its facts says: where it is on which side."""
    is_bounded = any(fact.factors.get(symbol, 0) * factor > 0 for fact in symbol.facts)
    return bool(symbol.cases) and not is_bounded


class _Proof:
    """One search for a combination of facts that proves a goal."""

    def __init__(self, facts: Sequence[LinearForm]):
        self.steps_left = MAX_STEPS
        self._facts = defaultdict[Symbol, list[tuple[LinearForm, int]]](list)
        """Those that each symbol is in, with its factor."""
        self._tried = dict[Hashable, int]()
        """Goals that were reached, by whatever facts in whatever order, and how many were left."""
        for fact in facts:
            for symbol, factor in fact.terms:
                self._facts[symbol].append((fact, factor))

    def follows(self, goal: LinearForm, depth: int) -> bool:
        """Whether `goal <= 0` follows from at most `depth` of the facts."""
        if goal.highest <= 0:
            return True
        key = frozenset(goal.terms), goal.constant
        if depth == 0 or self.steps_left <= 0 or self._tried.get(key, 0) >= depth:
            return False
        self.steps_left -= 1
        self._tried[key] = depth
        return any(self.follows(rest, depth - 1) for rest in self._without_a_symbol(goal))

    def _without_a_symbol(self, goal: LinearForm) -> Iterator[LinearForm]:
        """Goals that imply this one, and in which a fact has taken out a symbol."""
        for symbol, factor in _to_eliminate(goal):
            for fact, other in self._facts.get(symbol, ()):
                if other * factor > 0:
                    common = gcd(other, factor)
                    times = abs(other) // common
                    rest = goal.times(times).plus(fact, -(abs(factor) // common))
                    # A whole number is at most 0 if so many times it is less than so many.
                    yield rest.shifted(1 - times).tightened()


def _to_eliminate(goal: LinearForm) -> list[tuple[Symbol, int]]:
    """The symbol without a useful bound, or, when all have one, every symbol."""
    for symbol, factor in goal.terms:
        if abs(_highest(symbol, factor)) >= _UNBOUNDED:
            return [(symbol, factor)]
    return list(goal.terms)


def inequalities(
    guard: Comparison,
    left: LinearForm,
    right: LinearForm,
    is_non_negative: Callable[[SSAValue], bool],
) -> Iterator[LinearForm]:
    """
    Forms that are all at most 0 exactly where a comparison of indices holds, whose sides have
    these forms; none for one of which forms cannot say that.
    """
    if not isinstance(guard.left.type, IndexType):
        return
    match guard.predicate:
        case "ult" | "ule" if is_non_negative(guard.right):
            is_in_order = [left.times(-1)]
        case "ugt" | "uge" if is_non_negative(guard.left):
            is_in_order = [right.times(-1)]
        case "ult" | "ule" | "ugt" | "uge":
            return
        case _:
            is_in_order = []
    yield from (*ordered(guard.predicate, left, right), *is_in_order)


def ordered(predicate: str, left: LinearForm, right: LinearForm) -> Sequence[LinearForm]:
    """
    Forms that are all at most 0 exactly where a comparison holds of numbers that it reads as the
    forms do, signed or unsigned; none for `ne`.
    """
    below, above = left.plus(right, -1), right.plus(left, -1)
    match predicate[-2:]:
        case "eq":
            return below, above
        case "lt":
            return (below.shifted(1),)
        case "le":
            return (below,)
        case "gt":
            return (above.shifted(1),)
        case "ge":
            return (above,)
        case _:
            return ()


# What ops on forms give.


@dataclass(frozen=True)
class Operands:
    """
    The forms of the operands of an op. By itself, of numbers modulo two to the power of the width
    of the result, of whose size nothing is known.
    """

    forms: Sequence[LinearForm]

    def constant(self, place: int) -> int | None:
        """The operand at `place`, where that is a known number."""
        form = self.forms[place]
        return None if form.terms else form.constant

    def may_wrap(self, op: Operation) -> bool:
        """Whether the result of `op` may be another number than the exact one."""
        return False

    def is_kept(self, op: Operation) -> bool:
        """Whether `op`, which converts its operand, gives the same number."""
        return bit_width(op.operands[0].type) >= bit_width(op.results[0].type)

    def is_non_negative(self, place: int) -> bool:
        """Whether the operand at `place` is known not to be negative."""
        return False

    def symbol(self) -> Symbol | None:
        """What stands for the result, where facts about its size may be added."""
        return None


@dataclass(frozen=True)
class ExactOperands(Operands):
    """Of the numbers themselves, with their ranges."""

    ranges: Callable[[], Sequence[Range]]
    result: Callable[[], Symbol]

    def may_wrap(self, op: Operation) -> bool:
        exact = self._exact_range(op)
        return exact is None or not exact.within(full_range(op.results[0].type))

    def is_kept(self, op: Operation) -> bool:
        return not self.may_wrap(op) and self._exact_range(op) == self.ranges()[0]

    def _exact_range(self, op: Operation) -> Range | None:
        transfer = RANGE.of(type(op))
        return None if transfer is None else transfer(op, self.ranges())

    def is_non_negative(self, place: int) -> bool:
        return self.ranges()[place].is_non_negative

    def symbol(self) -> Symbol:
        return self.result()


FormTransfer: TypeAlias = Callable[[Any, Operands], LinearForm | None]
"""From an op of one result and its operands to the form of that; None where it has none."""
LINEAR = Facet[FormTransfer]("linear", "vyre_dialect.analysis.by_definition:linear")
"""The results of ops as forms; those of an op that does not say it are symbols."""


class Sums(ForwardAnalysis[SSAValue, LinearForm]):
    """
    Values as sums of multiples of values, which are the keys of symbols; whoever makes one says
    which sums and products to take apart.
    """

    start = LinearForm()

    @abstractmethod
    def is_taken_apart(self, op: Operation) -> bool:
        """Whether the result of a sum or product is what forms say, whatever the operands are."""
        raise NotImplementedError

    @abstractmethod
    def symbol(self, value: SSAValue) -> Symbol:
        """What stands for a value that is not taken apart."""
        raise NotImplementedError

    def normal(self, form: LinearForm, value: SSAValue) -> LinearForm | None:
        """The form of `value` as it is kept; None where that is no help."""
        return form

    def rule(self, node: SSAValue) -> Rule[SSAValue, LinearForm]:
        """The sum that an op computes; a symbol for all else."""
        if (number := integer_of(node)) is not None:
            return Rule((), lambda _: self._kept(LinearForm((), number), node))
        op = node.owner
        if not isinstance(op, Operation) or not self.is_sum(op):
            return Rule((), lambda _: self.symbol(node).form)
        transfer = LINEAR.of(type(op))
        assert transfer is not None
        return Rule(op.operands, lambda forms: self._kept(transfer(op, Operands(forms)), node))

    def is_sum(self, op: Operation) -> bool:
        """Whether an op is one of numbers of one type that is to be taken apart."""
        if not LINEAR.is_stated(type(op)):
            return False
        (result,) = op.results
        return all(each.type == result.type for each in op.operands) and self.is_taken_apart(op)

    def _kept(self, form: LinearForm | None, value: SSAValue) -> LinearForm:
        kept = None if form is None else self.normal(form, value)
        return self.symbol(value).form if kept is None else kept
