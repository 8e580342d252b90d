"""Atomic updates. Of the orders in which they may happen, the one by invocation is taken."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp
from vyre_dialect.runtime.interpreter.access_proofs import with_proofs
from vyre_dialect.runtime.interpreter.elements import Elements, Targets, buffer_type
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Binary, Compiler, Frame, Step
from vyre_dialect.runtime.interpreter.traps import LARGEST_I32_OFFSET

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


def combined(kind: AtomicKind, one: Array, other: Array) -> Array:
    """Two parts of a buffer that were made apart, put together element by element."""
    dtype = np.dtype(f"{'i' if kind in _SIGNED else 'u'}{one.itemsize}")
    return _UFUNCS[kind](one.view(dtype), other.view(dtype)).view(one.dtype)


def _update(kind: AtomicKind, numbers: Array, addresses: Array, values: Array) -> None:
    """Combine `values` into `numbers`, where old values are unused."""
    if kind == AtomicKind.ASSIGN:
        numbers[addresses] = values
    else:
        _UFUNCS[kind].at(numbers, addresses, values)


def _fetch_and_add(numbers: Array, targets: Targets, values: Array) -> Array:
    """Old values and new elements, without a round for each invocation of an element."""
    order = np.argsort(targets.addresses, kind="stable")
    ordered = targets.addresses[order]
    before = np.cumsum(values[order], dtype=values.dtype) - values[order]
    first = np.searchsorted(ordered, ordered, side="left")
    old = np.empty_like(values)
    old[order] = numbers[ordered] + (before - before[first])
    np.add.at(numbers, targets.addresses, values)
    return old


def _dtype(buffer: SSAValue, kind: AtomicKind) -> np.dtype[Any]:
    element = buffer_type(buffer).element_type
    assert isinstance(element, IntegerType)
    return np.dtype(f"{'i' if kind in _SIGNED else 'u'}{element.width.data // 8}")


def _combination(kind: AtomicKind, dtype: np.dtype[Any]) -> Binary:
    """The new value of an element, from the old one and the operand."""

    def combine(old: Array, value: Array) -> Array:
        if kind == AtomicKind.ASSIGN:
            return value
        return _UFUNCS[kind](old.view(dtype), value.view(dtype)).view(old.dtype)

    return combine


def atomic_rmw(op: AtomicRMWOp, compiler: Compiler) -> Step:
    """An update of one element, by one invocation after the other."""
    kind = op.kind.data
    dtype = _dtype(op.buffer, kind)
    element = Elements(op, op.get_accesses()[0], compiler)
    value, result = compiler.keys((op.value, op.old))
    combine = _combination(kind, dtype)

    def update(frame: Frame) -> None:
        targets = element.targets(frame)
        values = targets.of(frame.get(value)).view(dtype)
        _update(kind, element.storage(frame).elements(dtype), targets.addresses, values)
        element.report(frame, AccessKind.UPDATE)

    def fetch_and_add(frame: Frame) -> None:
        targets = element.targets(frame)
        values = targets.of(frame.get(value))
        old = _fetch_and_add(element.storage(frame).elements(dtype), targets, values)
        frame.values[result] = targets.old(old)
        element.report(frame, AccessKind.UPDATE)

    def fetch_and_update(frame: Frame) -> None:
        frame.values[result] = element.update(frame, combine, frame.get(value))

    step = fetch_and_add if kind == AtomicKind.ADDI else fetch_and_update
    return with_proofs(op, element, update if op.old.first_use is None else step)


def atomic_cas(op: AtomicCASOp, compiler: Compiler) -> Step:
    """An exchange where the element is what is expected."""
    element = Elements(op, op.get_accesses()[0], compiler)
    expected, desired, result = compiler.keys((op.expected, op.desired, op.old))

    def step(frame: Frame) -> None:
        wanted, replacement = frame.get(expected), frame.get(desired)
        frame.values[result] = element.update(frame, _swapped, wanted, replacement)

    return with_proofs(op, element, step)


def _swapped(old: Array, expected: Array, desired: Array) -> Array:
    return np.where(old == expected, desired, old)


def trap(op: TrapOp, compiler: Compiler) -> Step:
    """Keeps the first offset that something is wrong at."""
    dtype = _dtype(op.errors, AtomicKind.MINU)
    element = Elements(op, op.get_accesses()[0], compiler)
    offset = compiler.key(op.offset)

    def step(frame: Frame) -> None:
        targets = element.targets(frame)
        offsets = targets.of(frame.get(offset)).astype(np.uint64)
        if dtype.itemsize == 4:
            offsets = np.minimum(offsets, LARGEST_I32_OFFSET)
        numbers = element.storage(frame).elements(dtype)
        _update(AtomicKind.MINU, numbers, targets.addresses, offsets.astype(dtype))
        element.report(frame, AccessKind.UPDATE)

    return step
