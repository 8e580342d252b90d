"""
Indices as sums of multiples of symbols, and inequalities between such sums.

A form is exact: an op whose result might wrap around is a symbol of its own. An inequality
`form <= 0` is proven from the ranges of the symbols and from known inequalities, which are
subtracted so as to eliminate symbols one by one (Fourier and Motzkin's step, for one goal).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from vyre_dialect.ops.invocation import InvocationIdOp, LocalIdOp, WorkgroupIdOp
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp, KernelOp, LaunchOp, measured_buffer
from vyre_dialect.ops.program import BufferOp, BufLenOp
from vyre_dialect.passes.analysis.guards import Comparison, guards_of
from vyre_dialect.passes.analysis.value_ranges import MAX_COUNT, Range, ValueRanges
from vyre_dialect.types import Axis, BufferType

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


@dataclass(frozen=True)
class Form:
    """`sum(coefficient * symbol) + constant`"""

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


@dataclass
class LinearForms:
    """The forms of values, as seen from one block, and what is known about their symbols."""

    kernel: KernelOp
    launch: LaunchOp | None
    """The only launch of the kernel: from it follow the number of workgroups and how the host
    has computed the sizes of buffers. Of sizes that are passed nothing is assumed."""
    block: Block
    ranges: ValueRanges
    _forms: dict[SSAValue, Form] = field(default_factory=dict[SSAValue, Form])
    _facts: list[Form] = field(default_factory=list[Form])
    """What the meaning of the symbols says: forms that are at most 0."""

    def facts(self) -> list[Form]:
        """Forms that are at most 0 wherever the block runs."""
        implied = [form for guard in guards_of(self.block) for form in self._implied(guard)]
        return [*implied, *self._facts]

    def _implied(self, guard: Comparison) -> Iterator[Form]:
        if not isinstance(guard.left.type, IndexType):
            return
        left, right = self.of(guard.left), self.of(guard.right)
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
            case "ult" | "ule" if self._range(guard.right).is_non_negative:
                yield below.shifted(1 if guard.predicate == "ult" else 0)
                yield left.times(-1)
            case "ugt" | "uge" if self._range(guard.left).is_non_negative:
                yield above.shifted(1 if guard.predicate == "ugt" else 0)
                yield right.times(-1)
            case _:
                return

    def _range(self, value: SSAValue) -> Range:
        return self.ranges.range_at(value, self.block)

    def of(self, value: SSAValue) -> Form:
        """The form of an index."""
        if value not in self._forms:
            self._forms[value] = self._compute(value)
        return self._forms[value]

    def length(self, buffer: SSAValue) -> Form:
        """The form of a buffer's element count."""
        assert isinstance(buffer.type, BufferType)
        if (count := buffer.type.static_count) is not None:
            return Form((), count)
        buffer = self._of_program(buffer)
        if isinstance(buffer.owner, BufferOp) and buffer.owner.size is not None:
            return self.of(buffer.owner.size)
        return _symbol(("length", buffer), Range(0, MAX_COUNT))

    def _of_program(self, buffer: SSAValue) -> SSAValue:
        """The buffer that the launch passes for an argument of the kernel."""
        if self.launch is None or not isinstance(buffer, BlockArgument):
            return buffer
        return self.launch.arguments[buffer.index]

    def _compute(self, value: SSAValue) -> Form:
        if (buffer := measured_buffer(value)) is not None:
            return self.length(buffer)
        if isinstance(value, BlockArgument):
            return self._counter(value)
        op = value.owner
        assert isinstance(op, Operation)
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
            return Form((), op.value.value.data)
        if isinstance(op, BufLenOp):
            return self.length(op.buffer)
        if isinstance(op, InvocationIdOp | WorkgroupIdOp | LocalIdOp):
            return self._id(op)
        if isinstance(value.type, IndexType) and (form := self._arithmetic(op)) is not None:
            return form
        return self._opaque(value)

    def _id(self, op: InvocationIdOp | WorkgroupIdOp | LocalIdOp) -> Form:
        axis = list(Axis).index(op.axis.data)
        size = self.kernel.workgroup[axis]
        if isinstance(op, LocalIdOp):
            return _symbol(("local", axis), Range(0, size - 1))
        if isinstance(op, WorkgroupIdOp):
            return self._workgroup(axis)
        return self._workgroup(axis).times(size).plus(_symbol(("local", axis), Range(0, size - 1)))

    def _workgroup(self, axis: int) -> Form:
        unknown = _symbol(("workgroup", axis), Range(0, MAX_COUNT - 1))
        if self.launch is None:
            return unknown
        count = [*self.launch.workgroups, 1, 1][axis]
        if isinstance(count, int):
            return _symbol(("workgroup", axis), Range(0, count - 1))
        workgroups = self.of(count)
        self._facts.append(unknown.plus(workgroups, -1).shifted(1))
        division = count.owner
        if isinstance(division, arith.CeilDivSIOp):
            divisor = self.of(division.rhs)
            if not divisor.terms and _is_whole(self.launch, division.lhs, divisor.constant):
                rest = workgroups.times(divisor.constant).plus(self.of(division.lhs), -1)
                self._facts.append(rest)
        return unknown

    def _opaque(self, value: SSAValue) -> Form:
        return _symbol(value, self._range(value))

    def _arithmetic(self, op: Operation) -> Form | None:
        match op:
            case arith.AddiOp() | arith.SubiOp() if not self._may_overflow(op):
                sign = 1 if isinstance(op, arith.AddiOp) else -1
                return self.of(op.lhs).plus(self.of(op.rhs), sign)
            case arith.MuliOp() if not self._may_overflow(op):
                return self._product(op)
            case arith.ShLIOp() if not self._may_overflow(op):
                amount = self.of(op.rhs)
                if amount.terms or not 0 <= amount.constant < 64:
                    return None
                return self.of(op.lhs).times(2**amount.constant)
            case arith.MinSIOp() | arith.MaxSIOp():
                return self._extremum(op)
            case _:
                return self._quotient_or_remainder(op)

    def _may_overflow(self, op: Operation) -> bool:
        if not self.ranges.may_overflow(op):
            return False
        exact = self.ranges.result_of(op, self.block) if self._is_around(op) else None
        return exact is None or not exact.within(Range(-(2**63), 2**63 - 1))

    def _is_around(self, op: Operation) -> bool:
        """Whether the block lies inside of the one that `op` stands in."""
        return op.parent is not None and op.parent.is_ancestor(self.block)

    def _product(self, op: arith.MuliOp) -> Form | None:
        left, right = self.of(op.lhs), self.of(op.rhs)
        if not left.terms:
            return right.times(left.constant)
        return None if right.terms else left.times(right.constant)

    def _extremum(self, op: arith.MinSIOp | arith.MaxSIOp) -> Form:
        form = self._opaque(op.result)
        sign = 1 if isinstance(op, arith.MinSIOp) else -1
        for operand in op.operands:
            self._facts.append(form.plus(self.of(operand), -1).times(sign))
        return form

    def _quotient_or_remainder(self, op: Operation) -> Form | None:
        """Of a number that is not negative by a positive constant."""
        if not isinstance(op, _BY_DIVISOR) or (divisor := self._divisor(op)) is None:
            return None
        dividend = op.operands[0]
        if not self._range(dividend).is_non_negative:
            return None
        form = self.of(dividend)
        if isinstance(op, _CEILING):
            return self._quotient(form.shifted(divisor - 1), divisor)
        quotient = self._quotient(form, divisor)
        return quotient if isinstance(op, _QUOTIENTS) else form.plus(quotient, -divisor)

    def _divisor(self, op: Operation) -> int | None:
        right = self.of(op.operands[1])
        if right.terms:
            return None
        number = right.constant
        if isinstance(op, arith.ShRSIOp | arith.ShRUIOp):
            return 2**number if 0 <= number < 63 else None
        if isinstance(op, arith.AndIOp):
            return number + 1 if number > 0 and number & (number + 1) == 0 else None
        return number if number > 0 else None

    def _quotient(self, dividend: Form, divisor: int) -> Form:
        if all(factor % divisor == 0 for _, factor in dividend.terms):
            terms = tuple((symbol, factor // divisor) for symbol, factor in dividend.terms)
            return Form(terms, dividend.constant // divisor)
        highest = min(dividend.highest // divisor, 2**63 - 1)
        key = ("quotient", frozenset(dividend.terms), dividend.constant, divisor)
        quotient = _symbol(key, Range(0, max(0, highest)))
        rest = dividend.plus(quotient, -divisor)
        self._facts += [rest.times(-1), rest.shifted(1 - divisor)]
        return quotient

    def _counter(self, argument: BlockArgument) -> Form:
        loop = argument.block.parent_op()
        if not isinstance(loop, scf.ForOp) or argument.index != 0:
            return self._opaque(argument)
        step = self.of(loop.step) if isinstance(argument.type, IndexType) else Form()
        if step.terms or step.constant < 1:
            return self._opaque(argument)
        low, high = self.of(loop.lb), self.of(loop.ub)
        iterations = _symbol(("iteration", argument), Range(0, 2**63 - 1))
        counter = low.plus(iterations, step.constant)
        if step.constant == 1 and not low.terms:
            counter = self._opaque(argument)
            self._facts.append(low.plus(counter, -1))
        self._facts.append(counter.plus(high, -1).shifted(1))
        return counter


def _symbol(key: Hashable, bounds: Range) -> Form:
    return Form(((Symbol(key, bounds), 1),), 0)


_QUOTIENTS = (arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp, arith.ShRSIOp, arith.ShRUIOp)
_CEILING = (arith.CeilDivSIOp, arith.CeilDivUIOp)
_REMAINDERS = (arith.RemSIOp, arith.RemUIOp)
_BY_DIVISOR = (*_QUOTIENTS, *_CEILING, *_REMAINDERS, arith.AndIOp)


def _is_whole(launch: LaunchOp, count: SSAValue, size: int) -> bool:
    """Whether the host has checked, before `launch`, that `count` is a multiple of `size`."""
    checks = (use.operation for use in count.uses)
    return any(
        isinstance(check, CheckWholeWorkgroupsOp)
        and check.workgroup_size.value.data == size
        and check.is_before_in_block(launch)
        for check in checks
    )
