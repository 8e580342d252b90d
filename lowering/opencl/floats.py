"""`arith` on floating point numbers, and `math`: tables from op to expression."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import arith, math
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.lowering.opencl.arithmetic import (
    extend_signed,
    from_signed,
    is_i1,
    operands,
    refuse_vectors,
    reinterpret,
    to_signed,
)
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    binary,
    call,
    cast,
    in_range,
    overloaded,
    unary,
)
from vyre_dialect.lowering.opencl.helpers import NVIDIA, Helpers
from vyre_dialect.lowering.opencl.literals import literal, vector_literal
from vyre_dialect.lowering.opencl.scope import Emit, Scope
from vyre_dialect.lowering.opencl.types import BOOL, CType


def by_operator(operator: str) -> Emit:
    """An operator of C."""

    def emit(scope: Scope, op: Any) -> Expression:
        left, right = operands(scope, op)
        return binary(left, operator, right, scope.type_of(op.result))

    return emit


def negf(scope: Scope, op: arith.NegfOp) -> Expression:
    """The opposite number."""
    return unary("-", scope.value(op.operand), scope.type_of(op.result))


def builtin(function: str) -> Emit:
    """A function of OpenCL that takes what the op takes."""

    def emit(scope: Scope, op: Any) -> Expression:
        arguments = (scope.value(operand) for operand in op.operands)
        return overloaded(function, scope.type_of(op.results[0]), *arguments)

    return emit


# Minimum and maximum, for which -0 is less than +0. One operand that is no number makes the result
# none (`minimumf`), or the other operand (`minnumf`); the functions of OpenCL C leave both open.

_EXTREMES = {"min": ("<", "signbit(a) ? a : b"), "max": (">", "signbit(a) ? b : a")}
_WITHOUT = {"imumf": ("a", "b"), "numf": ("b", "a")}


def extremum(helpers: Helpers, kind: str, type: CType) -> str:
    """The function that is `minimumf`, `maximumf`, `minnumf` or `maxnumf` of a type."""
    operator, on_zeros = _EXTREMES[kind[:3]]
    without_a, without_b = _WITHOUT[kind[3:]]
    name = f"vyre_{kind}_{type.short_name}"
    text = (
        f"static {type} {name}({type} a, {type} b)\n{{\n"
        f"    {type} ordered = a == b ? ({on_zeros}) : (a {operator} b ? a : b);\n"
        f"    return isnan(a) ? {without_a} : (isnan(b) ? {without_b} : ordered);\n}}"
    )
    return helpers.function(name, lambda: text)


def extremum_of(kind: str) -> Emit:
    """A function for minimum or maximum, by the name of the op."""

    def emit(scope: Scope, op: Any) -> Expression:
        type = scope.type_of(op.result)
        function = extremum(scope.helpers, kind, type)
        return overloaded(function, type, scope.value(op.lhs), scope.value(op.rhs))

    return emit


# Comparison.

_FALSE, _ORDERED, _TRUE, _UNORDERED = 0, 7, 15, 14
_OPERATORS = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}
_NEGATED = {9: "<=", 10: "<", 11: ">=", 12: ">"}


def cmpf(scope: Scope, op: arith.CmpfOp) -> Expression:
    """Whether a predicate holds of two floating point numbers."""
    refuse_vectors(op)
    return comparison(int(op.predicate.value.data), scope.value(op.lhs), scope.value(op.rhs))


def comparison(predicate: int, left: Expression, right: Expression) -> Expression:
    """
    Whether a predicate of `arith.cmpf`, by its number, holds of two numbers; of two vectors, lanes
    as wide as theirs, of -1 where it holds and 0 elsewhere.
    """
    is_vector = left.type.is_vector
    type = left.type.signed if is_vector else BOOL
    form = Form.EXACT if is_vector else Form.PROMOTED
    if predicate in (_FALSE, _TRUE):
        if is_vector:
            return vector_literal([literal(-(predicate == _TRUE), type.scalar)], type)
        return literal(predicate == _TRUE, BOOL)
    if (operator := _OPERATORS.get(predicate)) is not None:
        return binary(left, operator, right, type, form)
    if (operator := _NEGATED.get(predicate)) is not None:
        return unary("!", binary(left, operator, right, type, form), type, form)
    if predicate in (_ORDERED, _UNORDERED):
        function = "isordered" if predicate == _ORDERED else "isunordered"
        return overloaded(function, type, left, right)
    # 6 is "ordered and unequal", 8 its opposite.
    unequal = overloaded("islessgreater", type, left, right)
    return unequal if predicate == 6 else unary("!", unequal, type, form)


# Conversions.


def fptosi(scope: Scope, op: arith.FPToSIOp) -> Expression:
    """The nearest signed integer towards zero."""
    operand, type = scope.value(op.input), scope.type_of(op.result)
    if type.is_bool:  # as a signed number, true is -1
        return binary(operand, "<=", literal(-1.0, operand.type), BOOL, Form.PROMOTED)
    return from_signed(saturated(scope.helpers, operand, type.signed), type)


def fptoui(scope: Scope, op: arith.FPToUIOp) -> Expression:
    """The nearest unsigned integer towards zero."""
    operand, type = scope.value(op.input), scope.type_of(op.result)
    if type.is_bool:
        return binary(operand, ">=", literal(1.0, operand.type), BOOL, Form.PROMOTED)
    return saturated(scope.helpers, operand, type)


def saturated(helpers: Helpers, operand: Expression, type: CType) -> Expression:
    """The number rounded towards zero, or the nearest one of the type; 0 of what is no number."""
    name = f"vyre_to_{type.short_name}_{operand.type.short_name}"
    is_compared = type.is_wide and operand.type.width > _HALF
    text = _compared_text if is_compared else _saturating_text
    function = helpers.function(name, lambda: text(name, operand.type, type))
    return call(function, type, operand)


_WIDTH_OF_NVIDIAS_ZERO = 32
"""The width of numbers and integers of which NVIDIA's instruction makes 0 of what is no number."""
_HALF = 16
"""The width of the type that cannot hold the bounds of integers."""


