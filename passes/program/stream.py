"""`vyre-stream`: says of programs how they may run on pieces of their input."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.streams.plan import StreamPlan
from vyre_dialect.analysis.streams.refusal import Refusal
from vyre_dialect.analysis.streams.streams import Streams
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.stream import IN_ORDER, StreamOp, stream_of
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of


@dataclass(frozen=True)
class StreamPass(RewritePass):
    """
    Puts a `vyre.stream` into each program with an input that it may be cut along, which says how,
    or which op forbids it. What a program says of that itself is replaced.

    Library ops are to be arms by then. Without `input`, the first input is taken that a program may
    be cut along.
    """

    name = "vyre-stream"

    input: str = ""
    """The buffer to cut along."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        rewriter, changed = rewriter_of(module, facts), False
        for program in [op for op in module.ops if isinstance(op, ProgramOp)]:
            said, proven = stream_of(program), self._proven(program, facts)
            if said is not None and proven is not None and said.is_structurally_equivalent(proven):
                continue
            if said is not None:
                rewriter.erase(said)
            if proven is not None:
                rewriter.insert(proven, InsertPoint.at_start(program.body.block))
            changed |= said is not None or proven is not None
        return changed

    def _proven(self, program: ProgramOp, facts: AnalysisManager) -> StreamOp | None:
        found = plan_along(program, facts, self.input)
        if found is None:
            return None
        buffer, plan = found
        if isinstance(plan, StreamPlan):
            return stream_op(plan)
        return StreamOp(buffer.sym_name.data, refused=str(plan))


def plan_along(
    program: ProgramOp, facts: AnalysisManager, name: str = ""
) -> tuple[BufferOp, StreamPlan | Refusal] | None:
    """
    How a program is cut along the input called `name`, or along the first that it may be cut along;
    or what forbids to cut it along the first. None where the size of no input is what the host
    says. Raises PassFailedException for a name that is none of those.
    """
    streams = facts.get(Streams, program)
    inputs = [each for each in streams.inputs() if name in ("", each.sym_name.data)]
    if name and not inputs:
        raise PassFailedException(
            f"'{StreamPass.name}' expected an input of '@{program.sym_name.data}' whose size the "
            f"host says, got '@{name}'"
        )
    found = [(buffer, streams.along(buffer)) for buffer in inputs]
    possible = [each for each in found if isinstance(each[1], StreamPlan)]
    return next(iter([*possible, *found]), None)


def stream_op(plan: StreamPlan) -> StreamOp:
    """What a plan is as an op."""
    return StreamOp(
        plan.main.sym_name.data,
        plan.unit,
        before=plan.before,
        after=plan.after,
        least=plan.least,
        cuts={
            buffer.sym_name.data: (each.per_unit, each.extra)
            for buffer, each in plan.inputs.items()
            if buffer is not plan.main
        },
        keeps={buffer.sym_name.data: each or IN_ORDER for buffer, each in plan.kept.items()},
        joins={buffer.sym_name.data: each for buffer, each in plan.ordered.items()},
    )
