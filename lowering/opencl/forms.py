"""
The forms of ops in OpenCL C, and what forms are made of: the interface for ops of any package.

An op with one result that C computes in an expression has a form of type `Emit`. It gets the scope
and the op, and returns the `Expression` that stands for the result:

    FORMS = Implementations[Emit]()

    @FORMS.impl(AverageOp)
    def _average(scope: Scope, op: AverageOp) -> Expression:
        return overloaded("hadd", scope.type_of(op.result), scope.value(op.a), scope.value(op.b))

Any other op has a form of type `Print`, which prints statements with `scope.line`, and binds each
result with `scope.bind(result, expression)`; `scope.declare` prints a variable for an expression.

A package names its `Implementations` in its `pyproject.toml`, in the entry point group
`vyre.opencl.expressions` or `vyre.opencl.statements`:

    [project.entry-points."vyre.opencl.expressions"]
    acme = "acme.opencl:FORMS"

What the op says about its effects (`vyre_dialect.ir.interfaces`, or the traits of xDSL) decides
where its expression may move. One that writes, or does not say, stays where it is, and one that
reads a buffer crosses no op that may write it.
"""

from __future__ import annotations

from vyre_dialect.ir.implementations import Implementations, Registry
from vyre_dialect.lowering.opencl.arithmetic import from_signed, to_signed, to_unsigned
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    Precedence,
    binary,
    call,
    cast,
    combine,
    conditional,
    exact,
    in_range,
    index_by,
    overloaded,
    unary,
)
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.literals import literal, vector_literal
from vyre_dialect.lowering.opencl.memory import load_element, store_element
from vyre_dialect.lowering.opencl.scope import Buffer, Emit, Print, Scope, StatementScope
from vyre_dialect.lowering.opencl.types import BOOL, INDEX, CType, c_type

_OWN = "vyre_dialect.lowering.opencl"

EXPRESSIONS = Registry[Emit](
    "vyre.opencl.expressions",
    [
        f"{_OWN}.arithmetic:INTEGER_OPS",
        f"{_OWN}.division:DIVISION_OPS",
        f"{_OWN}.shifts:SHIFT_OPS",
        f"{_OWN}.floats:FLOAT_OPS",
        f"{_OWN}.floats:MATH_OPS",
        f"{_OWN}.vectors:VECTOR_OPS",
        f"{_OWN}.words:WORD_OPS",
        f"{_OWN}.lanes:LANE_OPS",
        f"{_OWN}.memory:EXPRESSIONS",
    ],
)
"""The ops that are expressions of OpenCL C."""

STATEMENTS = Registry[Print](
    "vyre.opencl.statements",
    [
        f"{_OWN}.constants:STATEMENTS",
        f"{_OWN}.control_flow:STATEMENTS",
        f"{_OWN}.extended:STATEMENTS",
        f"{_OWN}.invocations:STATEMENTS",
        f"{_OWN}.memory:STATEMENTS",
        f"{_OWN}.atomics:STATEMENTS",
    ],
)
"""The ops that are statements."""

__all__ = [
    "BOOL",
    "EXPRESSIONS",
    "INDEX",
    "STATEMENTS",
    "Buffer",
    "CType",
    "Emit",
    "Expression",
    "Form",
    "Helpers",
    "Implementations",
    "Precedence",
    "Print",
    "Scope",
    "StatementScope",
    "binary",
    "c_type",
    "call",
    "cast",
    "combine",
    "conditional",
    "exact",
    "from_signed",
    "in_range",
    "index_by",
    "literal",
    "load_element",
    "overloaded",
    "store_element",
    "to_signed",
    "to_unsigned",
    "unary",
    "vector_literal",
]
