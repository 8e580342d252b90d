"""
Ranges of integer values: the smallest and largest number that a value can be.

An index is read as a signed number, other integers as unsigned ones. Ranges come from constants,
sizes, ids, loop bounds and arithmetic, and inside `scf.if` from its condition. Source: Harrison,
"Compiler Analysis of the Value Ranges for Variables", without iteration around loops: what a
loop carries is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from vyre_dialect.ops.invocation import (
    InvocationIdOp,
    LocalIdOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.kernel import KernelOp, measured_buffer
from vyre_dialect.ops.program import BufLenOp, RegionOp
from vyre_dialect.passes.analysis.guards import Comparison, guards_of
from vyre_dialect.types import Axis, BufferType

MAX_COUNT = 2**48
"""More elements than any buffer has, and more invocations than any launch."""

_INDEX_MIN, _INDEX_MAX = -(2**63), 2**63 - 1
_Cast: TypeAlias = arith.IndexCastOp | arith.ExtUIOp | arith.TruncIOp
_MAX_DEPTH = 100
"""How far a range is followed through the ops that compute a value."""


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`, both included."""

    low: int
    high: int

    def join(self, other: Range) -> Range:
        """The smallest range that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Range) -> Range:
        """What both ranges hold; of disjoint ranges (code that never runs), the other."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else other

    def within(self, other: Range) -> bool:
        """Whether every value of this range lies in the other."""
        return other.low <= self.low and self.high <= other.high

    @property
    def is_non_negative(self) -> bool:
        """Whether no value is negative."""
        return self.low >= 0


def full_range(type: Attribute) -> Range:
    """Every number that a value of `type` can be; type is index or an integer."""
    if isinstance(type, IntegerType):
        return Range(0, 2**type.width.data - 1)
    return Range(_INDEX_MIN, _INDEX_MAX)


def bit_width(type: Attribute) -> int:
    """The bits of an integer, 64 of an index."""
    return type.width.data if isinstance(type, IntegerType) else 64


@dataclass
class ValueRanges:
    """The ranges of values, as seen from the block in which they are used."""

    _known: dict[tuple[SSAValue, Block | None], Range] = field(
        default_factory=dict[tuple[SSAValue, "Block | None"], Range]
    )
    _depth: int = 0

    def range_at(self, value: SSAValue, block: Block | None) -> Range:
        """The range of a scalar integer wherever `block` runs."""
        key = (value, block)
        if key not in self._known:
            if self._depth > _MAX_DEPTH:
                return full_range(value.type)
            self._depth += 1
            # What a cycle of the search comes back to is unknown there.
            self._known[key] = full_range(value.type)
            found = self._compute(value, block)
            for guard in guards_of(block):
                found = self._refine(found, value, guard)
            self._known[key] = found
            self._depth -= 1
        return self._known[key]

    def result_of(self, op: Operation, block: Block | None) -> Range | None:
        """
        The range of the exact result of index arithmetic, which may lie outside of what an
        index holds; None for other ops.
        """
        transfer = _transfer(op)
        if transfer is None:
            return None
        return self._apply(transfer, op, block)

    def may_overflow(self, op: Operation) -> bool:
        """Whether the exact result of index arithmetic may be none of the numbers of an index."""
        exact = self.result_of(op, op.parent)
        return exact is None or not exact.within(full_range(op.results[0].type))

    def _refine(self, known: Range, value: SSAValue, guard: Comparison) -> Range:
        if value not in (guard.left, guard.right) or not isinstance(value.type, IndexType):
            return known
        other = guard.right if value is guard.left else guard.left
        if other is value:
            return known
        # Without the guards around, which may say of `other` what they say because of `value`.
        bound = self.range_at(other, None)
        predicate = guard.predicate if value is guard.left else guard.mirrored
        return known.meet(_bounded(predicate, bound, known))

    def _compute(self, value: SSAValue, block: Block | None) -> Range:
        full = full_range(value.type)
        if isinstance(value, BlockArgument):
            return self._argument(value, block).meet(full)
        op = value.owner
        assert isinstance(op, Operation)
        if isinstance(op, arith.ConstantOp):
            return _constant(op, full)
        if (transfer := _transfer(op)) is not None:
            exact = self._apply(transfer, op, block)
            return exact if exact.within(full) else full
        if (sources := _alternatives(op, value)) is not None:
            return _join([self.range_at(source, block) for source in sources], full)
        if isinstance(op, _Cast):
            return self._cast(op, block, full)
        return _id_range(op) or full

    def _apply(self, transfer: Transfer, op: Operation, block: Block | None) -> Range:
        """The exact result, where shifts by the width or more are unknown."""
        left, right = (self.range_at(operand, block) for operand in op.operands)
        if isinstance(op, _SHIFTS) and not right.within(_shift_amounts(op.result.type)):
            return _UNKNOWN
        return transfer(left, right)

    def _cast(
        self,
        op: arith.IndexCastOp | arith.ExtUIOp | arith.TruncIOp,
        block: Block | None,
        full: Range,
    ) -> Range:
        source = self.range_at(op.input, block)
        if isinstance(op, arith.IndexCastOp) and isinstance(op.input.type, IntegerType):
            half = 2 ** (op.input.type.width.data - 1)
            source = source if source.high < half else Range(-half, half - 1)
        return source if source.within(full) else full

    def _argument(self, argument: BlockArgument, block: Block | None) -> Range:
        full = full_range(argument.type)
        if measured_buffer(argument) is not None:
            return Range(0, MAX_COUNT)
        loop = argument.block.parent_op()
        if not isinstance(loop, scf.ForOp) or argument.index != 0:
            return full
        if not isinstance(argument.type, IndexType) or self.range_at(loop.step, None).low < 1:
            return full
        low = self.range_at(loop.lb, loop.parent).low
        high = self.range_at(loop.ub, loop.parent).high - 1
        return Range(low, max(low, high))


