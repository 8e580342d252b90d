"""Atomics and traps. Outside its buffer, an update yields 0 and does nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.lowering.mlir.accesses import is_inside
from vyre_dialect.lowering.mlir.storage import Storage
from vyre_dialect.lowering.mlir.writer import Writer
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp

_LARGEST = 2**32 - 2
"""The largest offset that errors of 32 bits hold: all bits set means no error."""


def _update(writer: Writer, storage: Storage, kind: AtomicKind, value: str, place: str) -> str:
    types = f"({storage.scalar}, {storage.memref}) -> {storage.scalar}"
    text = f"memref.atomic_rmw {kind} {value}, {storage.name}[{place}] : {types}"
    return writer.let(text, "old")


def _guarded(
    writer: Writer, storage: Storage, place: str, proven: UnitAttr | None, update: Callable[[], str]
) -> str:
    """What an update yields, which is done inside the buffer only."""
    if proven is not None:
        return update()
    inside = is_inside(writer, storage, place, 1)
    return writer.choice(inside, storage.scalar, update, partial(writer.zero, storage.scalar))


def atomic_rmw(writer: Writer, op: AtomicRMWOp) -> None:
    """An update of one element that nothing interrupts."""
    storage, value, place = writer.storage(op.buffer), *writer.values((op.value, op.index))
    old = _guarded(
        writer,
        storage,
        place,
        op.in_bounds,
        lambda: _update(writer, storage, op.kind.data, value, place),
    )
    writer.bind(op.old, old)


def atomic_cas(writer: Writer, op: AtomicCASOp) -> None:
    """An exchange where the element is what is expected."""
    storage, place = writer.storage(op.buffer), writer.value(op.index)
    old = _guarded(writer, storage, place, op.in_bounds, lambda: _exchange(writer, op, storage))
    writer.bind(op.old, old)


def _exchange(writer: Writer, op: AtomicCASOp, storage: Storage) -> str:
    expected, desired, place = writer.values((op.expected, op.desired, op.index))
    type, name, current = storage.scalar, writer.fresh("old"), writer.fresh("current")
    writer.line(f"{name} = memref.generic_atomic_rmw {storage.name}[{place}] : {storage.memref} {{")
    writer.line(f"^bb0({current}: {type}):")
    with writer.indented():
        is_equal = writer.let(f"arith.cmpi eq, {current}, {expected} : {type}")
        chosen = writer.let(f"arith.select {is_equal}, {desired}, {current} : {type}")
        writer.line(f"memref.atomic_yield {chosen} : {type}")
    writer.line("}")
    return name


def trap(writer: Writer, op: TrapOp) -> None:
    """Keeps the first offset that something is wrong at."""
    storage, place = writer.storage(op.errors), writer.constant(0, "index")
    offset = _offset(writer, op.offset, storage.scalar)
    is_known = UnitAttr() if storage.count else None
    _guarded(
        writer,
        storage,
        place,
        is_known,
        lambda: _update(writer, storage, AtomicKind.MINU, offset, place),
    )


def _offset(writer: Writer, offset: SSAValue, scalar: str) -> str:
    wide = writer.let(f"arith.index_cast {writer.value(offset)} : index to i64")
    if scalar == "i64":
        return wide
    largest = writer.constant(_LARGEST, "i64")
    known = writer.let(f"arith.minui {wide}, {largest} : i64")
    return writer.let(f"arith.trunci {known} : i64 to {scalar}")
