"""Why an input that a device has no room for cannot be taken in parts, one after the other."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import Operation

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.refusal import Refusal


def obstacle_to_parts(program: ProgramOp) -> str | None:
    """
    The first arm of `program` that works across the ends of parts of its buffers, and by which
    access; None where none is seen to.
    """
    analysis = AnalysisManager().get(ProgramAnalysis, program)
    for arm in program.arms():
        if (obstacle := _of_arm(arm, analysis)) is not None:
            return obstacle
    return None


def _of_arm(arm: RegionOp, analysis: ProgramAnalysis) -> str | None:
    name, facts = arm.generator.data, analysis.facts(arm)
    if facts.unknown_effects is not None:
        unknown = facts.unknown_effects
        return f"'{unknown.name}' of '{name}' does not say what it touches{_line(unknown)}"
    if not facts.is_data_parallel:
        return f"'{name}' depends on its workgroups{_line(arm)}"
    accesses = analysis.accesses(arm)
    if isinstance(accesses, Refusal):
        return f"'{name}': {accesses.detail}{_line(arm)}"
    for access in accesses.accesses:
        reason = analysis.ask(lambda access=access: _of_access(access, accesses))
        if isinstance(reason, Refusal):
            reason = "accesses '{}' in a way that isl gives up on"
        if reason is not None:
            buffer = f"@{access.buffer.sym_name.data}"
            return f"'{name}' {reason.format(buffer)}{_line(access.op)}"
    return None


def _of_access(access: AccessRelation, accesses: ArmAccesses) -> str | None:
    """What is wrong about an access of an arm, with a place for the name of its buffer."""
    if access.buffer.type.static_count is not None:  # one for all parts, as a table or a sum
        is_sum = not access.writes or access.access.combiner is not None
        return None if is_sum else "writes '{}', of which all parts have one, and not by sums"
    if access.reach is None:
        return "accesses '{}' at an index that is known only when it runs"
    reads = accesses.reads_of(access.buffer)
    if access in reads and not accesses.reach(reads).is_injective():
        return "reads elements of '{}' that other invocations read, too, across the end of a part"
    return None


def _line(op: Operation) -> str:
    location = op.location
    if not isinstance(location, FileLineColLoc):
        return ""
    return f" ({location.filename.data}:{location.line.data})"
