"""
How ranges follow through ops: from those of the operands to that of the exact result.

Results are not wrapped around. Where an op is not a function of the numbers in the ranges, or
has no result for some of them, its result is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from vyre_dialect.analysis.interval_arithmetic import (
    Binary,
    bitwise_and,
    bitwise_or,
    by_positive,
    ceiling_quotient,
    difference,
    floor_quotient,
    maximum,
    minimum,
    of_operands,
    product,
    quotient,
    remainder,
    shift,
    shifted_left,
    shifted_right,
    total,
)
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


def _of_signed(function: Binary) -> RangeTransfer:
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


def _non_negative(function: Binary) -> Binary:
    """Where reading the left operand as an unsigned number makes no difference."""
    return lambda left, right: function(left, right) if left.is_non_negative else UNKNOWN


def _both_non_negative(function: Binary) -> Binary:
    """Where reading the operands as unsigned numbers makes no difference."""
    checked = _non_negative(function)
    return lambda left, right: checked(left, right) if right.is_non_negative else UNKNOWN


def _unsigned_remainder(left: Range, right: Range) -> Range:
    high = right.high - 1
    return Range(0, min(high, left.high) if left.is_non_negative else high)


_BITS = _both_non_negative(bitwise_or)
_LEAST = _both_non_negative(minimum)
_MOST = _both_non_negative(maximum)

_REDUCTIONS: Mapping[str, Binary] = {
    "add": total,
    "mul": product,
    "and": bitwise_and,
    **dict.fromkeys(("or", "xor"), _BITS),
    "minui": _LEAST,
    "maxui": _MOST,
    "minsi": minimum,
    "maxsi": maximum,
}
_SIGNED_KINDS = ("minsi", "maxsi")

# The same for an index, which is signed, and other integers, which are not.
addi = of_operands(total)
subi = of_operands(difference)
muli = of_operands(product)
andi = of_operands(bitwise_and)
ori = of_operands(_BITS)
shli = shift(of_operands(shifted_left))
shrui = shift(of_operands(_non_negative(shifted_right)))
divui = of_operands(_non_negative(floor_quotient))
ceildivui = of_operands(_non_negative(ceiling_quotient))
remui = of_operands(by_positive(_unsigned_remainder))
minui = of_operands(_LEAST)
maxui = of_operands(_MOST)

# Of signed numbers.
divsi = _of_signed(quotient)
floordivsi = _of_signed(floor_quotient)
ceildivsi = _of_signed(ceiling_quotient)
remsi = _of_signed(remainder)
shrsi = shift(_of_signed(shifted_right))
minsi = _of_signed(minimum)
maxsi = _of_signed(maximum)
