"""Whether what a program says of its scratch buffers still holds where the runtime relies on it."""

from __future__ import annotations

from vyre_dialect.analysis.escape import Escapes
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.errors import VyreError


def verify_marks(program: ProgramOp) -> None:
    """
    Raise a VyreError where a buffer is marked as escaping nowhere and does: the program was
    changed since. Its kernels, if it launches any, must be there.
    """
    escapes = Escapes(program)
    for buffer in program.buffers():
        if buffer.non_escaping is None or (cause := escapes.cause(buffer)) is None:
            continue
        raise VyreError(
            f"buffer '{buffer.sym_name.data}' is marked 'non_escaping', but escapes: {cause}; "
            "run 'vyre-escape-analysis' last"
        )
