"""
How ranges follow through ops: from those of the operands to that of the exact result.

Results are not wrapped around. Where an op is not a function of the numbers in the ranges, or
has no result for some of them, its result is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import product
from typing import TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from vyre_dialect.analysis.value_ranges import (
    MAX_COUNT,
    UNKNOWN,
    Range,
    RangeTransfer,
    bit_width,
    full_range,
    signed_numbers,
)
from vyre_dialect.ir.interfaces import HasInvocationsInterface, arm_of
from vyre_dialect.ir.types import Axis, BufferType, lane_count, scalar_type, three_axes_of
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.invocation import (
    InvocationIdOp,
    LocalIdOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.lanes import Conversion, ConvertLanesOp, LookUpLanesOp
from vyre_dialect.ops.program import RegionOp

_Binary: TypeAlias = Callable[[Range, Range], Range]


# Constants, sizes and ids.


def constant(op: arith.ConstantOp, _: Sequence[Range]) -> Range:
    """One number, or those of the lanes."""
    full, numbers = full_range(op.result.type), _numbers_of(op.value)
    if full.is_non_negative:
        numbers = [number & full.high for number in numbers]
    return Range(min(numbers), max(numbers)) if numbers else UNKNOWN


def _numbers_of(value: Attribute) -> Sequence[int]:
    match value:
        case IntegerAttr():
            return [value.value.data]
        case DenseIntOrFPElementsAttr():
            return [number for number in value.get_values() if isinstance(number, int)]
        case _:
            return ()


def length(op: BufLenOp, _: Sequence[Range]) -> Range:
    """What the type says, or anything that memory can hold."""
    assert isinstance(op.buffer.type, BufferType)
    count = op.buffer.type.static_count
    return Range(0, MAX_COUNT) if count is None else Range(count, count)


def invocation_id(op: InvocationIdOp, _: Sequence[Range]) -> Range:
    """Positions in the domain."""
    count, _size = _extent(op, op.axis.data)
    return Range(0, count - 1)


def workgroup_id(op: WorkgroupIdOp, _: Sequence[Range]) -> Range:
    """Positions of workgroups."""
    count, size = _extent(op, op.axis.data)
    return Range(0, -(-count // size) - 1)


def local_id(op: LocalIdOp, _: Sequence[Range]) -> Range:
    """Positions in a workgroup."""
    return Range(0, _extent(op, op.axis.data)[1] - 1)


def subgroup(_op: Operation, _: Sequence[Range]) -> Range:
    """Positions in a subgroup, or of subgroups."""
    return Range(0, MAX_COUNT - 1)


def _extent(op: Operation, axis: Axis) -> tuple[int, int]:
    """The most invocations that there are along an axis, and those of a workgroup."""
    match arm_of(op):
        case None:
            return MAX_COUNT, MAX_COUNT
        case RegionOp() as arm:
            count = three_axes_of(arm.domain)[axis_number(axis)]
            return count if isinstance(count, int) else MAX_COUNT, _size(arm, axis)
        case arm:
            return MAX_COUNT, _size(arm, axis)


def _size(arm: HasInvocationsInterface, axis: Axis) -> int:
    return arm.workgroup[axis_number(axis)]


def axis_number(axis: Axis) -> int:
    """The place of an axis among those of a domain."""
    return list(Axis).index(axis)


def bit_count(op: Operation, _: Sequence[Range]) -> Range:
    """As many as there are bits, at most."""
    return Range(0, bit_width(op.results[0].type))


# Selection and conversion.


def select(_op: arith.SelectOp, operands: Sequence[Range]) -> Range:
    """What either value may be."""
    _, true, false = operands
    return true.join(false)


def index_cast(op: arith.IndexCastOp, operands: Sequence[Range]) -> Range:
    """The same number, read as a signed one where an index is made of it."""
    (source,), type = operands, scalar_type(op.input.type)
    return _signed(source, type) if isinstance(type, IntegerType) else source


def same_number(_op: Operation, operands: Sequence[Range]) -> Range:
    """The number as it is, which the width of the result may cut."""
    return operands[0]


def extsi(op: arith.ExtSIOp, operands: Sequence[Range]) -> Range:
    """The number read as a signed one."""
    return _signed(operands[0], scalar_type(op.input.type))


def _signed(unsigned: Range, type: object) -> Range:
    """The numbers of an integer type read as signed ones."""
    assert isinstance(type, IntegerType)
    numbers = signed_numbers(type.width.data)
    return unsigned if unsigned.high <= numbers.high else numbers


# Lanes.


def insert(_op: vector.InsertOp, operands: Sequence[Range]) -> Range:
    """The lanes as they were, and the one that is new."""
    source, into, *_ = operands
    return source.join(into)


def shuffle(_op: vector.ShuffleOp, operands: Sequence[Range]) -> Range:
    """The lanes of both vectors."""
    first, second = operands
    return first.join(second)


def look_up_lanes(_op: LookUpLanesOp, operands: Sequence[Range]) -> Range:
    """Lanes of the table, whatever the positions are."""
    table, _positions = operands
    return table


def reduction(op: vector.ReductionOp, operands: Sequence[Range]) -> Range:
    """What the lanes come to, and what they are added to."""
    combine = _REDUCTIONS.get(op.kind.data)
    if combine is None or not isinstance(op.dest.type, IntegerType | IndexType):
        return UNKNOWN
    lanes, *start = operands
    if op.kind.data in _SIGNED_KINDS and not all(_is_same_signed(op, each) for each in operands):
        return UNKNOWN
    total = reduce(combine, [lanes] * lane_count(op.vector.type))
    return combine(total, start[0]) if start else total


def _is_same_signed(op: vector.ReductionOp, lanes: Range) -> bool:
    """Whether numbers are the same read as signed ones."""
    full = full_range(op.dest.type)
    return isinstance(op.dest.type, IndexType) or lanes.high <= full.high // 2


def convert_lanes(op: ConvertLanesOp, operands: Sequence[Range]) -> Range:
    """The number of each lane, read as a signed one where its sign is extended; of floats, any."""
    conversion = op.conversion.data
    if conversion.is_of_floats or conversion.makes_floats:
        return full_range(op.result.type)
    if conversion != Conversion.EXTSI:
        return operands[0]
    return _signed(operands[0], scalar_type(op.input.type))


# Arithmetic.


def _by(function: _Binary) -> RangeTransfer:
    """A transfer that asks nothing of the op but the ranges of its two operands."""
    return lambda _, operands: function(operands[0], operands[1])


def _of_signed(function: _Binary) -> RangeTransfer:
    """
    The same for an op that reads its operands as signed numbers, as an index is; of other integers
    it is known where none of the results is negative.
    """

    def transfer(op: Operation, operands: Sequence[Range]) -> Range:
        type = op.results[0].type
        if isinstance(type, IndexType):
            return function(*operands)
        if not isinstance(type, IntegerType):
            return UNKNOWN
        result = function(*(_signed(each, type) for each in operands))
        return result if result.is_non_negative else UNKNOWN

    return transfer


def _shift(function: _Binary, only: Callable[[_Binary], RangeTransfer] = _by) -> RangeTransfer:
    """A shift, which is unknown by the width or more: OpenCL C takes such amounts modulo it."""
    inner = only(function)

    def transfer(op: Operation, operands: Sequence[Range]) -> Range:
        defined = operands[1].within(Range(0, bit_width(op.results[0].type) - 1))
        return inner(op, operands) if defined else UNKNOWN

    return transfer


def at_corners(function: Callable[..., int], *operands: Range) -> Range:
    """The range of a function that is monotonic in each operand, whose ends have its extrema."""
    values = [function(*ends) for ends in product(*((each.low, each.high) for each in operands))]
    return Range(min(values), max(values))


def _corners(function: Callable[[int, int], int]) -> _Binary:
    return lambda left, right: at_corners(function, left, right)


def _non_negative(function: _Binary) -> _Binary:
    """Where reading the left operand as an unsigned number makes no difference."""
    return lambda left, right: function(left, right) if left.is_non_negative else UNKNOWN


def _both_non_negative(function: _Binary) -> _Binary:
    """Where reading the operands as unsigned numbers makes no difference."""
    checked = _non_negative(function)
    return lambda left, right: checked(left, right) if right.is_non_negative else UNKNOWN


def _by_positive(function: _Binary) -> _Binary:
    """Of a divisor that is known not to be negative; what is divided by zero is 0."""

    def transfer(left: Range, right: Range) -> Range:
        if right.low < 0:
            return UNKNOWN
        if right.low > 0:
            return function(left, right)
        return function(left, Range(1, max(right.high, 1))).join(Range(0, 0))

    return transfer


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(left: Range, right: Range) -> Range:
    largest = min(right.high - 1, max(abs(left.low), abs(left.high)))
    return Range(0 if left.is_non_negative else -largest, largest)


def _unsigned_remainder(left: Range, right: Range) -> Range:
    high = right.high - 1
    return Range(0, min(high, left.high) if left.is_non_negative else high)


def _and(left: Range, right: Range) -> Range:
    if left.is_non_negative and right.is_non_negative:
        return Range(0, min(left.high, right.high))
    for one in (left, right):
        if one.is_non_negative:
            return Range(0, one.high)
    return UNKNOWN


def _or(left: Range, right: Range) -> Range:
    bits = max(left.high.bit_length(), right.high.bit_length())
    return Range(0, 2**bits - 1)


def _sum(left: Range, right: Range) -> Range:
    return Range(left.low + right.low, left.high + right.high)


def _minimum(left: Range, right: Range) -> Range:
    return Range(min(left.low, right.low), min(left.high, right.high))


def _maximum(left: Range, right: Range) -> Range:
    return Range(max(left.low, right.low), max(left.high, right.high))


_FLOOR = _by_positive(_corners(lambda a, b: a // b))
_CEILING = _by_positive(_corners(lambda a, b: -(-a // b)))
_SHIFT_RIGHT = _corners(lambda a, b: a >> b)

_PRODUCT = _corners(lambda a, b: a * b)
_BITS = _both_non_negative(_or)
_LEAST = _both_non_negative(_minimum)
_MOST = _both_non_negative(_maximum)

_REDUCTIONS: Mapping[str, _Binary] = {
    "add": _sum,
    "mul": _PRODUCT,
    "and": _and,
    **dict.fromkeys(("or", "xor"), _BITS),
    "minui": _LEAST,
    "maxui": _MOST,
    "minsi": _minimum,
    "maxsi": _maximum,
}
_SIGNED_KINDS = ("minsi", "maxsi")

# The same for an index, which is signed, and other integers, which are not.
addi = _by(_sum)
subi = _by(lambda a, b: Range(a.low - b.high, a.high - b.low))
muli = _by(_PRODUCT)
andi = _by(_and)
ori = _by(_BITS)
shli = _shift(_corners(lambda a, b: a << b))
shrui = _shift(_non_negative(_SHIFT_RIGHT))
divui = _by(_non_negative(_FLOOR))
ceildivui = _by(_non_negative(_CEILING))
remui = _by(_by_positive(_unsigned_remainder))
minui = _by(_LEAST)
maxui = _by(_MOST)

# Of signed numbers.
divsi = _of_signed(_by_positive(_corners(_truncated)))
floordivsi = _of_signed(_FLOOR)
ceildivsi = _of_signed(_CEILING)
remsi = _of_signed(_by_positive(_remainder))
shrsi = _shift(_SHIFT_RIGHT, _of_signed)
minsi = _of_signed(_minimum)
maxsi = _of_signed(_maximum)
