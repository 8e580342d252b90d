"""How the ops inside arms look in OpenCL C."""

from __future__ import annotations

from tape.ops import AtOp, TallyOp
from vyre_dialect.lowering.opencl.forms import (
    INDEX,
    Emit,
    Expression,
    Implementations,
    Print,
    Scope,
    StatementScope,
    binary,
    literal,
)

EXPRESSIONS = Implementations[Emit]()
STATEMENTS = Implementations[Print]()

TALLY = """\
static void vyre_tape_tally(volatile __global uint *p, long n, long i, uint limit)
{
    if ((ulong)i >= (ulong)n)
        return;
    for (uint old = p[i], seen; old < limit; old = seen) {
        seen = atomic_cmpxchg(&p[i], old, old + 1);
        if (seen == old)
            return;
    }
}"""


@EXPRESSIONS.impl(AtOp)
def at(scope: Scope, op: AtOp) -> Expression:
    """The place of an element, as C."""
    tracks, track = (literal(number.value.data, INDEX) for number in (op.tracks, op.track))
    return binary(binary(scope.value(op.position), "*", tracks, INDEX), "+", track, INDEX)


@STATEMENTS.impl(TallyOp)
def tally(printer: StatementScope, op: TallyOp) -> None:
    """A call of a function that counts up to the limit."""
    name = printer.helpers.function("vyre_tape_tally", lambda: TALLY)
    buffer, index = printer.buffer(op.buffer), printer.value(op.index)
    limit = f"{op.limit.value.data}u"
    # The buffer knows its length: an access outside of it does nothing.
    printer.line(f"{name}({buffer.name}, {buffer.length.text}, {index.converted}, {limit});")
