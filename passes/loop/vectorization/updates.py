"""
Updates of shared elements: what all lanes combine into one element is combined first, and updates
it once; lanes that do not take part contribute what changes nothing.
"""

from __future__ import annotations

from functools import reduce

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from vyre_dialect.builder import Value, if_
from vyre_dialect.ir.interfaces import HasCombinerInterface
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.lanes import SelectLanesOp
from vyre_dialect.ops.memory import AtomicRMWOp
from vyre_dialect.passes.loop.vectorization.body import Body
from vyre_dialect.passes.loop.vectorization.lane_values import Uniform, separate


def is_shared_update(body: Body, op: HasCombinerInterface) -> bool:
    """Whether neighbours update the same element, in any order, with the old value unused."""
    (access,) = op.get_accesses()
    return access.combiner is not None and not any(
        body.varies(operand)
        for place, operand in enumerate(op.operands)
        if place != op.value_operand
    )


def vectorize_update(body: Body, op: HasCombinerInterface) -> None:
    """Update, at the current place, an element by what all lanes update it by."""
    value = _combined(body, op)
    body.wide_ops += 1
    if body.mask is None:
        _update(body, op, value)
        return
    neutral = Value(arith.ConstantOp(op.get_neutral_value()).result)
    with if_(value.ne(neutral)):
        _update(body, op, value)


def _update(body: Body, op: HasCombinerInterface, value: Value) -> None:
    copies = {
        operand: body.value(operand).at(0)
        for place, operand in enumerate(op.operands)
        if place != op.value_operand
    }
    update = op.clone_without_regions(copies)
    update.operands[op.value_operand] = value.ssa


def _combined(body: Body, op: HasCombinerInterface) -> Value:
    """The combination of the values of all lanes that take part."""
    value = body.value(op.operands[op.value_operand])
    if isinstance(value, Uniform) and body.mask is None:
        if _adds(op):
            return Value(value.value) * body.lanes
        return _with_itself(body, op, value.value)
    wide = value.wide()
    if body.mask is not None:
        neutral = Value(arith.ConstantOp(op.get_neutral_value()).result)
        none = neutral.broadcast(body.lanes)
        wide = SelectLanesOp(body.mask, wide, none.ssa).result
    return Value(_halved(op, wide, body.lanes))


def _adds(op: HasCombinerInterface) -> bool:
    return isinstance(op, AtomicRMWOp) and op.kind.data == AtomicKind.ADDI


def _with_itself(body: Body, op: HasCombinerInterface, value: SSAValue) -> Value:
    """The combination of as many equal values as there are lanes, a power of two."""
    for _ in range(body.lanes.bit_length() - 1):
        value = op.combine(value, value)
    return Value(value)


def _halved(op: HasCombinerInterface, wide: SSAValue, lanes: int) -> SSAValue:
    """The combination of all lanes: those of vectors of `arith`, or one by one of other ops."""
    if not isinstance(op, AtomicRMWOp):
        return reduce(op.combine, [Value(wide).lane(lane).ssa for lane in range(lanes)])
    while lanes > 2:
        lanes //= 2
        low, high = (
            Value(wide).shuffle(Value(wide), [*range(begin, begin + lanes)]).ssa
            for begin in (0, lanes)
        )
        wide = op.combine(low, high)
    return op.combine(Value(wide).lane(0).ssa, Value(wide).lane(1).ssa)


def replicate(body: Body, op: Operation) -> None:
    """Do an op once for each lane, in their order; no lane's gains by what others do at once."""
    body.scalar_ops += body.lanes
    copies = [body.clone_at(op, lane) for lane in range(body.lanes)]
    for number, result in enumerate(op.results):
        body.bind(result, separate(copy.results[number] for copy in copies))
