"""The OpenCL C of an op that is defined by others: theirs, one in the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from vyre_dialect.builder.definition import defined
from vyre_dialect.ir.meaning import Definition
from vyre_dialect.lowering.opencl.expressions import Expression
from vyre_dialect.lowering.opencl.forms import EXPRESSION, STATEMENT
from vyre_dialect.lowering.opencl.scope import StatementScope
from vyre_dialect.lowering.opencl.unprintable import no_form

Emit: TypeAlias = Callable[[StatementScope, Operation], Expression]


def expression(definition: Definition) -> Emit:
    """An expression, before which stand variables for what it takes twice."""

    def emit(scope: StatementScope, op: Operation) -> Expression:
        made = defined(definition, op)
        for argument, operand in zip(made.block.args, op.operands, strict=True):
            known = scope.simple(operand) if _is_repeated(argument) else scope.value(operand)
            scope.bind(argument, known)
        for inner in made.block.ops:
            _print(scope, inner)
        return scope.value(made.result)

    return emit


def _print(scope: StatementScope, op: Operation) -> None:
    if (emit := EXPRESSION.of(type(op))) is not None:
        (result,) = op.results
        scope.bind(result, emit(scope, op))
        if _is_repeated(result):
            scope.bind(result, scope.simple(result))
    elif (print_op := STATEMENT.of(type(op))) is not None:
        print_op(scope, op)
    else:
        raise no_form(op)


def _is_repeated(value: SSAValue) -> bool:
    return value.has_more_than_one_use()
