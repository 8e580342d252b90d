"""
Integer division and remainder, which must not trap.

Division by zero and of the smallest number by -1 give 0. Where the divisor is a constant other
than 0 and -1, C's own operators are used.
"""

from __future__ import annotations

from typing import Any

from vyre_dialect.lowering.opencl.arithmetic import (
    bitwise_and,
    from_signed,
    is_i1,
    operands,
    signed_value,
    strengthen,
    to_signed,
    to_unsigned,
)
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    binary,
    call,
    in_range,
    overloaded,
)
from vyre_dialect.lowering.opencl.literals import literal, vector_literal
from vyre_dialect.lowering.opencl.scope import Emit, Scope
from vyre_dialect.lowering.opencl.types import BOOL, CType

_SMALLEST = {"char": "CHAR_MIN", "short": "SHRT_MIN", "int": "INT_MIN", "long": "LONG_MIN"}
_RESULTS = {
    "divui": "quotient",
    "divsi": "quotient",
    "remui": "remainder",
    "remsi": "remainder",
    "ceildivui": "remainder != {zero} ? quotient + {one} : quotient",
    "floordivsi": (
        "remainder != {zero} && (remainder < {zero}) != (b < {zero}) ? quotient - {one} : quotient"
    ),
    "ceildivsi": (
        "remainder != {zero} && (remainder < {zero}) == (b < {zero}) ? quotient + {one} : quotient"
    ),
}


def _helper_text(operation: str, name: str, type: CType) -> str:
    def splat(text: str) -> str:
        return f"({type})({text})" if type.is_vector else text

    zero, one = splat("0"), splat("1")
    bad = f"b == {zero}"
    if type.is_signed:
        smallest = splat(_SMALLEST[type.base])
        bad = f"b == {zero} || (a == {smallest} && b == {splat('-1')})"
    mask = type.signed if type.is_vector else BOOL
    result = _RESULTS[operation].format(zero=zero, one=one)
    lines = [
        f"static {type} {name}({type} a, {type} b)",
        "{",
        f"    {mask} bad = {bad};",
        f"    b = bad ? {one} : b;",
    ]
    lines += [f"    {type} quotient = a / b;"] if "quotient" in result else []
    lines += [f"    {type} remainder = a % b;"] if "remainder" in result else []
    if "?" in result:
        lines.append(f"    {type} result = {result};")
        result = "result"
    lines += [f"    return bad ? {zero} : {result};", "}"]
    return "\n".join(lines)


def _guarded(
    scope: Scope, operation: str, left: Expression, right: Expression, type: CType
) -> Expression:
    name = f"vyre_{operation}_{type.short_name}"
    scope.helpers.function(name, lambda: _helper_text(operation, name, type))
    return (overloaded if type.is_vector else call)(name, type, left, right)


def divide(operation: str, operator: str = "") -> Emit:
    """What `operation` gives, by `operator` where C's own gives that, else by a function."""
    signed = operation.endswith("si")

    def emit(scope: Scope, op: Any) -> Expression:
        if is_i1(op.result.type):
            return _of_bits(scope, op, operator)
        type = scope.type_of(op.result)
        divisor = signed_value(scope.value(op.rhs))
        if operator and divisor is not None and divisor not in ((0, -1) if signed else (0,)):
            return _native(scope, op, operator, signed=signed)
        read = to_signed if signed else to_unsigned
        left, right = (read(in_range(scope.value(operand))) for operand in (op.lhs, op.rhs))
        return from_signed(_guarded(scope, operation, left, right, left.type), type)

    return emit


def _native(scope: Scope, op: Any, operator: str, *, signed: bool) -> Expression:
    type = scope.type_of(op.result)
    read = to_signed if signed else to_unsigned
    left, right = (read(in_range(operand)) for operand in operands(scope, op))
    left, right = strengthen(left, right)
    small = Form.PROMOTED if left.type.is_small else Form.EXACT
    return from_signed(binary(left, operator, right, left.type, small), type)


def _of_bits(scope: Scope, op: Any, operator: str) -> Expression:
    """Of i1: a quotient is set where both operands are, and a remainder never."""
    if operator != "%":
        return bitwise_and(scope, op)
    type = scope.type_of(op.result)
    zero = literal(0, type.scalar)
    return vector_literal([zero], type) if type.is_vector else zero