def _constant(op: arith.ConstantOp, full: Range) -> Range:
    if not isinstance(op.value, IntegerAttr):
        return full
    number = op.value.value.data
    if full.low == 0:
        number &= full.high
    return Range(number, number)


def _alternatives(op: Operation, value: SSAValue) -> list[SSAValue] | None:
    """The values of which `value` is one, or None when that is not known."""
    if isinstance(op, arith.SelectOp):
        return [op.lhs, op.rhs]
    if isinstance(op, scf.IfOp):
        assert isinstance(value, OpResult)
        index = value.index
        blocks = [op.true_region.block, op.false_region.block]
        return [_yielded(block, index) for block in blocks]
    return None


def _yielded(block: Block, index: int) -> SSAValue:
    assert block.last_op is not None
    return block.last_op.operands[index]


def _join(ranges: list[Range], full: Range) -> Range:
    joined = ranges[0]
    for other in ranges[1:]:
        joined = joined.join(other)
    return joined.meet(full)


def _bounded(predicate: str, bound: Range, known: Range) -> Range:
    """What a signed or unsigned comparison with something in `bound` says about an index."""
    limits = {
        "eq": bound,
        "slt": Range(_INDEX_MIN, bound.high - 1),
        "sle": Range(_INDEX_MIN, bound.high),
        "sgt": Range(bound.low + 1, _INDEX_MAX),
        "sge": Range(bound.low, _INDEX_MAX),
    }
    if bound.is_non_negative:
        # A number that is unsigned below a non-negative one is not negative itself.
        limits["ult"] = Range(0, max(0, bound.high - 1))
        limits["ule"] = Range(0, bound.high)
    return limits.get(predicate, known)


def _id_range(op: Operation) -> Range | None:
    """The range of an id or of a buffer's length."""
    match op:
        case BufLenOp():
            assert isinstance(op.buffer.type, BufferType)
            count = op.buffer.type.static_count
            return Range(0, MAX_COUNT) if count is None else Range(count, count)
        case InvocationIdOp() | WorkgroupIdOp():
            return Range(0, MAX_COUNT - 1)
        case LocalIdOp():
            return Range(0, _workgroup_size(op, op.axis.data) - 1)
        case SubgroupLaneOp() | SubgroupIdOp():
            return Range(0, MAX_COUNT - 1)
        case _:
            return None


def _workgroup_size(op: Operation, axis: Axis) -> int:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, KernelOp | RegionOp):
        parent = parent.parent_op()
    if parent is None:
        return MAX_COUNT
    return parent.workgroup[list(Axis).index(axis)]


# Exact results of arithmetic, without wrapping around.

Transfer: TypeAlias = Callable[["Range", "Range"], "Range"]


