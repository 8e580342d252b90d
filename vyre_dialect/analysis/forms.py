"""
Forms: sums of multiples of symbols, what ops on them give, and inequalities between them.

An inequality `form <= 0` is proven from the ranges of the symbols and from known inequalities,
which are subtracted so as to eliminate symbols one by one (Fourier and Motzkin's step, for one
goal).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.forward_analysis import ForwardAnalysis, Rule
from vyre_dialect.analysis.guards import Comparison
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ir.constants import integer_of

MAX_DEPTH = 6
"""Inequalities that one proof may combine."""
MAX_STEPS = 300
"""Combinations that one proof may try."""
_UNBOUNDED = 2**40
"""From here on, a range is no help in a proof."""


@dataclass(frozen=True)
class Symbol:
    """An integer that forms are made of; equal keys stand for equal numbers."""

    key: Hashable
    bounds: Range = field(compare=False)
    facts: list[Form] = field(default_factory=lambda: list[Form](), compare=False, repr=False)
    """What the meaning of the symbol says: forms, with the symbol, that are at most 0."""

    @cached_property
    def form(self) -> Form:
        """The symbol once."""
        return Form(((self, 1),), 0)


@dataclass(frozen=True)
class Form:
    """`sum(coefficient * symbol) + constant`."""

    terms: tuple[tuple[Symbol, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(terms: dict[Symbol, int], constant: int) -> Form:
        """The form with these terms, those of factor 0 left out."""
        kept = ((symbol, factor) for symbol, factor in terms.items() if factor)
        return Form(tuple(kept), constant)

    @cached_property
    def factors(self) -> dict[Symbol, int]:
        """The factor of each symbol."""
        return dict(self.terms)

    def plus(self, other: Form, times: int = 1) -> Form:
        """The sum with `times` the other form."""
        factors = dict(self.factors)
        for symbol, factor in other.terms:
            factors[symbol] = factors.get(symbol, 0) + times * factor
        return Form.of(factors, self.constant + times * other.constant)

    def times(self, factor: int) -> Form:
        """The product with a number."""
        return Form().plus(self, factor)

    def shifted(self, constant: int) -> Form:
        """The sum with a number."""
        return Form(self.terms, self.constant + constant)

    def tightened(self) -> Form:
        """The inequality `self <= 0` with the common divisor of its factors taken out."""
        divisor = gcd(*(factor for _, factor in self.terms))
        if divisor <= 1:
            return self
        terms = tuple((symbol, factor // divisor) for symbol, factor in self.terms)
        return Form(terms, -(-self.constant // divisor))

    @property
    def highest(self) -> int:
        """The largest number that it can be."""
        return self.constant + sum(_highest(symbol, factor) for symbol, factor in self.terms)


def _highest(symbol: Symbol, factor: int) -> int:
    return factor * (symbol.bounds.high if factor > 0 else symbol.bounds.low)


def is_never_positive(goal: Form, facts: Iterable[Form]) -> bool:
    """Whether `goal <= 0` follows from the `facts`, each of which is known to be at most 0."""
    return _Proof([fact.tightened() for fact in facts]).follows(goal.tightened(), MAX_DEPTH)


@dataclass
class _Proof:
    """One search for a combination of facts that proves a goal."""

    facts: list[Form]
    steps_left: int = MAX_STEPS

    def follows(self, goal: Form, depth: int) -> bool:
        """Whether `goal <= 0` follows from at most `depth` of the facts."""
        if goal.highest <= 0:
            return True
        self.steps_left -= 1
        if depth == 0 or self.steps_left < 0:
            return False
        return any(self.follows(rest, depth - 1) for rest in self._without_a_symbol(goal))

    def _without_a_symbol(self, goal: Form) -> Iterator[Form]:
        """Goals that imply this one, and in which a fact has taken out a symbol."""
        for symbol, factor in _to_eliminate(goal):
            for fact in self.facts:
                other = fact.factors.get(symbol, 0)
                if other * factor > 0:
                    common = gcd(other, factor)
                    scaled = goal.times(abs(other) // common)
                    yield scaled.plus(fact, -(abs(factor) // common)).tightened()


def _to_eliminate(goal: Form) -> list[tuple[Symbol, int]]:
    """The symbol without a useful bound, or, when all have one, every symbol."""
    for symbol, factor in goal.terms:
        if abs(_highest(symbol, factor)) >= _UNBOUNDED:
            return [(symbol, factor)]
    return list(goal.terms)


def inequalities(
    guard: Comparison, left: Form, right: Form, is_non_negative: Callable[[SSAValue], bool]
) -> Iterator[Form]:
    """
    Forms that are all at most 0 exactly where a comparison of indices holds, whose sides have
    these forms; none for one of which forms cannot say that.
    """
    if not isinstance(guard.left.type, IndexType):
        return
    below, above = left.plus(right, -1), right.plus(left, -1)
    match guard.predicate:
        case "eq":
            yield from (below, above)
        case "slt":
            yield below.shifted(1)
        case "sle":
            yield below
        case "sgt":
            yield above.shifted(1)
        case "sge":
            yield above
        case "ult" | "ule" if is_non_negative(guard.right):
            yield below.shifted(1 if guard.predicate == "ult" else 0)
            yield left.times(-1)
        case "ugt" | "uge" if is_non_negative(guard.left):
            yield above.shifted(1 if guard.predicate == "ugt" else 0)
            yield right.times(-1)
        case _:
            return


# What ops on forms give.


def _product(left: Form, right: Form) -> Form | None:
    if not left.terms:
        return right.times(left.constant)
    return None if right.terms else left.times(right.constant)


def _shifted_left(left: Form, right: Form) -> Form | None:
    is_known = not right.terms and 0 <= right.constant < 64
    return left.times(2**right.constant) if is_known else None


SUMS_AND_PRODUCTS: dict[type[Operation], Callable[[Form, Form], Form | None]] = {
    arith.AddiOp: lambda left, right: left.plus(right),
    arith.SubiOp: lambda left, right: left.plus(right, -1),
    arith.MuliOp: _product,
    arith.ShLIOp: _shifted_left,
}
"""The forms of what ops compute, where that does not wrap around; None for what is no form."""


class Sums(ForwardAnalysis[SSAValue, Form]):
    """
    Values as sums of multiples of values, which are the keys of symbols; whoever makes one says
    which sums and products to take apart.
    """

    start = Form()

    @abstractmethod
    def is_taken_apart(self, op: Operation) -> bool:
        """Whether the result of a sum or product is what forms say, whatever the operands are."""
        raise NotImplementedError

    @abstractmethod
    def symbol(self, value: SSAValue) -> Symbol:
        """What stands for a value that is not taken apart."""
        raise NotImplementedError

    def normal(self, form: Form, value: SSAValue) -> Form | None:
        """The form of `value` as it is kept; None where that is no help."""
        return form

    def rule(self, node: SSAValue) -> Rule[SSAValue, Form]:
        """The sum that an op computes; a symbol for all else."""
        if (number := integer_of(node)) is not None:
            return Rule((), lambda _: self._kept(Form((), number), node))
        op = node.owner
        combine = SUMS_AND_PRODUCTS.get(type(op)) if isinstance(op, Operation) else None
        if combine is None or not isinstance(op, Operation) or not self.is_taken_apart(op):
            return Rule((), lambda _: self.symbol(node).form)
        return Rule(op.operands, lambda forms: self._kept(combine(*forms), node))

    def _kept(self, form: Form | None, value: SSAValue) -> Form:
        kept = None if form is None else self.normal(form, value)
        return self.symbol(value).form if kept is None else kept
