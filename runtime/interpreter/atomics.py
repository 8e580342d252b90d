"""Atomic updates. Of the orders in which they may happen, the one by invocation is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.interfaces import AccessKind
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp
from vyre_dialect.runtime.interpreter.formats import Array, spread
from vyre_dialect.runtime.interpreter.machine import Compile, Compiler, Frame, Step
from vyre_dialect.runtime.interpreter.memory import (
    base_key,
    base_of,
    buffer_type,
    element_run,
    report,
)
from vyre_dialect.runtime.interpreter.storage import Storage
from vyre_dialect.runtime.program.traps import LARGEST_I32_OFFSET
from vyre_dialect.types import AtomicKind

_UFUNCS: dict[AtomicKind, np.ufunc] = {
    AtomicKind.ADDI: np.add,
    AtomicKind.ANDI: np.bitwise_and,
    AtomicKind.ORI: np.bitwise_or,
    AtomicKind.XORI: np.bitwise_xor,
    AtomicKind.MAXS: np.maximum,
    AtomicKind.MAXU: np.maximum,
    AtomicKind.MINS: np.minimum,
    AtomicKind.MINU: np.minimum,
}
_SIGNED = frozenset({AtomicKind.MAXS, AtomicKind.MINS})


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
        result = np.zeros(self.size, values.dtype)
        result[self.rows] = values
        return result

    def rounds(self) -> Iterator[Array]:
        """Sets of updates of different elements which, in turn, are the order by invocation."""
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


def _update(kind: AtomicKind, numbers: Array, addresses: Array, values: Array) -> None:
    """Combine `values` into `numbers`, when nobody asks for old values."""
    if kind == AtomicKind.ASSIGN:
        numbers[addresses] = values
    else:
        _UFUNCS[kind].at(numbers, addresses, values)


def _fetch_and_add(numbers: Array, targets: Targets, values: Array) -> Array:
    order = np.argsort(targets.addresses, kind="stable")
    ordered = targets.addresses[order]
    before = np.cumsum(values[order], dtype=values.dtype) - values[order]
    first = np.searchsorted(ordered, ordered, side="left")
    old = np.empty_like(values)
    old[order] = numbers[ordered] + (before - before[first])
    np.add.at(numbers, targets.addresses, values)
    return old


def _fetch_and_update(kind: AtomicKind, numbers: Array, targets: Targets, values: Array) -> Array:
    if kind == AtomicKind.ADDI:
        return _fetch_and_add(numbers, targets, values)
    old = np.empty_like(values)
    for rows in targets.rounds():
        addresses = targets.addresses[rows]
        old[rows] = numbers[addresses]
        _update(kind, numbers, addresses, values[rows])
    return old


def _dtype(buffer: SSAValue, kind: AtomicKind) -> np.dtype[Any]:
    element = buffer_type(buffer).element_type
    assert isinstance(element, IntegerType)
    return np.dtype(f"{'i' if kind in _SIGNED else 'u'}{element.width.data // 8}")


def _atomic_rmw(op: AtomicRMWOp, compiler: Compiler) -> Step:
    kind, dtype = op.kind.data, _dtype(op.buffer, op.kind.data)
    run, base = element_run(buffer_type(op.buffer)), base_key(op.buffer, compiler)
    buffer, index, value, result = compiler.keys((op.buffer, op.index, op.value, op.old))
    is_old_used = op.old.first_use is not None

    def step(frame: Frame) -> None:
        storage = frame.context.buffers[buffer]
        targets = Targets(storage, frame.size, frame.get(index), base_of(frame, base))
        values = targets.of(frame.get(value)).view(dtype)
        numbers = storage.elements(dtype)
        if is_old_used:
            old = _fetch_and_update(kind, numbers, targets, values)
            frame.values[result] = targets.old(old).view(frame.get(value).dtype)
        else:
            _update(kind, numbers, targets.addresses, values)
        report(frame, op, AccessKind.UPDATE, buffer, run, frame.get(index))

    return step


def _atomic_cas(op: AtomicCASOp, compiler: Compiler) -> Step:
    dtype = _dtype(op.buffer, AtomicKind.ASSIGN)
    run, base = element_run(buffer_type(op.buffer)), base_key(op.buffer, compiler)
    buffer, index, result = compiler.keys((op.buffer, op.index, op.old))
    expected, desired = compiler.keys((op.expected, op.desired))

    def step(frame: Frame) -> None:
        storage = frame.context.buffers[buffer]
        targets = Targets(storage, frame.size, frame.get(index), base_of(frame, base))
        wanted, replacement = targets.of(frame.get(expected)), targets.of(frame.get(desired))
        old = _compare_and_swap(storage.elements(dtype), targets, wanted, replacement)
        frame.values[result] = targets.old(old)
        report(frame, op, AccessKind.UPDATE, buffer, run, frame.get(index))

    return step


def _compare_and_swap(numbers: Array, targets: Targets, expected: Array, desired: Array) -> Array:
    old = np.empty_like(expected)
    for rows in targets.rounds():
        addresses = targets.addresses[rows]
        found = old[rows] = numbers[addresses]
        numbers[addresses] = np.where(found == expected[rows], desired[rows], found)
    return old


def _trap(op: TrapOp, compiler: Compiler) -> Step:
    dtype = _dtype(op.errors, AtomicKind.MINU)
    run, base = element_run(buffer_type(op.errors)), base_key(op.errors, compiler)
    errors, offset = compiler.keys((op.errors, op.offset))
    first = np.zeros(1, dtype=np.int64)

    def step(frame: Frame) -> None:
        storage = frame.context.buffers[errors]
        targets = Targets(storage, frame.size, first, base_of(frame, base))
        offsets = targets.of(frame.get(offset)).astype(np.uint64)
        if dtype.itemsize == 4:
            offsets = np.minimum(offsets, LARGEST_I32_OFFSET)
        offsets = offsets.astype(dtype)
        _update(AtomicKind.MINU, storage.elements(dtype), targets.addresses, offsets)
        report(frame, op, AccessKind.UPDATE, errors, run, first)

    return step


ATOMIC_ACTIONS: dict[type[Operation], Compile] = {
    AtomicRMWOp: _atomic_rmw,
    AtomicCASOp: _atomic_cas,
    TrapOp: _trap,
}
"""The ops that update elements atomically, and the steps they compile to."""
