"""
Buffers, loads and stores.

An access that is not proven to stay inside its buffer is guarded: as a whole, and, where it is not
inside as a whole, element by element; what lies outside reads as 0 and is not written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.dialects.builtin import IndexType, VectorType
from xdsl.ir import Attribute, Operation

from vyre_dialect.ir.types import (
    BufferType,
    MemorySpace,
    accessed_elements,
    lane_count,
    scalar_type,
)
from vyre_dialect.lowering.mlir.storage import Storage, storage_of, stored_scalar
from vyre_dialect.lowering.mlir.vectors import combined
from vyre_dialect.lowering.mlir.writer import PRIVATE, WORKGROUP, Writer, type_text
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp

_SPACES = {MemorySpace.WORKGROUP: WORKGROUP, MemorySpace.PRIVATE: PRIVATE}


def declare(writer: Writer, op: BufferOp) -> None:
    """A buffer of a kernel: an attribution, or a part of the workgroup's arena."""
    space = _SPACES[op.type.space]
    name = writer.fresh(op.sym_name.data)
    storage = storage_of(op.type, name, None, space)
    writer.store_in(op.buffer, storage)
    if op.arena_offset is not None:
        offset = writer.constant(op.arena_offset.value.data, "index")
        types = f"{arena_type(writer)} to {storage.memref}"
        writer.line(f"{name} = memref.view {writer.arena}[{offset}][] : {types}")
        return
    declared = writer.workgroup if op.type.space == MemorySpace.WORKGROUP else writer.private
    declared.append(f"{name} : {storage.memref}")


def arena_type(writer: Writer) -> str:
    """The memref of the bytes that the tiles of a workgroup share."""
    arena = writer.kernel.arena_bytes
    return f"memref<{0 if arena is None else arena.value.data}xi8, {WORKGROUP}>"


def length(writer: Writer, op: BufLenOp) -> None:
    """The element count of a buffer."""
    writer.bind(op.results[0], length_of(writer, writer.storage(op.buffer)))


def length_of(writer: Writer, storage: Storage) -> str:
    """The element count of a buffer, an index."""
    if storage.length is not None:
        return storage.length
    return writer.constant(storage.count or 0, "index")


@dataclass(frozen=True)
class _Run:
    """Consecutive numbers of a memref, which one access reads or writes."""

    storage: Storage
    first: str
    count: int

    @property
    def type(self) -> str:
        scalar = self.storage.scalar
        return scalar if self.count == 1 else f"vector<{self.count}x{scalar}>"

    def read(self, writer: Writer) -> str:
        """All of it, which lies inside."""
        place, memref = f"{self.storage.name}[{self.first}]", self.storage.memref
        if self.count == 1:
            return writer.let(f"memref.load {place} : {memref}")
        return writer.let(f"vector.load {place} : {memref}, {self.type}")

    def write(self, writer: Writer, value: str) -> None:
        """Write all of it, which lies inside."""
        place, memref = f"{self.storage.name}[{self.first}]", self.storage.memref
        if self.count == 1:
            writer.line(f"memref.store {value}, {place} : {memref}")
        else:
            writer.line(f"vector.store {value}, {place} : {memref}, {self.type}")

    def element(self, writer: Writer, number: int) -> _Run:
        """One of its numbers."""
        step = writer.constant(number, "index")
        place = writer.let(f"arith.addi {self.first}, {step} : index")
        return _Run(self.storage, place, 1)


def _run_of(writer: Writer, op: LoadOp | StoreOp, value: Attribute) -> _Run:
    """What an access of type `value` covers."""
    buffer, storage = op.buffer.type, writer.storage(op.buffer)
    assert isinstance(buffer, BufferType)
    elements, first = accessed_elements(buffer, value) or 0, writer.value(op.index)
    if storage.lanes > 1:
        lanes = writer.constant(storage.lanes, "index")
        first = writer.let(f"arith.muli {first}, {lanes} : index")
    return _Run(storage, first, elements * storage.lanes)


def load(writer: Writer, op: LoadOp) -> None:
    """The elements that a type covers, as a value of the type."""
    run = _run_of(writer, op, op.value.type)
    read = run.read(writer) if op.in_bounds is not None else _read_guarded(writer, run)
    type = op.value.type
    kept = recast(writer, read, run.type, _kept_type(type), lane_count(type), stored_scalar(type))
    writer.bind(op.value, as_value(writer, op, kept, type))


