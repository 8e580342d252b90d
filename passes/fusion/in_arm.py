"""Promotion of a handoff that only one arm touches: its workgroups hand it to themselves."""

from __future__ import annotations

from vyre_dialect.ops.program import BufferOp
from vyre_dialect.passes.fusion.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.plan import Options


def promote_in_arm(analysis: ProgramAnalysis, handoff: BufferOp, options: Options) -> None:
    """Make `handoff` a workgroup buffer in place."""
    raise NotImplementedError
