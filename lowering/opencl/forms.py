"""
The forms of ops in OpenCL C, and what forms are made of: the interface for ops of any package.

A description (`vyre_dialect.ir.meaning`) says of an op with one result that C computes in an
expression its `expression`: from the scope and the op to what stands for the result.

    def expression(self, scope: Scope, op: AverageOp) -> Expression:
        return overloaded("hadd", scope.type_of(op.result), scope.value(op.a), scope.value(op.b))

Of any other op it says the `statement`, which prints with `scope.line`, and binds each result with
`scope.bind(result, expression)`; `scope.declare` prints a variable for an expression.

What the op says about its effects (`vyre_dialect.ir.interfaces`, or the traits of xDSL) decides
where its expression may move. One that writes, or does not say, stays where it is, and one that
reads a buffer crosses no op that may write it.
"""

from __future__ import annotations

from vyre_dialect.ir.meaning import Facet
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

EXPRESSION = Facet[Emit]("expression", "vyre_dialect.lowering.opencl.by_definition:expression")
"""The ops that are expressions of OpenCL C."""
STATEMENT = Facet[Print]("statement")
"""The ops that are statements."""

__all__ = [
    "BOOL",
    "EXPRESSION",
    "INDEX",
    "STATEMENT",
    "Buffer",
    "CType",
    "Emit",
    "Expression",
    "Form",
    "Helpers",
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