def store(writer: Writer, op: StoreOp) -> None:
    """Write a value over the elements that its type covers."""
    run = _run_of(writer, op, op.value.type)
    kept = as_stored(writer, op, writer.value(op.value), op.value.type)
    from_type, scalar = _kept_type(op.value.type), run.storage.scalar
    value = recast(writer, kept, from_type, run.type, run.count, scalar)
    if op.in_bounds is not None:
        run.write(writer, value)
        return
    inside = is_inside(writer, run.storage, run.first, run.count)
    outside = (lambda: _write_elements(writer, run, value)) if run.count > 1 else None
    writer.when(inside, lambda: run.write(writer, value), outside)


def _write_elements(writer: Writer, run: _Run, value: str) -> None:
    for number in range(run.count):
        text = f"vector.extract {value}[{number}] : {run.storage.scalar} from {run.type}"
        element, lane = run.element(writer, number), writer.let(text)
        inside = is_inside(writer, run.storage, element.first, 1)
        writer.when(inside, partial(element.write, writer, lane))


def is_inside(writer: Writer, storage: Storage, first: str, count: int) -> str:
    """Whether numbers of a memref exist, of which a buffer has `lanes` for each element."""
    total = length_of(writer, storage)
    if storage.lanes > 1:
        lanes = writer.constant(storage.lanes, "index")
        total = writer.let(f"arith.muli {total}, {lanes} : index")
    if count == 1:
        return writer.let(f"arith.cmpi ult, {first}, {total} : index")
    needed = writer.constant(count, "index")
    places = writer.let(f"arith.subi {total}, {needed} : index")
    is_before = writer.let(f"arith.cmpi sle, {first}, {places} : index")
    zero = writer.constant(0, "index")
    is_after = writer.let(f"arith.cmpi sge, {first}, {zero} : index")
    return writer.let(f"arith.andi {is_before}, {is_after} : i1")


def _read_guarded(writer: Writer, run: _Run) -> str:
    """What a run holds, with zeros outside the buffer."""
    inside = is_inside(writer, run.storage, run.first, run.count)
    outside = (
        partial(_read_elements, writer, run) if run.count > 1 else (partial(writer.zero, run.type))
    )
    return writer.choice(inside, run.type, partial(run.read, writer), outside)


def _read_elements(writer: Writer, run: _Run) -> str:
    lanes = [_read_guarded(writer, run.element(writer, number)) for number in range(run.count)]
    return combined(writer, lanes, run.type)


# Between what memory holds and what values are.


def _kept_type(type: Attribute) -> str:
    """How memory holds values of a type."""
    kept = stored_scalar(type)
    return f"vector<{lane_count(type)}x{kept}>" if isinstance(type, VectorType) else kept


def as_value(writer: Writer, op: Operation, kept: str, type: Attribute) -> str:
    """What memory holds, as a value of a type."""
    if stored_scalar(type) == str(scalar_type(type)):
        return kept
    cast = "index_cast" if isinstance(scalar_type(type), IndexType) else "trunci"
    return writer.let(f"arith.{cast} {kept} : {_kept_type(type)} to {type_text(op, type)}")


def as_stored(writer: Writer, op: Operation, value: str, type: Attribute) -> str:
    """A value of a type, as memory holds it."""
    if stored_scalar(type) == str(scalar_type(type)):
        return value
    cast = "index_cast" if isinstance(scalar_type(type), IndexType) else "extui"
    return writer.let(f"arith.{cast} {value} : {type_text(op, type)} to {_kept_type(type)}")


def recast(writer: Writer, value: str, type: str, to: str, lanes: int, scalar: str) -> str:
    """The same bits as another type: of `lanes` numbers of a type, or one."""
    if type == to:
        return value
    if not type.startswith("vector"):
        value = writer.let(f"vector.broadcast {value} : {type} to vector<1x{type}>")
        type = f"vector<1x{type}>"
    wide = to if to.startswith("vector") else f"vector<{lanes}x{scalar}>"
    if type != wide:
        value = writer.let(f"vector.bitcast {value} : {type} to {wide}")
    if to == wide:
        return value
    return writer.let(f"vector.extract {value}[0] : {scalar} from {wide}")
