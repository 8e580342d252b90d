"""
Ops on values, lane by lane: an op of numbers becomes the same op of vectors, one of what an item
holds in a vector becomes one of the lanes of all items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.forms import LINEAR, LinearForm, Operands, Symbol
from vyre_dialect.analysis.value_ranges import UNKNOWN
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    FloatPredicate,
    Predicate,
    SelectLanesOp,
)
from vyre_dialect.passes.loop.vectorization.body import Body, refuse_form
from vyre_dialect.passes.loop.vectorization.lane_values import (
    LaneValue,
    Uniform,
    first_and_step,
    numbers,
    repeated,
    separate,
    stepped,
)
from vyre_dialect.passes.rewriting.vector_forms import VECTOR_FORM, takes_vectors
from vyre_dialect.passes.rewriting.vector_forms import lane_by_lane as lane_by_lane  # for rows


def is_elementwise(op: Operation) -> bool:
    """Whether an op computes values, and has a vector form."""
    return VECTOR_FORM.of(type(op)) is not None


def vectorize_elementwise(body: Body, op: Operation) -> None:
    """Compute an op of values, some of which differ between lanes, for all of them."""
    (result,) = op.results
    if (steps := _stepped(body, op)) is not None:
        body.bind(result, steps)
    elif _is_of_indices(op):
        _bind_index(body, op)
    else:
        if isinstance(op, _DIVISIONS):
            body.scalar_ops += 1
        else:
            body.wide_ops += 1
        body.bind_wide(result, _vectorized(body, op))


_DIVISIONS = (
    *(arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp),
    *(arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
)
"""What processors have no vector instruction for, of integers."""


def _vectorized(body: Body, op: Operation) -> SSAValue:
    vectorize = VECTOR_FORM.of(type(op))
    assert vectorize is not None
    return vectorize(body, op)


# Numbers in equal steps, and indices.


def _is_of_indices(op: Operation) -> bool:
    """Whether an op computes indices, or from indices, and has no vector form that takes them."""
    if not takes_vectors(op):
        return False
    return any(isinstance(each.type, IndexType) for each in (*op.operands, *op.results))


def _bind_index(body: Body, op: Operation) -> None:
    """Indices choose places, one for each lane, unless they are known to grow in equal steps."""
    (result,), block = op.results, op.parent
    assert block is not None
    step = None
    if body.mask is None and isinstance(result.type, IndexType):
        step = body.steps.of_value(result, block)
    if step is not None:
        body.bind(result, stepped(body.clone_at(op, 0).results[0], step, body.lanes))
        return
    copies = [body.clone_at(op, lane).results[0] for lane in range(body.lanes)]
    body.bind(result, separate(copies))


def _stepped(body: Body, op: Operation) -> LaneValue | None:
    """The result as numbers in equal steps, modulo two to the power of their width."""
    known = [first_and_step(body.value(operand)) for operand in op.operands]
    parts = [part for part in known if part is not None]
    if len(parts) < len(known) or isinstance(op.results[0].type, VectorType):
        return None
    step = _step(op, [step for _, step in parts])
    if step is None:
        return None
    copies = dict(zip(op.operands, (first for first, _ in parts), strict=True))
    return stepped(body.copy(op, copies).results[0], step, body.lanes)


def _step(op: Operation, steps: Sequence[int]) -> int | None:
    """By how much the result grows from lane to lane, modulo two to the power of its width."""
    transfer = LINEAR.of(type(op)) if LINEAR.is_stated(type(op)) else None
    if transfer is None:
        return None
    forms = [_in_lane(operand, step) for operand, step in zip(op.operands, steps, strict=True)]
    form = transfer(op, Operands(forms))
    return None if form is None else form.factors.get(_LANE, 0)


def _in_lane(operand: SSAValue, step: int) -> LinearForm:
    """An operand that grows by `step` from lane to lane."""
    number = integer_of(operand)
    first = Symbol(operand, UNKNOWN).form if number is None else LinearForm((), number)
    return first.plus(_LANE.form, step)


_LANE = Symbol("lane", UNKNOWN)


# Comparison, choice and conversion.


def cmpi(body: Body, op: arith.CmpiOp) -> SSAValue:
    """A mask of the lanes in which a predicate holds."""
    if isinstance(op.lhs.type, VectorType):  # of which xDSL 0.74 says that it yields one i1
        raise refuse_form(op)
    found = _compared_steps(body, op)
    if found is not None:
        return found
    predicate = list(Predicate)[op.predicate.value.data]
    left, right = (body.value(operand).wide() for operand in op.operands)
    return CompareLanesOp(predicate, left, right).result


def _compared_steps(body: Body, op: arith.CmpiOp) -> SSAValue | None:
    """
    The comparison of indices that grow in equal steps: the lanes' numbers, times the step by which
    the left side grows more, compared with what it lacks at first.
    """
    ends = [first_and_step(body.value(operand)) for operand in op.operands]
    known = body.steps.of_comparison(op) if body.mask is None and None not in ends else None
    if known is None:
        return None
    predicate, step = known
    (left, _), (right, _) = (end for end in ends if end is not None)
    multiples = [lane * step for lane in range(body.lanes)]
    lacking = (Value(right) - Value(left)).minsi(max(multiples) + 1).maxsi(min(multiples) - 1)
    type = VectorType(_I32, [body.lanes])
    wide = lacking.to(_I32).broadcast(body.lanes)
    return CompareLanesOp(Predicate(predicate), numbers(multiples, type).ssa, wide.ssa).result


_I32 = IntegerType(32)


def cmpf(body: Body, op: arith.CmpfOp) -> SSAValue:
    """A mask of the lanes in which a predicate of floats holds."""
    if isinstance(op.lhs.type, VectorType):  # of which xDSL 0.74 says that it yields one i1
        raise refuse_form(op)
    predicate = list(FloatPredicate)[op.predicate.value.data]
    left, right = (body.value(operand).wide() for operand in op.operands)
    return CompareFloatLanesOp(predicate, left, right).result


def select(body: Body, op: arith.SelectOp) -> SSAValue:
    """Each lane from one of two vectors, or one of two vectors."""
    condition = body.value(op.cond)
    true, false = (body.value(case).wide() for case in (op.lhs, op.rhs))
    if isinstance(condition, Uniform):
        return arith.SelectOp(condition.value, true, false).result
    mask = repeated(condition.wide(), lane_count(op.result.type), body.lanes)
    return SelectLanesOp(mask, true, false).result


_ConversionOp: TypeAlias = (
    arith.ExtUIOp
    | arith.ExtSIOp
    | arith.TruncIOp
    | arith.UIToFPOp
    | arith.SIToFPOp
    | arith.FPToUIOp
    | arith.FPToSIOp
)


def convert(body: Body, op: _ConversionOp) -> SSAValue:
    """Each lane as a number of another type."""
    conversion = Conversion(op.name.removeprefix("arith."))
    return _converted(body, op, conversion)


def convert_lanes(body: Body, op: ConvertLanesOp) -> SSAValue:
    """Each lane of all items as a number of another type."""
    return _converted(body, op, op.conversion.data)


def _converted(body: Body, op: Operation, conversion: Conversion) -> SSAValue:
    type = body.wide_type(op.results[0].type)
    assert isinstance(type, VectorType)
    return ConvertLanesOp(conversion, body.value(op.operands[0]).wide(), type).result


# Lanes of an item.


def _taken(source: SSAValue, other: SSAValue, lanes: list[int]) -> SSAValue:
    return Value(source).shuffle(Value(other), lanes).ssa


def broadcast(body: Body, op: vector.BroadcastOp) -> SSAValue:
    """Each item's number in each of its lanes."""
    if isinstance(op.source.type, VectorType):
        raise refuse_form(op)
    wide, size = body.value(op.source).wide(), lane_count(op.vector.type)
    return _taken(wide, wide, [lane // size for lane in range(size * body.lanes)])


def extract(body: Body, op: vector.ExtractOp) -> SSAValue:
    """One lane of each item."""
    position = _position(op)
    wide, size = body.value(op.vector).wide(), lane_count(op.vector.type)
    return _taken(wide, wide, [lane * size + position for lane in range(body.lanes)])


def insert(body: Body, op: vector.InsertOp) -> SSAValue:
    """Another value in one lane of each item."""
    position, size = _position(op), lane_count(op.dest.type)
    lanes = size * body.lanes
    source, into = body.value(op.source).wide(), body.value(op.dest).wide()
    if size == 1:
        return source
    spread = _taken(source, source, [lane // size for lane in range(lanes)])
    chosen = [lane + lanes if lane % size == position else lane for lane in range(lanes)]
    return _taken(into, spread, chosen)


def _position(op: vector.ExtractOp | vector.InsertOp) -> int:
    """The lane, if it is known, and the only one."""
    positions = op.static_position.get_values()
    if op.dynamic_position or len(positions) != 1:
        raise refuse_form(op)
    return positions[0]


def shuffle(body: Body, op: vector.ShuffleOp) -> SSAValue:
    """Lanes of two vectors of each item."""
    if not isinstance(op.v1.type, VectorType):
        raise refuse_form(op)
    first, second = (lane_count(each.type) for each in (op.v1, op.v2))
    lanes = list[int]()
    for item in range(body.lanes):
        for position in (max(each, 0) for each in op.mask.get_values()):
            if position < first:
                lanes.append(item * first + position)
            else:
                lanes.append(body.lanes * first + item * second + position - first)
    return _taken(body.value(op.v1).wide(), body.value(op.v2).wide(), lanes)


def bitcast_lanes(body: Body, op: vector.BitcastOp) -> SSAValue:
    """The bits of all lanes as other lanes."""
    return _cast_bits(body, op.source, op)


def bitcast(body: Body, op: arith.BitcastOp) -> SSAValue:
    """The bits of each number as another type."""
    return _cast_bits(body, op.input, op)


def _cast_bits(body: Body, source: SSAValue, op: Operation) -> SSAValue:
    type = body.wide_type(op.results[0].type)
    assert isinstance(type, VectorType)
    return vector.BitcastOp(body.value(source).wide(), type).result


_COMBINATIONS: dict[CombiningKindFlag, Callable[[Value, Value], Value]] = {
    CombiningKindFlag.ADD: Value.__add__,
    CombiningKindFlag.MUL: Value.__mul__,
    CombiningKindFlag.AND: Value.__and__,
    CombiningKindFlag.OR: Value.__or__,
    CombiningKindFlag.XOR: Value.__xor__,
    CombiningKindFlag.MINUI: Value.min,
    CombiningKindFlag.MAXUI: Value.max,
    CombiningKindFlag.MINSI: Value.minsi,
    CombiningKindFlag.MAXSI: Value.maxsi,
}


def reduction(body: Body, op: vector.ReductionOp) -> SSAValue:
    """The lanes of each item combined, in order, in the lanes of all items at once."""
    combine = _COMBINATIONS.get(op.kind.data)
    if combine is None or not isinstance(op.dest.type, IntegerType):
        raise refuse_form(op)
    wide, size = body.value(op.vector).wide(), lane_count(op.vector.type)
    parts = [
        Value(_taken(wide, wide, [item * size + part for item in range(body.lanes)]))
        for part in range(size)
    ]
    if op.acc is not None:
        parts.insert(0, Value(body.value(op.acc).wide()))
    return reduce(combine, parts).ssa


# Masks.


def any_of(mask: SSAValue) -> Value:
    """Whether any lane of a mask is set."""
    return reduce(Value.__or__, _words_of(mask)).ne(0)


def _words_of(mask: SSAValue) -> list[Value]:
    """The lanes of a mask as bytes, in words of eight bytes, or one of fewer."""
    lanes = lane_count(mask.type)
    data = ConvertLanesOp(Conversion.EXTUI, mask, VectorType(IntegerType(8), [lanes])).result
    width = min(lanes, 8)
    words = Value(data).bitcast(VectorType(IntegerType(8 * width), [lanes // width]))
    return [words.lane(position) for position in range(lanes // width)]
