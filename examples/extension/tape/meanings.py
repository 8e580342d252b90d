"""What the ops inside arms mean: each in one class, which says what does not follow by itself."""

from __future__ import annotations

import numpy as np

from tape.ops import AtOp, TallyOp
from vyre_dialect.builder import Value
from vyre_dialect.ir.meaning import Meaning, Meanings
from vyre_dialect.lowering.opencl.forms import StatementScope
from vyre_dialect.runtime.interpreter import Array, Compiler, Elements, Frame, Step

OPS = Meanings()


@OPS.describe(AtOp)
class At(Meaning):
    """A function of indices, of which all follows that anybody asks."""

    def definition(self, op: AtOp, position: Value) -> Value:
        return position * op.tracks.value.data + op.track.value.data


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


@OPS.describe(TallyOp)
class Tally(Meaning):
    """An effect, which the interpreter and OpenCL C have in ways of their own."""

    def step(self, op: TallyOp, compiler: Compiler) -> Step:
        element, limit = Elements(op, op.get_accesses()[0], compiler), op.limit.value.data

        def one_more(old: Array) -> Array:
            return np.where(old < limit, old + 1, old)

        def step(frame: Frame) -> None:
            element.update(frame, one_more)

        return step

    def statement(self, scope: StatementScope, op: TallyOp) -> None:
        name = scope.helpers.function("vyre_tape_tally", lambda: TALLY)
        buffer, index = scope.buffer(op.buffer), scope.value(op.index)
        limit = f"{op.limit.value.data}u"
        # The buffer knows its length: an access outside of it does nothing.
        scope.line(f"{name}({buffer.name}, {buffer.length.text}, {index.converted}, {limit});")
