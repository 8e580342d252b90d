"""What an op computes that is defined by others: what these compute, one after the other."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from vyre_dialect.builder.definition import defined
from vyre_dialect.ir.meaning import Definition
from vyre_dialect.runtime.interpreter.formats import Array, UnsupportedError
from vyre_dialect.runtime.interpreter.machine import NUMPY, Computation, Compute, no_meaning


def numpy(definition: Definition) -> Computation:
    """The functions of the ops of the definition, on the arrays of the operands."""

    def computation(op: Operation) -> Compute:
        made = defined(definition, op)
        steps = [(inner, _compute_of(inner)) for inner in made.block.ops]

        def compute(*operands: Array) -> Array:
            values = dict[SSAValue, Array](zip(made.block.args, operands, strict=True))
            for inner, function in steps:
                values[inner.results[0]] = function(*[values[each] for each in inner.operands])
            return values[made.result]

        return compute

    return computation


def _compute_of(op: Operation) -> Compute:
    computation = NUMPY.of(type(op))
    if computation is None or len(op.results) != 1:
        raise UnsupportedError(no_meaning(op))
    return computation(op)