def _saturating_text(name: str, source: CType, type: CType) -> str:
    """By the conversion of OpenCL C, which leaves open what comes of no number."""
    is_nan, zero = "isnan(a)", "0"
    if type.is_vector:  # whose masks are as wide as what is chosen
        zero = f"({type})(0)"
        is_nan = _as_wide("isnan(a)", source, type)
    # Intel's runtime for CPUs saturates NaN to the largest uint.
    asked = f"    return {is_nan} ? {zero} : convert_{type}_sat(a);\n"
    if source.width == type.width == _WIDTH_OF_NVIDIAS_ZERO:
        asked = f"#ifdef {NVIDIA}\n    return convert_{type}_sat(a);\n#else\n{asked}#endif\n"
    return f"static {type} {name}({source} a)\n{{\n{asked}}}"


def _compared_text(name: str, source: CType, type: CType) -> str:
    """By comparing lanes with the bounds: Intel's runtime and PoCL saturate them one by one."""
    half = 2 ** (type.width - 1)
    lowest, highest = (-half, half - 1) if type.is_signed else (0, 2 * half - 1)
    above, least = (literal(bound, source.scalar).text for bound in (highest + 1, lowest))
    is_above = _as_wide(f"a >= {above}", source, type)
    return (
        f"static {type} {name}({source} a)\n{{\n"
        f"    {source} below = a < {above} ? a : ({source})(0);\n"
        f"    {type} result = convert_{type}(max(below, ({source})({least})));\n"
        f"    return {is_above} ? ({type})({literal(highest, type.scalar).text}) : result;\n}}"
    )


def _as_wide(mask: str, source: CType, type: CType) -> str:
    """A mask of lanes of one type that chooses between lanes of another."""
    return f"({mask})" if source.width == type.width else f"convert_{type.signed}({mask})"


def sitofp(scope: Scope, op: arith.SIToFPOp) -> Expression:
    """A signed integer as a floating point number."""
    return extend_signed(scope.value(op.input), scope.type_of(op.result))


def uitofp(scope: Scope, op: arith.UIToFPOp) -> Expression:
    """An unsigned integer as a floating point number."""
    return cast(in_range(scope.value(op.input)), scope.type_of(op.result))


def resize(scope: Scope, op: arith.ExtFOp | arith.TruncFOp) -> Expression:
    """The same number, rounded, in another type."""
    operand, type = scope.value(op.input), scope.type_of(op.result)
    if type.is_vector:
        return overloaded(f"convert_{type}", type, operand)
    return cast(operand, type)


def bitcast(scope: Scope, op: Any) -> Expression:
    """The same bits as another type, scalar or vector."""
    source, result = op.operands[0], op.results[0]
    if is_i1(source.type) != is_i1(result.type):
        raise DiagnosticException(f"'{op.name}' between i1 and wider types has no OpenCL form")
    type = scope.type_of(result)
    operand = in_range(scope.value(source))
    return operand if operand.type == type else reinterpret(operand, type)


def fpowi(scope: Scope, op: math.FPowIOp) -> Expression:
    """A floating point number to the power of an integer."""
    exponent = scope.value(op.rhs)
    if exponent.type.width != 32:
        raise DiagnosticException(
            f"'{op.name}' has an OpenCL form for exponents of type i32, got '{op.rhs.type}'"
        )
    return overloaded("pown", scope.type_of(op.result), scope.value(op.lhs), to_signed(exponent))
