"""
Shifts, whose amounts may be as large as the width or larger.

Such an amount leaves 0, or the sign in every bit. OpenCL C takes amounts modulo the width, so that
they are compared with it, unless a constant or `vyre.within_width` says that they are smaller.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects import arith

from vyre_dialect.ir.types import WITHIN_WIDTH
from vyre_dialect.lowering.opencl.arithmetic import (
    from_signed,
    is_i1,
    is_modular,
    modular,
    to_signed,
    to_unsigned,
    unpromoted,
)
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    binary,
    call,
    exact,
    in_range,
    negated,
    overloaded,
    unary,
)
from vyre_dialect.lowering.opencl.literals import literal, vector_literal
from vyre_dialect.lowering.opencl.scope import Scope
from vyre_dialect.lowering.opencl.types import BOOL, CType

_Shift: TypeAlias = arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp

_RESULTS = {
    "shli": "b < {width} ? a << b : {zero}",
    "shrui": "b < {width} ? a >> b : {zero}",
    "shrsi": "a >> (b < {width} ? b : {last})",
}


def shift(scope: Scope, op: _Shift) -> Expression:
    """A shift by an amount, beyond the width as the interpreter does it."""
    type = scope.type_of(op.result)
    left, amount = in_range(scope.value(op.lhs)), in_range(scope.value(op.rhs))
    if is_i1(op.result.type):
        return _of_bits(op, left, amount)
    known = _constant(amount)
    if known is not None and known >= type.width:
        if not isinstance(op, arith.ShRSIOp):
            return _zero(type)
        known = type.width - 1
    if known is not None:
        scalar = amount.type.scalar
        return _within(scope, op, left, Expression(str(known), scalar, constant=known))
    if WITHIN_WIDTH in op.attributes:
        return _within(scope, op, left, amount)
    return _guarded(scope, op, left, amount)


def _constant(amount: Expression) -> int | None:
    """The amount, an unsigned number, where it is known and the same in every lane."""
    known = amount if amount.splat is None else amount.splat
    return known.constant % 2**known.type.width if isinstance(known.constant, int) else None


def _zero(type: CType) -> Expression:
    zero = literal(0, type.scalar)
    return vector_literal([zero], type) if type.is_vector else zero


# By less than the width.


def _within(scope: Scope, op: _Shift, left: Expression, amount: Expression) -> Expression:
    type = scope.type_of(op.result)
    match op:
        case arith.ShLIOp():
            return _left(op, left, amount, type)
        case arith.ShRUIOp():
            return _right(left, amount, type)
        case arith.ShRSIOp():
            shifted = binary(exact(to_signed(left)), ">>", amount, type.signed)
            return from_signed(shifted, type)


def _left(op: arith.ShLIOp, left: Expression, amount: Expression, type: CType) -> Expression:
    if is_modular(op):
        return modular(left, "<<", amount)
    if type.is_small:
        left, amount = unpromoted(left, amount, type)
        return binary(left, "<<", amount, type, Form.WRAPPING)
    return binary(exact(left), "<<", amount, type)


def _right(left: Expression, amount: Expression, type: CType) -> Expression:
    if type.is_signed:
        unsigned = to_unsigned(left)
        return from_signed(binary(unsigned, ">>", amount, unsigned.type), type)
    left = left if type.is_small else exact(left)
    return binary(left, ">>", amount, type, Form.PROMOTED if type.is_small else Form.EXACT)


# By any amount.


def _guarded(scope: Scope, op: _Shift, left: Expression, amount: Expression) -> Expression:
    read = to_signed if isinstance(op, arith.ShRSIOp) else to_unsigned
    left, amount = exact(read(left)), exact(to_unsigned(amount))
    operation = op.name.partition(".")[2]
    name = f"vyre_{operation}_{left.type.short_name}"
    scope.helpers.function(name, lambda: _text(operation, name, left.type, amount.type))
    shifted = (overloaded if left.type.is_vector else call)(name, left.type, left, amount)
    return from_signed(shifted, scope.type_of(op.result))


def _text(operation: str, name: str, type: CType, amount: CType) -> str:
    width, last = (_splat(number, amount) for number in (type.width, type.width - 1))
    result = _RESULTS[operation].format(width=width, last=last, zero=_splat(0, type))
    return f"static {type} {name}({type} a, {amount} b)\n{{\n    return {result};\n}}"


def _splat(number: int, type: CType) -> str:
    return f"({type})({number})" if type.is_vector else str(number)


def _of_bits(op: _Shift, left: Expression, amount: Expression) -> Expression:
    """Of i1: by true, which is the width, nothing but the sign is left."""
    if isinstance(op, arith.ShRSIOp):
        return left
    if left.type.is_vector:
        return binary(left, "&", unary("~", exact(amount), left.type), left.type)
    return binary(left, "&&", negated(amount), BOOL, Form.PROMOTED)
