"""Loads, stores and lengths of buffers."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation, SSAValue

from vyre_dialect.interfaces import AccessKind
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp, BufLenOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.batch import (
    BASE,
    GROUP,
    LINEAR_INVOCATION,
    LINEAR_WORKGROUP,
    POSITION,
    Batch,
    Instances,
)
from vyre_dialect.runtime.interpreter.formats import Array, spread
from vyre_dialect.runtime.interpreter.machine import Compile, Compiler, Frame, Key, Step
from vyre_dialect.runtime.interpreter.observer import ObservedAccess
from vyre_dialect.runtime.interpreter.storage import Run, Storage
from vyre_dialect.types import BufferType, MemorySpace


def buffer_type(buffer: SSAValue) -> BufferType:
    """The type of a buffer value."""
    assert isinstance(buffer.type, BufferType)
    return buffer.type


def element_run(type: BufferType) -> Run:
    """The run of one element."""
    return Run.of(type, type.element_type)


def base_key(buffer: SSAValue, compiler: Compiler) -> Key | None:
    """The key of the base addresses of a buffer with instances; None for a global one."""
    type = buffer_type(buffer)
    if type.space == MemorySpace.GLOBAL:
        return None
    unit = GROUP if type.space == MemorySpace.WORKGROUP else POSITION
    count = type.static_count
    assert count is not None
    return compiler.need(BASE, Instances(unit, count))


def base_of(frame: Frame, key: Key | None) -> Array | None:
    """The address of each invocation's own instance of a buffer, if it has one."""
    return None if key is None else frame.get(key)


def report(
    frame: Frame,
    op: Operation,
    kind: AccessKind,
    buffer: Key,
    run: Run,
    index: Array,
    values: Array | None = None,
) -> None:
    """Tell the observer of an access by every invocation of the frame."""
    batch = frame.context
    if batch.observer is None:
        return
    assert isinstance(batch, Batch)
    positions = spread(index, frame.size)[:, np.newaxis] + np.arange(run.elements)
    inside = (positions >= 0) & (positions < batch.buffers[buffer].count)
    phases = batch.phases[batch.declarations[buffer].type.space]
    batch.observer.access(
        ObservedAccess(
            arm=batch.arm,
            op=op,
            buffer=batch.declarations[buffer],
            kind=kind,
            elements=positions.ravel(),
            in_bounds=inside.ravel(),
            invocations=_per_element(frame, LINEAR_INVOCATION, run),
            workgroups=_per_element(frame, LINEAR_WORKGROUP, run),
            phases=np.repeat(phases[frame.get(GROUP)], run.elements),
            values=None if values is None else written(spread(values, frame.size), run),
        )
    )


def _per_element(frame: Frame, key: Key, run: Run) -> Array:
    return np.repeat(spread(frame.get(key), frame.size), run.elements)


def written(values: Array, run: Run) -> Array:
    """The bytes of each element that is written."""
    return run.pack(values).view(np.uint8).reshape(-1, run.size // run.elements)


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
    bytes = index * storage.element_size
    if (bytes % op.alignment.value.data).any():
        misaligned = bytes[bytes % op.alignment.value.data != 0]
        raise VyreError(
            f"'{op.name}' is marked aligned {op.alignment.value.data}, but accesses byte "
            f"{misaligned[0]}"
        )


def _load(op: LoadOp, compiler: Compiler) -> Step:
    run = Run.of(buffer_type(op.buffer), op.value.type)
    buffer, index, result = compiler.keys((op.buffer, op.index, op.value))
    base = base_key(op.buffer, compiler)
    has_facts = op.in_bounds is not None or op.alignment is not None

    def step(frame: Frame) -> None:
        storage, position = frame.context.buffers[buffer], frame.get(index)
        if has_facts:
            _verify_facts(op, run, storage, position)
        frame.values[result] = storage.load(run, position, base_of(frame, base))
        report(frame, op, AccessKind.READ, buffer, run, position)

    return step


def _store(op: StoreOp, compiler: Compiler) -> Step:
    run = Run.of(buffer_type(op.buffer), op.value.type)
    buffer, index, value = compiler.keys((op.buffer, op.index, op.value))
    base = base_key(op.buffer, compiler)
    has_facts = op.in_bounds is not None or op.alignment is not None

    def step(frame: Frame) -> None:
        storage, position, values = (
            frame.context.buffers[buffer],
            frame.get(index),
            frame.get(value),
        )
        if has_facts:
            _verify_facts(op, run, storage, position)
        storage.store(run, values, position, base_of(frame, base))
        report(frame, op, AccessKind.WRITE, buffer, run, position, values)

    return step


def _length(op: BufLenOp, compiler: Compiler) -> Step:
    buffer, result = compiler.key(op.buffer), compiler.key(op.length)

    def step(frame: Frame) -> None:
        frame.values[result] = np.array([frame.context.buffers[buffer].count], dtype=np.int64)

    return step


def _declare(op: BufferOp, compiler: Compiler) -> Step:
    """A declaration does nothing: batches come with their buffers."""
    del op, compiler
    return lambda _: None


MEMORY_ACTIONS: dict[type[Operation], Compile] = {
    BufferOp: _declare,
    BufLenOp: _length,
    LoadOp: _load,
    StoreOp: _store,
}
"""The ops on buffers that any invocation may run alone, and the steps they compile to."""
