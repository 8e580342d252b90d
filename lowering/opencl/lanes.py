"""
Comparisons, choices and conversions in the lanes of vectors: a table from op to expression.

A comparison of OpenCL's vectors has lanes of -1 and 0, as wide as those compared; a mask of the IR
has lanes of `uchar` that are 1 and 0. Clang makes vectors of single bits of both.
"""

from __future__ import annotations

from vyre_dialect.lowering.opencl.arithmetic import (
    extend_signed,
    from_signed,
    is_i1,
    reinterpret,
    to_signed,
    to_unsigned,
)
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    binary,
    cast,
    conditional,
    exact,
    overloaded,
    unary,
)
from vyre_dialect.lowering.opencl.floats import comparison, saturated
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.literals import literal, vector_literal
from vyre_dialect.lowering.opencl.scope import Scope
from vyre_dialect.lowering.opencl.types import CType
from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    FloatPredicate,
    LookUpLanesOp,
    Predicate,
    SelectLanesOp,
)

_OPERATORS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def converted(operand: Expression, type: CType) -> Expression:
    """The numbers in the lanes of a vector, or a scalar, as those of another type."""
    if operand.type == type:
        return operand
    if operand.type.width == type.width and not operand.type.is_float:
        return reinterpret(operand, type)
    if not type.is_vector:  # there is no conversion to `bool`
        return cast(operand, type)
    return overloaded(f"convert_{type}", type, operand)


def compare(scope: Scope, op: CompareLanesOp) -> Expression:
    """In which lanes a predicate holds."""
    predicate = op.predicate.data
    operator = _OPERATORS[predicate[-2:]]
    left, right = (exact(scope.value(operand)) for operand in (op.lhs, op.rhs))
    if predicate in (Predicate.SLT, Predicate.SLE, Predicate.SGT, Predicate.SGE):
        if is_i1(op.lhs.type):  # as signed numbers, true is less than false
            operator = _MIRRORED[operator]
        else:
            left, right = to_signed(left), to_signed(right)
    else:
        left, right = to_unsigned(left), to_unsigned(right)
    mask = scope.type_of(op.result)
    if not left.type.is_vector:  # a vector of one lane is a scalar
        return binary(left, operator, right, mask, Form.PROMOTED)
    return _as_mask(binary(left, operator, right, left.type.signed), mask)


def _as_mask(holds: Expression, mask: CType) -> Expression:
    """What OpenCL has for a comparison of vectors as a mask of the IR."""
    return converted(unary("-", holds, holds.type), mask)


def compare_floats(scope: Scope, op: CompareFloatLanesOp) -> Expression:
    """In which lanes a predicate of floats holds."""
    left, right = (exact(scope.value(operand)) for operand in (op.lhs, op.rhs))
    holds = comparison(op.predicate.data.number, left, right)
    return _as_mask(holds, scope.type_of(op.result)) if holds.type.is_vector else holds


def select(scope: Scope, op: SelectLanesOp) -> Expression:
    """Each lane from one of two vectors."""
    mask, true, false = (exact(scope.value(operand)) for operand in op.operands)
    type = scope.type_of(op.result)
    if not type.is_vector:
        return conditional(mask, true, false, type)
    wide = unary("-", converted(mask, type.signed), type.signed)
    return conditional(wide, true, false, type)


def convert(scope: Scope, op: ConvertLanesOp) -> Expression:
    """Each lane as a number of another type."""
    operand, type = exact(scope.value(op.input)), scope.type_of(op.result)
    conversion = op.conversion.data
    if conversion.makes_floats:
        signed = conversion == Conversion.SITOFP
        return _as_floats(operand, type, signed=signed, of_bits=is_i1(op.input.type))
    if conversion.is_of_floats:
        signed = conversion == Conversion.FPTOSI
        if is_i1(op.result.type):
            return _float_bits(operand, type, signed=signed)
        target = type.signed if signed else type
        return from_signed(saturated(scope.helpers, operand, target), type)
    match conversion:
        case Conversion.TRUNCI:
            return _truncated(operand, type, to_bits=is_i1(op.result.type))
        case Conversion.EXTSI if is_i1(op.input.type):
            return unary("-", converted(operand, type), type)
        case Conversion.EXTSI:
            return from_signed(converted(to_signed(operand), type.signed), type)
        case _:
            return converted(operand, type)


def _as_floats(operand: Expression, type: CType, *, signed: bool, of_bits: bool) -> Expression:
    """Integers as floats; single bits, as signed numbers, are -1 and 0."""
    if not type.is_vector:
        return extend_signed(operand, type) if signed else cast(operand, type)
    if signed:
        operand = to_signed(unary("-", operand, operand.type) if of_bits else operand)
    return overloaded(f"convert_{type}", type, operand)


def _float_bits(operand: Expression, type: CType, *, signed: bool) -> Expression:
    """Floats as single bits, which are 0 and 1, or, as signed numbers, -1 and 0."""
    limit = literal(-1.0 if signed else 1.0, operand.type.scalar)
    right = vector_literal([limit], operand.type) if operand.type.is_vector else limit
    predicate = FloatPredicate.OLE if signed else FloatPredicate.OGE
    holds = comparison(predicate.number, operand, right)
    return _as_mask(holds, type) if type.is_vector else holds


def look_up(scope: Scope, op: LookUpLanesOp) -> Expression:
    """Lanes of a vector, at positions that another one holds."""
    type = scope.type_of(op.result)
    table, positions = (exact(scope.value(operand)) for operand in op.operands)
    name = _look_up_function(scope.helpers, table.type, positions.type, type)
    return overloaded(name, type, table, positions)


def _look_up_function(helpers: Helpers, table: CType, positions: CType, type: CType) -> str:
    """
    A function of a vector and positions in it, which Clang makes one instruction of (of `shuffle`,
    CPU runtimes make a loop over memory). Others have no subscripts of vectors.
    """
    name = f"vyre_look_up_{table.short_name}_{positions.short_name}"
    numbers = [f"i.s{lane:x}" for lane in range(positions.lanes)] if positions.is_vector else ["i"]
    lanes = ", ".join(f"units[{number}]" for number in numbers)
    text = (
        f"static {type} {name}({table} t, {positions} i)\n{{\n"
        f"#ifdef __clang__\n"
        f"    {table} units = t;\n"
        f"#else\n"
        f"    {table.base} units[{table.lanes}];\n"
        f"    vstore{table.lanes}(t, 0, units);\n"
        f"#endif\n"
        f"    i &= ({positions})({table.lanes - 1});\n"
        f"    return ({type})({lanes});\n}}"
    )
    return helpers.function(name, lambda: text)


def _truncated(operand: Expression, type: CType, *, to_bits: bool) -> Expression:
    if to_bits:
        one = literal(1, operand.type.scalar)
        ones = vector_literal([one], operand.type) if operand.type.is_vector else one
        operand = exact(binary(operand, "&", ones, operand.type))
    return converted(operand, type)
