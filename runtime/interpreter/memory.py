"""Loads, stores and lengths of buffers."""

from __future__ import annotations

import numpy as np

from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.runtime.interpreter.access_proofs import with_proofs
from vyre_dialect.runtime.interpreter.elements import Elements
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame, Step


def load(op: LoadOp, compiler: Compiler) -> Step:
    """Elements of a buffer, zeros outside of it."""
    elements = Elements(op, op.get_accesses()[0], compiler, op.value.type)
    result = compiler.key(op.value)

    def step(frame: Frame) -> None:
        frame.values[result] = elements.load(frame)

    return with_proofs(op, elements, step)


def store(op: StoreOp, compiler: Compiler) -> Step:
    """Writes elements of a buffer, and nothing outside of it."""
    elements = Elements(op, op.get_accesses()[0], compiler, op.value.type)
    value = compiler.key(op.value)
    return with_proofs(op, elements, lambda frame: elements.store(frame, frame.get(value)))


def length(op: BufLenOp, compiler: Compiler) -> Step:
    """How many elements a buffer has."""
    buffer, result = compiler.key(op.buffer), compiler.key(op.length)

    def step(frame: Frame) -> None:
        frame.values[result] = np.array([frame.context.buffers[buffer].count], dtype=np.int64)

    return step


def declare(op: BufferOp, compiler: Compiler) -> Step:
    """A declaration does nothing: batches come with their buffers."""
    del op, compiler
    return lambda _: None
