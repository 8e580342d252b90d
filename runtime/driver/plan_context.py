"""A context that knows the ops that host plans are made of, and loads no other."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Dialect

from vyre_dialect.ir.types import AccessAttr, BufferType, EscapeAttr, InitialAttr, MemorySpaceAttr
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import ProgramOp

_HOST = Dialect(
    "vyre",
    [ProgramOp, BufferOp, BufLenOp, LoadOp, LaunchOp],
    [AccessAttr, BufferType, EscapeAttr, InitialAttr, MemorySpaceAttr],
)


def plan_context() -> Context:
    """Enough for the plans of the programs that vyre writes itself, of buffers and sizes."""
    context = Context()
    for dialect in (Builtin, Arith, _HOST):
        context.load_dialect(dialect)
    return context
