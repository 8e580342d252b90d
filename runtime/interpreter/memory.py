"""Loads, stores and lengths of buffers."""

from __future__ import annotations

import numpy as np

from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.elements import Elements
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame, Step
from vyre_dialect.runtime.interpreter.storage import Run, Storage


def _verify_facts(op: LoadOp | StoreOp, run: Run, storage: Storage, index: Array) -> None:
    """Raise VyreError if what a pass has proven of an access does not hold."""
    if op.in_bounds is not None and not storage.holds(run, index):
        outside = index[(index < 0) | (index > storage.count - run.elements)]
        raise VyreError(
            f"'{op.name}' of {run.elements} elements is marked in_bounds, but accesses element "
            f"{outside[0]} of a buffer of {storage.count}"
        )
    if op.alignment is None:
        return
    data = index * storage.element_size
    if (data % op.alignment.value.data).any():
        misaligned = data[data % op.alignment.value.data != 0]
        raise VyreError(
            f"'{op.name}' is marked aligned {op.alignment.value.data}, but accesses byte "
            f"{misaligned[0]}"
        )


def _with_facts(op: LoadOp | StoreOp, elements: Elements, step: Step) -> Step:
    """`step`, after what is proven of its access has been verified."""
    if op.in_bounds is None and op.alignment is None:
        return step

    def verified(frame: Frame) -> None:
        _verify_facts(op, elements.run, elements.storage(frame), elements.index(frame))
        step(frame)

    return verified


def load(op: LoadOp, compiler: Compiler) -> Step:
    """Elements of a buffer, zeros outside of it."""
    elements = Elements(op, op.get_accesses()[0], compiler, op.value.type)
    result = compiler.key(op.value)

    def step(frame: Frame) -> None:
        frame.values[result] = elements.load(frame)

    return _with_facts(op, elements, step)


def store(op: StoreOp, compiler: Compiler) -> Step:
    """Writes elements of a buffer, and nothing outside of it."""
    elements = Elements(op, op.get_accesses()[0], compiler, op.value.type)
    value = compiler.key(op.value)
    return _with_facts(op, elements, lambda frame: elements.store(frame, frame.get(value)))


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