def _corners(
    function: Callable[[int, int], int],
) -> Transfer:
    """The range of a function that is monotonic in each operand."""

    def transfer(left: Range, right: Range) -> Range:
        values = [function(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        return Range(min(values), max(values))

    return transfer


_UNKNOWN = Range(-(2**200), 2**200)


def _truncated_quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _divide(function: Callable[[int, int], int], *, signed: bool) -> Transfer:
    def transfer(left: Range, right: Range) -> Range:
        if right.low <= 0 or (not signed and left.low < 0):
            return _UNKNOWN
        return _corners(function)(left, right)

    return transfer


def _remainder(left: Range, right: Range) -> Range:
    if right.low <= 0:
        return _UNKNOWN
    largest = min(right.high - 1, max(abs(left.low), abs(left.high)))
    return Range(0 if left.is_non_negative else -largest, largest)


def _unsigned_remainder(left: Range, right: Range) -> Range:
    if right.low <= 0:
        return _UNKNOWN
    high = right.high - 1
    return Range(0, min(high, left.high) if left.is_non_negative else high)


def _and(left: Range, right: Range) -> Range:
    if left.is_non_negative and right.is_non_negative:
        return Range(0, min(left.high, right.high))
    for one in (left, right):
        if one.is_non_negative:
            return Range(0, one.high)
    return _UNKNOWN


def _or(left: Range, right: Range) -> Range:
    if not (left.is_non_negative and right.is_non_negative):
        return _UNKNOWN
    bits = max(left.high.bit_length(), right.high.bit_length())
    return Range(0, 2**bits - 1)


_SHIFTS = (arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)


def _shift_amounts(type: Attribute) -> Range:
    """The amounts by which a shift is defined: OpenCL C takes others modulo the width."""
    return Range(0, bit_width(type) - 1)


def _shift_right(*, signed: bool) -> Transfer:
    def transfer(left: Range, right: Range) -> Range:
        if not signed and left.low < 0:
            return _UNKNOWN
        return _corners(lambda a, b: a >> b)(left, right)

    return transfer


def _minimum(left: Range, right: Range) -> Range:
    return Range(min(left.low, right.low), min(left.high, right.high))


def _maximum(left: Range, right: Range) -> Range:
    return Range(max(left.low, right.low), max(left.high, right.high))


def _of_non_negative(transfer: Transfer) -> Transfer:
    """The same, where reading the operands as unsigned numbers makes no difference."""

    def checked(left: Range, right: Range) -> Range:
        known = left.is_non_negative and right.is_non_negative
        return transfer(left, right) if known else _UNKNOWN

    return checked


_EITHER: dict[type[Operation], Transfer] = {
    arith.AddiOp: lambda a, b: Range(a.low + b.low, a.high + b.high),
    arith.SubiOp: lambda a, b: Range(a.low - b.high, a.high - b.low),
    arith.MuliOp: _corners(lambda a, b: a * b),
    arith.AndIOp: _and,
    arith.OrIOp: _or,
    arith.XOrIOp: _or,
    arith.ShLIOp: _corners(lambda a, b: a << b),
    arith.ShRUIOp: _shift_right(signed=False),
    arith.DivUIOp: _divide(lambda a, b: a // b, signed=False),
    arith.CeilDivUIOp: _divide(lambda a, b: -(-a // b), signed=False),
    arith.RemUIOp: _unsigned_remainder,
    arith.MinUIOp: _of_non_negative(_minimum),
    arith.MaxUIOp: _of_non_negative(_maximum),
}
"""Ops that mean the same for an index, which is signed, and other integers, which are not."""

_SIGNED: dict[type[Operation], Transfer] = {
    arith.DivSIOp: _divide(_truncated_quotient, signed=True),
    arith.FloorDivSIOp: _divide(lambda a, b: a // b, signed=True),
    arith.CeilDivSIOp: _divide(lambda a, b: -(-a // b), signed=True),
    arith.RemSIOp: _remainder,
    arith.ShRSIOp: _shift_right(signed=True),
    arith.MinSIOp: _minimum,
    arith.MaxSIOp: _maximum,
}
"""Ops that read their operands as signed numbers."""


def _transfer(op: Operation) -> Transfer | None:
    """How the range of the exact result follows from those of the two operands."""
    if isinstance(op.results[0].type if op.results else None, IndexType):
        return _EITHER.get(type(op)) or _SIGNED.get(type(op))
    return _EITHER.get(type(op))
