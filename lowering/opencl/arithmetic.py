"""`arith` on integers: a table from op to expression."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.types import scalar_type
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    binary,
    cast,
    conditional,
    exact,
    in_range,
    negated,
    overloaded,
    unary,
)
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.literals import hexadecimal, literal, signed_literal
from vyre_dialect.lowering.opencl.scope import Emit, Scope
from vyre_dialect.lowering.opencl.types import BOOL, INDEX, ULONG, CType

_SMALL = 10**6
"""Below this, a constant reads better as a small number with the opposite sign."""

_WIDE_LANES = ("uint", "ulong", "long", "float", "double")
"""Lane types whose scalars C widens to a vector by itself, whatever the form of the scalar."""


def is_i1(type: Attribute) -> bool:
    """Whether the lanes of `type` are single bits."""
    lane = scalar_type(type)
    return isinstance(lane, IntegerType) and lane.width.data == 1


def operands(scope: Scope, op: Any) -> tuple[Expression, Expression]:
    """Both operands of a binary op; one of two splat vectors stays a vector."""
    left, right = scope.value(op.lhs), scope.value(op.rhs)
    if right.splat is not None and left.type.base in _WIDE_LANES:
        return left, exact(right.splat)
    if left.splat is not None and right.type.base in _WIDE_LANES:
        return exact(left.splat), right
    return left, right


def strengthen(left: Expression, right: Expression) -> tuple[Expression, Expression]:
    """Operands such that C computes with longs when both of them are short index constants."""
    if left.type == INDEX and left.form == right.form == Form.PROMOTED:
        return exact(left), right
    return left, right


def to_signed(operand: Expression) -> Expression:
    """The operand read as a signed number."""
    if operand.type.is_signed or operand.type.is_float:
        return operand
    if operand.type.is_vector:
        return reinterpret(operand, operand.type.signed)
    return signed_literal(operand) or cast(in_range(operand), operand.type.signed)


def reinterpret(operand: Expression, type: CType) -> Expression:
    """The same bits as another type of the same size."""
    original = operand.same_bits or operand
    if original.type == type:
        return original
    return replace(overloaded(f"as_{type}", type, original), same_bits=original)


def from_signed(result: Expression, type: CType) -> Expression:
    """A signed result as the type that holds it."""
    if result.type == type:
        return result
    return reinterpret(result, type) if type.is_vector else cast(result, type)


def signed_value(operand: Expression) -> int | None:
    """The value of a constant operand as a signed number, in every lane."""
    known = operand if operand.splat is None else operand.splat
    if not isinstance(known.constant, int):
        return None
    half = 2 ** (known.type.width - 1)
    return (known.constant + half) % (2 * half) - half


# Addition, subtraction, multiplication.


def addi(scope: Scope, op: arith.AddiOp) -> Expression:
    """The sum, or of single bits, whether they differ."""
    if is_i1(op.result.type):
        return bitwise_xor(scope, op)
    return _sum(scope, op, "+", "-")


def subi(scope: Scope, op: arith.SubiOp) -> Expression:
    """The difference, or of single bits, whether they differ."""
    return bitwise_xor(scope, op) if is_i1(op.result.type) else _sum(scope, op, "-", "+")


def _sum(scope: Scope, op: Any, operator: str, opposite: str) -> Expression:
    """With the opposite operator where that makes a small negative constant positive."""
    right = signed_value(scope.value(op.rhs))
    if right is not None and -_SMALL < right < 0 and not is_modular(op):
        return _wrapping(scope, op, opposite, negated=right)
    return _wrapping(scope, op, operator)


def _wrapping(scope: Scope, op: Any, operator: str, negated: int | None = None) -> Expression:
    left, right = operands(scope, op)
    type = scope.type_of(op.result)
    if negated is not None:
        right = literal(-negated, right.type.scalar)
        if type.is_vector and type.base not in _WIDE_LANES:
            right = exact(right)
    if is_modular(op):
        return modular(left, operator, right)
    left, right = strengthen(left, right)
    return binary(left, operator, right, type, Form.WRAPPING if type.is_small else Form.EXACT)


def is_modular(op: Any) -> bool:
    """Whether `op` is arithmetic on indices that may wrap around, as far as its flags say."""
    return isinstance(scalar_type(op.result.type), IndexType) and (
        arith.IntegerOverflowFlag.NSW not in op.overflow_flags.data
    )


def modular(left: Expression, operator: str, right: Expression) -> Expression:
    """Arithmetic on indices that wraps around, which C defines for unsigned numbers only."""
    vector = next((each.type for each in (left, right) if each.type.is_vector), None)
    if vector is None:
        return cast(binary(cast(left, ULONG), operator, right, ULONG), INDEX)
    wrapped = binary(to_unsigned(left), operator, to_unsigned(right), vector.unsigned)
    return from_signed(wrapped, vector)


def muli(scope: Scope, op: arith.MuliOp) -> Expression:
    """The low bits of the product."""
    if is_i1(op.result.type):
        return bitwise_and(scope, op)
    left, right = (in_range(operand) for operand in operands(scope, op))
    type = scope.type_of(op.result)
    if is_modular(op):
        return modular(left, "*", right)
    return product(*strengthen(left, right), type)


def product(left: Expression, right: Expression, type: CType) -> Expression:
    """The low bits of a product of operands whose C values are theirs."""
    left, right = unpromoted(left, right, type)
    return binary(left, "*", right, type, Form.WRAPPING if type.is_small else Form.EXACT)


def unpromoted(left: Expression, right: Expression, type: CType) -> tuple[Expression, Expression]:
    """Operands that C does not promote to an int which the result could overflow."""
    if type.is_small and type.width == 16:
        return cast(left, CType("uint")), right
    return left, right


# Bits.


def bitwise_and(scope: Scope, op: Any) -> Expression:
    """The bits that both operands have."""
    return _bitwise(scope, op, "&", "&&")


def bitwise_or(scope: Scope, op: Any) -> Expression:
    """The bits that either operand has."""
    return _bitwise(scope, op, "|", "||")


def bitwise_xor(scope: Scope, op: Any) -> Expression:
    """The bits that one operand has."""
    left, right = operands(scope, op)
    if left.type.is_bool:
        return _xor_of_bools(left, right)
    return _bitwise(scope, op, "^", "")


def _xor_of_bools(left: Expression, right: Expression) -> Expression:
    for operand, other in ((left, right), (right, left)):
        if operand.constant == 1:
            return negated(other)
    return binary(left, "!=", right, BOOL, Form.PROMOTED)


def _bitwise(scope: Scope, op: Any, operator: str, logical: str) -> Expression:
    left, right = operands(scope, op)
    type = scope.type_of(op.result)
    if type.is_bool:
        operator = operator if right.reads_memory else logical
        return binary(left, operator, right, BOOL, Form.PROMOTED)
    left, right = strengthen(hexadecimal(left), hexadecimal(right))
    wraps = Form.WRAPPING in (left.form, right.form)
    form = (Form.WRAPPING if wraps else Form.PROMOTED) if type.is_small else Form.EXACT
    return binary(left, operator, right, type, form)


def to_unsigned(operand: Expression) -> Expression:
    """An index read as an unsigned number."""
    if not operand.type.is_signed:
        return operand
    unsigned = operand.type.unsigned
    if operand.type.is_vector:
        return reinterpret(operand, unsigned)
    if isinstance(operand.constant, int):
        return literal(operand.constant, unsigned)
    return cast(operand, unsigned)


# Minimum and maximum.


def extremum(function: str, reading: str) -> Emit:
    """The function `min` or `max`, of operands read as `signed` or `unsigned` numbers."""
    signed = reading == "signed"
    # As signed numbers, true is -1 and false is 0.
    picks_one = (function == "max") != signed

    def emit(scope: Scope, op: Any) -> Expression:
        if is_i1(op.result.type):
            return (bitwise_or if picks_one else bitwise_and)(scope, op)
        type = scope.type_of(op.result)
        read = to_signed if signed else to_unsigned
        left, right = (exact(read(scope.value(operand))) for operand in (op.lhs, op.rhs))
        # Never of a vector and a scalar: Oclgrind 21.10 reads other lanes than the first from it.
        name = _of_lanes(scope.helpers, function, left.type) if type.is_extended else function
        return from_signed(overloaded(name, left.type, left, right), type)

    return emit


def _of_lanes(helpers: Helpers, function: str, type: CType) -> str:
    """A function that is `min` or `max` of vectors for which OpenCL has none."""
    name, operator = f"vyre_{function}_{type.short_name}", "<" if function == "min" else ">"
    text = f"static {type} {name}({type} a, {type} b)\n{{\n    return a {operator} b ? a : b;\n}}"
    return helpers.function(name, lambda: text)


# Comparison and selection.

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FIRST_UNSIGNED = 6
_SIGNED_COMPARISONS = range(2, _FIRST_UNSIGNED)


def refuse_vectors(op: Any) -> None:
    """Raise for a comparison of vectors, whose result xDSL 0.74 takes for a single i1."""
    if isinstance(op.lhs.type, VectorType):
        raise DiagnosticException(f"'{op.name}' of vectors has no OpenCL form")


def cmpi(scope: Scope, op: arith.CmpiOp) -> Expression:
    """Whether a predicate holds of two integers."""
    refuse_vectors(op)
    predicate = int(op.predicate.value.data)
    operator = _COMPARISONS[predicate]
    left, right = (in_range(scope.value(operand)) for operand in (op.lhs, op.rhs))
    if predicate in _SIGNED_COMPARISONS:
        # As signed numbers, true is less than false.
        left, right = (right, left) if left.type.is_bool else (to_signed(left), to_signed(right))
    elif predicate >= _FIRST_UNSIGNED:
        left, right = to_unsigned(left), to_unsigned(right)
    return binary(left, operator, right, BOOL, Form.PROMOTED)


def select(scope: Scope, op: arith.SelectOp) -> Expression:
    """One of two values."""
    condition, true, false = (scope.value(operand) for operand in op.operands)
    return conditional(condition, true, false, scope.type_of(op.result))


# Conversions.


def extui(scope: Scope, op: arith.ExtUIOp) -> Expression:
    """The same number in a wider type."""
    return cast(in_range(scope.value(op.input)), scope.type_of(op.result))


def extsi(scope: Scope, op: arith.ExtSIOp) -> Expression:
    """The same signed number in a wider type."""
    return extend_signed(scope.value(op.input), scope.type_of(op.result))


def extend_signed(operand: Expression, type: CType) -> Expression:
    """The operand, read as a signed number, as a wider integer or a floating point number."""
    if not operand.type.is_bool:
        return cast(to_signed(operand), type)
    if type.is_float:
        return conditional(operand, literal(-1.0, type), literal(0.0, type), type)
    negated = unary("-", cast(operand, type), type)
    return replace(negated, form=Form.WRAPPING if type.is_small else Form.EXACT)


def trunci(scope: Scope, op: arith.TruncIOp) -> Expression:
    """The low bits."""
    return truncate(scope.value(op.input), scope.type_of(op.result))


def truncate(operand: Expression, type: CType) -> Expression:
    """The low bits of the operand."""
    if not type.is_bool:
        return cast(operand, type)
    if operand.type.is_bool:
        return operand
    lowest = binary(operand, "&", literal(1, operand.type), operand.type)
    return binary(lowest, "!=", literal(0, operand.type), BOOL, Form.PROMOTED)


def index_cast(scope: Scope, op: arith.IndexCastOp) -> Expression:
    """An index for an integer, or the low bits of an index."""
    operand, type = scope.value(op.input), scope.type_of(op.result)
    if operand.type == type:
        return operand
    if operand.type == INDEX:
        return truncate(operand, type)
    if operand.type == ULONG:
        return cast(operand, INDEX)
    return extend_signed(operand, INDEX)
