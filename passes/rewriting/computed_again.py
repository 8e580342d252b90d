"""Values that are computed once more, somewhere else in an arm."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.divergence import is_computed_in
from vyre_dialect.ir.interfaces import HasInvocationsInterface


def computed_again(arm: HasInvocationsInterface, value: SSAValue) -> SSAValue:
    """`value` of an arm, which is invariant in it, computed at the current place."""
    if not is_computed_in(arm, value):
        return value
    copies = dict[SSAValue, SSAValue]()
    for op in _computation(arm, value):
        op.clone(value_mapper=copies)
    return copies[value]


def _computation(arm: HasInvocationsInterface, value: SSAValue) -> list[Operation]:
    """The ops of an arm that compute `value`, operands first."""
    order, seen = list[Operation](), set[Operation]()
    pending = [(value.owner, False)]
    while pending:
        op, has_operands = pending.pop()
        assert isinstance(op, Operation)
        if has_operands:
            order.append(op)
        elif op not in seen:
            seen.add(op)
            pending.append((op, True))
            inside = (operand for operand in op.operands if is_computed_in(arm, operand))
            pending.extend((operand.owner, False) for operand in inside)
    return order
