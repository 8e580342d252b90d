"""
Elements of buffers, as ops touch them: under the out-of-bounds rule, and with a word to whoever
observes the run. The ops of vyre and those of other packages come here alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.ir.interfaces import AccessKind, BufferAccess
from vyre_dialect.ir.types import BufferType, MemorySpace, scalar_type
from vyre_dialect.runtime.interpreter.batch import (
    BASE,
    GROUP,
    LINEAR_INVOCATION,
    LINEAR_WORKGROUP,
    POSITION,
    Batch,
    Instances,
)
from vyre_dialect.runtime.interpreter.formats import Array, UnsupportedError, lanes_of, spread
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame, Key
from vyre_dialect.runtime.interpreter.observer import ObservedAccess
from vyre_dialect.runtime.interpreter.storage import Run, Storage

Combine: TypeAlias = Callable[..., Array]
"""From the old values of elements, and what goes with each, to the new values."""


class Elements:
    """
    The elements that an op touches by one of its accesses, in each invocation of a frame.

        def _pair_sum(op: PairSumOp, compiler: Compiler) -> Step:
            pair = Elements(op, op.get_accesses()[0], compiler)
            result = compiler.key(op.sum)

            def step(frame: Frame) -> None:
                frame.values[result] = pair.load(frame).sum(axis=1)

            return step
    """

    def __init__(
        self,
        op: Operation,
        access: BufferAccess,
        compiler: Compiler,
        type: Attribute | None = None,
    ):
        """
        `type` is what the elements are read or written as: one element as itself, unless stated,
        and several as a vector. Raises UnsupportedError where the access does not say which
        elements it touches, or `type` does not cover whole elements.
        """
        buffer = buffer_type(access.buffer)
        self.run = Run.of(buffer, type or _type_of(op, access, buffer))
        self._op = op
        self._buffer = compiler.key(access.buffer)
        self._base = base_key(access.buffer, compiler)
        self._index = _index(op, access, compiler)

    def storage(self, frame: Frame) -> Storage:
        """The buffer."""
        return frame.context.buffers[self._buffer]

    def index(self, frame: Frame) -> Array:
        """The first element in each invocation."""
        return self._index if isinstance(self._index, np.ndarray) else frame.get(self._index)

    def load(self, frame: Frame) -> Array:
        """The values of the elements; 0 outside the buffer."""
        base = base_of(frame, self._base)
        values = self.storage(frame).load(self.run, self.index(frame), base)
        self.report(frame, AccessKind.READ)
        return values

    def store(self, frame: Frame, values: Array) -> None:
        """Write the elements; those outside the buffer are dropped."""
        base = base_of(frame, self._base)
        self.storage(frame).store(self.run, values, self.index(frame), base)
        self.report(frame, AccessKind.WRITE, values)

    def update(self, frame: Frame, combine: Combine, *operands: Array) -> Array:
        """
        Update one element atomically, the invocations in order, and give its old values.

        `combine` gets the old values of some invocations, and the operands of these. Outside the
        buffer nothing is written, and the old value is 0.
        """
        storage, targets = self.storage(frame), self.targets(frame)
        given = [targets.of(operand) for operand in operands]
        old = storage.read(self.run, targets.addresses)
        for rows in targets.rounds():
            addresses = targets.addresses[rows]
            found = old[rows] = storage.read(self.run, addresses)
            storage.write(self.run, addresses, combine(found, *(values[rows] for values in given)))
        self.report(frame, AccessKind.UPDATE)
        return targets.old(old)

    def targets(self, frame: Frame) -> Targets:
        """The elements that are updated; whoever updates them also reports it."""
        base = base_of(frame, self._base)
        return Targets(self.storage(frame), frame.size, self.index(frame), base)

    def report(self, frame: Frame, kind: AccessKind, values: Array | None = None) -> None:
        """Tell the observer of an access by every invocation of the frame."""
        batch = frame.context
        if batch.observer is None:
            return
        assert isinstance(batch, Batch)
        run, index = self.run, spread(self.index(frame), frame.size)
        positions = index[:, np.newaxis] + np.arange(run.elements)
        inside = (positions >= 0) & (positions < batch.buffers[self._buffer].count)
        phases = batch.phases[batch.declarations[self._buffer].type.space]
        batch.observer.access(
            ObservedAccess(
                arm=batch.arm,
                op=self._op,
                buffer=batch.declarations[self._buffer],
                kind=kind,
                elements=positions.ravel(),
                in_bounds=inside.ravel(),
                invocations=_per_element(frame, LINEAR_INVOCATION, run),
                workgroups=_per_element(frame, LINEAR_WORKGROUP, run),
                phases=np.repeat(phases[frame.get(GROUP)], run.elements),
                values=None if values is None else written(spread(values, frame.size), run),
            )
        )


class Targets:
    """The elements that the invocations of a frame update, those inside the buffer only."""

    def __init__(self, storage: Storage, size: int, index: Array, base: Array | None):
        self.size = size
        self.rows = _rows_inside(spread(index, size), storage.count)
        """Positions in the frame of the invocations that update something; None for all."""
        self.addresses = self.of(index if base is None else index + base)

    def of(self, values: Array) -> Array:
        """The values in the invocations that update something."""
        values = spread(values, self.size)
        return values if self.rows is None else values[self.rows]

    def old(self, values: Array) -> Array:
        """Old values for the whole frame; 0 outside the buffer."""
        if self.rows is None:
            return values
        result = np.zeros((self.size, *values.shape[1:]), values.dtype)
        result[self.rows] = values
        return result

    def rounds(self) -> Iterator[Array]:
        """Sets of updates of different elements which, in turn, are the order by invocation."""
        if not len(self.addresses):
            return
        order = np.argsort(self.addresses, kind="stable")
        ranks = _ranks(self.addresses[order])
        by_rank = order[np.argsort(ranks, kind="stable")]
        yield from np.split(by_rank, np.cumsum(np.bincount(ranks))[:-1])


def _rows_inside(index: Array, count: int) -> Array | None:
    unsigned = index.view(np.uint64)
    return None if unsigned.max() < count else np.flatnonzero(unsigned < count)


def _ranks(ordered: Array) -> Array:
    """How many equal values stand before each of the sorted values."""
    return np.arange(len(ordered)) - np.searchsorted(ordered, ordered, side="left")


def buffer_type(buffer: SSAValue) -> BufferType:
    """The type of a buffer value."""
    assert isinstance(buffer.type, BufferType)
    return buffer.type


def _type_of(op: Operation, access: BufferAccess, buffer: BufferType) -> Attribute:
    count, element = access.count, buffer.element_type
    if not isinstance(count, int):
        raise UnsupportedError(
            f"the interpreter expected '{op.name}' to access a number of elements that is known"
        )
    if count == 1:
        return element
    return VectorType(scalar_type(element), [count, *lanes_of(element)])


def _index(op: Operation, access: BufferAccess, compiler: Compiler) -> Key | Array:
    """The index of an access: the key of a value, or an array of the one that is known."""
    if access.index is None:
        raise UnsupportedError(
            f"the interpreter expected '{op.name}' to say which elements it accesses"
        )
    if isinstance(access.index, int):
        return np.array([access.index], dtype=np.int64)
    return compiler.key(access.index)


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


def _per_element(frame: Frame, key: Key, run: Run) -> Array:
    return np.repeat(spread(frame.get(key), frame.size), run.elements)


def written(values: Array, run: Run) -> Array:
    """The bytes of each element that is written."""
    return run.pack(values).view(np.uint8).reshape(-1, run.size // run.elements)
