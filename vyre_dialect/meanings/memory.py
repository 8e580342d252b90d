"""What the ops on buffers mean."""

from __future__ import annotations

from vyre_dialect.ir.meaning import Meanings
from vyre_dialect.meanings.homes import HOMES
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp
from vyre_dialect.ops.stream import StreamOp

OPS = Meanings(HOMES)
row = OPS.row

# Buffers.

row(
    BufferOp,
    step="memory:declare",
    statement="memory:already_declared",
    text_gpu_mlir="accesses:declare",
)
row(StreamOp, step="memory:declare")
row(
    BufLenOp,
    step="memory:length",
    expression="memory:length",
    range="length",
    divisor="length",
    affine="length",
    text_gpu_mlir="accesses:length",
)

# Elements.

row(LoadOp, step="memory:load", expression="memory:load", text_gpu_mlir="accesses:load")
row(StoreOp, step="memory:store", statement="memory:store", text_gpu_mlir="accesses:store")
row(
    AtomicRMWOp,
    step="atomics:atomic_rmw",
    statement="atomics:atomic_rmw",
    text_gpu_mlir="updates:atomic_rmw",
)
row(
    AtomicCASOp,
    step="atomics:atomic_cas",
    statement="atomics:atomic_cas",
    text_gpu_mlir="updates:atomic_cas",
)
row(TrapOp, step="atomics:trap", statement="atomics:trap", text_gpu_mlir="updates:trap")
