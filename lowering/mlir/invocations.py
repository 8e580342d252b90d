"""Ids, barriers, copies by workgroups, and values that go from lane to lane of subgroups."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from vyre_dialect.ir.types import Axis, ReduceKind, lane_count
from vyre_dialect.lowering.mlir.accesses import as_stored, as_value, is_inside
from vyre_dialect.lowering.mlir.storage import Storage, stored_scalar
from vyre_dialect.lowering.mlir.writer import Writer, no_form, type_text
from vyre_dialect.ops.invocation import (
    AsyncCopyOp,
    AsyncWaitOp,
    BarrierOp,
    InvocationIdOp,
    LocalIdOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    WorkgroupIdOp,
)

_AXES = tuple(Axis)
_Exchange: TypeAlias = SubgroupShuffleOp | SubgroupReduceOp


def _index(writer: Writer, text: str, hint: str | None = None) -> str:
    return writer.let(f"{text} : index", hint)


def invocation_id(writer: Writer, op: InvocationIdOp) -> None:
    """The workgroup times its size, and the place in it."""
    axis = op.axis.data
    size = writer.constant(writer.kernel.workgroup[_AXES.index(axis)], "index")
    group = writer.let(f"gpu.block_id {axis}")
    begin = _index(writer, f"arith.muli {group}, {size}")
    local = writer.let(f"gpu.thread_id {axis}")
    writer.bind(op.results[0], _index(writer, f"arith.addi {begin}, {local}"))


def workgroup_id(writer: Writer, op: WorkgroupIdOp) -> None:
    """The block."""
    writer.bind(op.results[0], writer.let(f"gpu.block_id {op.axis.data}"))


def local_id(writer: Writer, op: LocalIdOp) -> None:
    """The thread of the block."""
    writer.bind(op.results[0], writer.let(f"gpu.thread_id {op.axis.data}"))


def _linear_id(writer: Writer) -> str:
    """The place in the workgroup along x, then y, then z."""
    x, y, _ = writer.kernel.workgroup
    ids = [writer.let(f"gpu.thread_id {axis}") for axis in _AXES]
    rows = _index(writer, f"arith.muli {ids[2]}, {writer.constant(y, 'index')}")
    row = _index(writer, f"arith.addi {rows}, {ids[1]}")
    before = _index(writer, f"arith.muli {row}, {writer.constant(x, 'index')}")
    return _index(writer, f"arith.addi {before}, {ids[0]}")


def subgroup_id(writer: Writer, op: SubgroupIdOp) -> None:
    """Subgroups are as many invocations in a row as the kernel says."""
    lanes, linear = writer.constant(writer.kernel.lanes, "index"), _linear_id(writer)
    writer.bind(op.results[0], _index(writer, f"arith.divui {linear}, {lanes}"))


def subgroup_lane(writer: Writer, op: SubgroupLaneOp) -> None:
    """The place in the subgroup."""
    lanes, linear = writer.constant(writer.kernel.lanes, "index"), _linear_id(writer)
    writer.bind(op.results[0], _index(writer, f"arith.remui {linear}, {lanes}"))


def barrier(writer: Writer, op: BarrierOp | AsyncWaitOp) -> None:
    """Wait for the workgroup, and see what it wrote."""
    writer.line("gpu.barrier")


# Copies.


def async_copy(writer: Writer, op: AsyncCopyOp) -> None:
    """Each invocation copies every so many elements; `vyre.async_wait` is the barrier."""
    source, target = writer.storage(op.source), writer.storage(op.destination)
    if source.lanes > 1:
        raise no_form(op)
    begin, into, count = writer.values((op.source_index, op.destination_index, op.count))
    x, y, z = writer.kernel.workgroup
    linear, step = _linear_id(writer), writer.constant(x * y * z, "index")
    number = writer.fresh("element")
    writer.line(f"scf.for {number} = {linear} to {count} step {step} {{")
    with writer.indented():
        place = _index(writer, f"arith.addi {into}, {number}")
        value = _element(writer, source, _index(writer, f"arith.addi {begin}, {number}"))
        text = f"memref.store {value}, {target.name}[{place}] : {target.memref}"
        writer.when(is_inside(writer, target, place, 1), lambda: writer.line(text))
    writer.line("}")
    writer.bind(op.token, linear)


def _element(writer: Writer, source: Storage, place: str) -> str:
    """An element of a buffer, 0 outside."""
    inside = is_inside(writer, source, place, 1)
    read, zero = partial(_read, writer, source, place), partial(writer.zero, source.scalar)
    return writer.choice(inside, source.scalar, read, zero)


# Subgroups, by workgroup memory: no device need have as many lanes as a program asks for.


def _publish(writer: Writer, op: _Exchange, linear: str) -> Storage:
    """Put a value where the whole workgroup can read it."""
    if lane_count(op.value.type) > 1:
        raise no_form(op)
    x, y, z = writer.kernel.workgroup
    storage = writer.exchange(stored_scalar(op.value.type), x * y * z)
    value = as_stored(writer, op, writer.value(op.value), op.value.type)
    writer.line(f"memref.store {value}, {storage.name}[{linear}] : {storage.memref}")
    writer.line("gpu.barrier")
    return storage


def _first_lane(writer: Writer, linear: str) -> str:
    lanes = writer.constant(writer.kernel.lanes, "index")
    group = _index(writer, f"arith.divui {linear}, {lanes}")
    return _index(writer, f"arith.muli {group}, {lanes}")


def _read(writer: Writer, storage: Storage, place: str) -> str:
    return writer.let(f"memref.load {storage.name}[{place}] : {storage.memref}")


def subgroup_shuffle(writer: Writer, op: SubgroupShuffleOp) -> None:
    """The value of another lane; 0 where there is none."""
    linear = _linear_id(writer)
    storage = _publish(writer, op, linear)
    lanes, zero = writer.constant(writer.kernel.lanes, "index"), writer.constant(0, "index")
    lane = writer.value(op.lane)
    inside = writer.let(f"arith.cmpi ult, {lane}, {lanes} : index")
    known = writer.let(f"arith.select {inside}, {lane}, {zero} : index")
    place = _index(writer, f"arith.addi {_first_lane(writer, linear)}, {known}")
    type = type_text(op, op.value.type)
    value, nothing = _published(writer, op, storage, place), writer.zero(type)
    writer.line("gpu.barrier")
    text = f"arith.select {inside}, {value}, {nothing} : {type}"
    writer.bind(op.result, writer.let(text))


def _published(writer: Writer, op: _Exchange, storage: Storage, place: str) -> str:
    """The value of another invocation."""
    return as_value(writer, op, _read(writer, storage, place), op.value.type)


_COMBINED = {
    **{ReduceKind.ADDI: "addi", ReduceKind.ANDI: "andi", ReduceKind.ORI: "ori"},
    **{ReduceKind.XORI: "xori", ReduceKind.MAXS: "maxsi", ReduceKind.MAXU: "maxui"},
    **{ReduceKind.MINS: "minsi", ReduceKind.MINU: "minui"},
}


def subgroup_reduce(writer: Writer, op: SubgroupReduceOp) -> None:
    """The values of all lanes combined, from the first on."""
    linear, type = _linear_id(writer), type_text(op, op.value.type)
    storage, first = _publish(writer, op, linear), _first_lane(writer, linear)
    result = _published(writer, op, storage, first)
    for lane in range(1, writer.kernel.lanes):
        number = writer.constant(lane, "index")
        place = _index(writer, f"arith.addi {first}, {number}")
        other = _published(writer, op, storage, place)
        result = writer.let(f"arith.{_COMBINED[op.kind.data]} {result}, {other} : {type}")
    writer.line("gpu.barrier")
    writer.bind(op.result, result)
