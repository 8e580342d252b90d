"""`math` on integers: functions of their bits, magnitudes and powers."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import math
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.lowering.opencl.arithmetic import from_signed, is_i1, reinterpret, to_signed
from vyre_dialect.lowering.opencl.expressions import Expression, call, overloaded
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.literals import literal
from vyre_dialect.lowering.opencl.scope import Scope
from vyre_dialect.lowering.opencl.types import CType


def _refuse_i1(op: Any) -> None:
    if is_i1(op.results[0].type):
        raise DiagnosticException(f"'{op.name}' of an i1 has no OpenCL form")


def absi(scope: Scope, op: math.AbsIOp) -> Expression:
    """The magnitude of a signed integer."""
    _refuse_i1(op)
    type = scope.type_of(op.result)
    operand = to_signed(scope.value(op.operand))
    if type.is_wide:
        return from_signed(_magnitudes(scope.helpers, operand), type)
    return from_signed(overloaded("abs", type.unsigned, operand), type)


def _magnitudes(helpers: Helpers, operand: Expression) -> Expression:
    """Lane by lane; PoCL calls a function for each lane of `abs`."""
    signed, unsigned = operand.type, operand.type.unsigned
    name = f"vyre_abs_{signed.short_name}"
    text = (
        f"static {unsigned} {name}({signed} a)\n{{\n"
        f"    return as_{unsigned}(max(a, as_{signed}(({unsigned})(0) - as_{unsigned}(a))));\n}}"
    )
    return call(helpers.function(name, lambda: text), unsigned, operand)


def clz(scope: Scope, op: math.CountLeadingZerosOp) -> Expression:
    """How many zeros the highest bits are."""
    _refuse_i1(op)
    return overloaded("clz", scope.type_of(op.result), scope.value(op.operand))


def ctpop(scope: Scope, op: math.CtPopOp) -> Expression:
    """How many bits are set."""
    _refuse_i1(op)
    type, operand = scope.type_of(op.result), scope.value(op.operand)
    if not type.is_wide:
        return overloaded("popcount", type, operand)
    counted = call(_count(scope.helpers, type.unsigned), type.unsigned, _bits(operand))
    return from_signed(counted, type)


def cttz(scope: Scope, op: math.CountTrailingZerosOp) -> Expression:
    """How many zeros the lowest bits are."""
    _refuse_i1(op)
    type = scope.type_of(op.result).unsigned
    name = f"vyre_cttz_{type.short_name}"
    below = f"~a & (a - ({type})(1))"
    count = _count(scope.helpers, type) if type.is_wide else "popcount"
    text = (
        f"static {type} {name}({type} a)\n{{\n"
        f"    return {count}({below if type.is_vector else f'({type})({below})'});\n}}"
    )
    scope.helpers.function(name, lambda: text)
    operand = scope.value(op.operand)
    argument = _bits(operand) if type.is_vector else operand
    return from_signed(overloaded(name, type, argument), scope.type_of(op.result))


def _bits(operand: Expression) -> Expression:
    return reinterpret(operand, operand.type.unsigned)


def _count(helpers: Helpers, type: CType) -> str:
    """
    The function that counts the bits of lanes, in the form that LLVM knows as that: PoCL calls a
    function for each lane of `popcount`, and Intel's runtime has one without the instruction.
    Source: Warren, "Hacker's Delight", 5-1.
    """
    name = f"vyre_popcount_{type.short_name}"
    scalar = type.scalar

    def every(byte: int) -> str:
        repeated = int.from_bytes(bytes([byte] * (type.width // 8)), "little")
        return f"({type})({literal(repeated, scalar).text})"

    total = f"(a * {every(1)}) >> {type.width - 8}" if type.width > 8 else "a"
    text = (
        f"static {type} {name}({type} a)\n{{\n"
        f"    a = a - ((a >> 1) & {every(0x55)});\n"
        f"    a = (a & {every(0x33)}) + ((a >> 2) & {every(0x33)});\n"
        f"    a = (a + (a >> 4)) & {every(0x0F)};\n"
        f"    return {total};\n}}"
    )
    return helpers.function(name, lambda: text)


def ipowi(scope: Scope, op: math.IPowIOp) -> Expression:
    """An integer to the power of an integer."""
    _refuse_i1(op)
    type = scope.type_of(op.result)
    if type.is_vector:
        raise DiagnosticException(f"'{op.name}' of vectors has no OpenCL form")
    unsigned, signed = type.unsigned, type.signed
    name = f"vyre_ipowi_{signed.short_name}"
    scope.helpers.function(name, lambda: _power_text(name, signed, unsigned))
    left, right = to_signed(scope.value(op.lhs)), to_signed(scope.value(op.rhs))
    return from_signed(overloaded(name, signed, left, right), type)


def _power_text(name: str, signed: CType, unsigned: CType) -> str:
    arithmetic = unsigned if unsigned.width >= 32 else CType("uint")
    return f"""static {signed} {name}({signed} base, {signed} exponent)
{{
    if (exponent < 0)
        return base == 1 ? 1 : (base == -1 ? ((exponent & 1) ? -1 : 1) : 0);
    {arithmetic} result = 1;
    for ({arithmetic} factor = ({arithmetic})base; exponent != 0; exponent >>= 1) {{
        result *= (exponent & 1) ? factor : 1;
        factor *= factor;
    }}
    return ({signed})result;
}}"""
