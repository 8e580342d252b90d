"""
Loads and stores of neighbouring items. Those next to each other are one wide access; those a few
elements apart are wide accesses of all in between, and shuffles; any others are done one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vyre_dialect.builder import Value
from vyre_dialect.ir.interfaces import buffers_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, accessed_elements, lane_count
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.loop.vectorization.body import Body
from vyre_dialect.passes.loop.vectorization.lane_values import (
    Stepped,
    Uniform,
    separate,
    wide_type,
)

MAX_APART = 4
"""Items between the beginnings of neighbours that are loaded, or stored, all together."""

_Place: TypeAlias = tuple[SSAValue, frozenset[object], int, Attribute]
"""A buffer, the terms of an index, its step, and a type: what accesses of one chunk agree in."""


@dataclass(frozen=True)
class Chunk:
    """Vectors that hold what neighbours load around each other's elements."""

    begin: int
    """The constant of the index that the first vector starts at."""
    vectors: tuple[SSAValue, ...]


Chunks: TypeAlias = dict[_Place, list[Chunk]]
"""The chunks that have been loaded before the current place."""


def vectorize_load(body: Body, op: LoadOp, chunks: Chunks) -> None:
    """Load what the lanes load, at the current place."""
    index = body.value(op.index)
    if isinstance(index, Uniform) and op.buffer not in body.written:
        body.bind(op.value, Uniform(body.lanes, _load_like(body, op, index.value, op.value.type)))
        return
    if isinstance(index, Stepped) and _can_be_wide(body, op, op.value.type):
        if index.step == op.elements:
            body.wide_ops += 1
            body.bind_wide(op.value, _load_wide(body, op, index.first))
            return
        if (gathered := _load_apart(body, op, index, chunks)) is not None:
            body.wide_ops += 1
            body.bind_wide(op.value, gathered)
            return
    body.scalar_ops += 1
    lanes = [body.clone_at(op, lane).results[0] for lane in range(body.lanes)]
    body.bind(op.value, separate(lanes))


def vectorize_store(body: Body, op: StoreOp) -> None:
    """Store what the lanes store, at the current place."""
    index, value = body.value(op.index), body.value(op.value)
    if isinstance(index, Uniform) and isinstance(value, Uniform):
        body.clone_at(op, 0)
        return
    if (
        isinstance(index, Stepped)
        and index.step == op.elements
        and _can_be_wide(body, op, op.value.type)
    ):
        body.wide_ops += 1
        store = StoreOp(value.wide(), op.buffer, index.first)
        store.in_bounds, store.alignment = op.in_bounds, op.alignment
        return
    _store_one_by_one(body, op)


def _store_one_by_one(body: Body, op: StoreOp) -> None:
    body.scalar_ops += 1
    for lane in range(body.lanes):
        body.clone_at(op, lane)


def _can_be_wide(body: Body, op: LoadOp | StoreOp, type: Attribute) -> bool:
    """Whether one access can cover the elements of neighbouring items."""
    buffer = op.buffer.type
    assert isinstance(buffer, BufferType)
    elements = accessed_elements(buffer, wide_type(type, body.lanes))
    return elements == op.elements * body.lanes


def _load_like(body: Body, op: LoadOp, index: SSAValue, type: Attribute) -> SSAValue:
    load = LoadOp(op.buffer, index, type)
    load.in_bounds, load.alignment = op.in_bounds, op.alignment
    body.drop_proofs(load)
    return load.value


def _load_wide(body: Body, op: LoadOp, index: SSAValue) -> SSAValue:
    return _load_like(body, op, index, wide_type(op.value.type, body.lanes))


# Items that are a few elements apart.


def _load_apart(body: Body, op: LoadOp, index: Stepped, chunks: Chunks) -> SSAValue | None:
    """The items of every lane out of all that lie between the first and the last of them."""
    apart = _items_apart(index.step, op.elements)
    block = op.parent
    if apart is None or op.buffer in body.written or block is None:
        return None
    form = body.steps.forms.at(op.index, block)
    place = (op.buffer, frozenset[object](form.terms), index.step, op.value.type)
    known = chunks.setdefault(place, [])
    for chunk in known:
        offset = form.constant - chunk.begin
        if 0 <= offset <= index.step - op.elements and offset % op.elements == 0:
            return _strided(chunk.vectors, offset // op.elements, apart, body.lanes)
    elements, type = op.elements * body.lanes, wide_type(op.value.type, body.lanes)
    begins = [_place(index.first, part * elements) for part in range(apart)]
    vectors = tuple(LoadOp(op.buffer, begin, type).value for begin in begins)
    known.append(Chunk(form.constant, vectors))
    return _strided(vectors, 0, apart, body.lanes)


def _place(first: SSAValue, offset: int) -> SSAValue:
    return (Value(first) + offset).ssa if offset else first


def _items_apart(step: int, elements: int) -> int | None:
    """How many items begin from one neighbour to the next, if that is a small whole number."""
    if step % elements or not 1 < step // elements <= MAX_APART:
        return None
    return step // elements


def _strided(vectors: Sequence[SSAValue], offset: int, apart: int, lanes: int) -> SSAValue:
    """The items at `offset`, `offset + apart` and so on, in vectors of `lanes` items each."""
    size = lane_count(vectors[0].type) // lanes
    places = [divmod(offset + lane * apart, lanes) for lane in range(lanes)]
    taken = vectors[0]
    for number, vector in enumerate(vectors[1:], 1):
        items = list[int]()
        for lane, (part, item) in enumerate(places):
            if part == number:
                items.append(lanes + item)
            else:  # as taken before, or, the first time, of the first vector
                items.append(item if number == 1 and part == 0 else lane)
        taken = _shuffled(taken, vector, items, size)
    return taken


def _shuffled(one: SSAValue, other: SSAValue, items: Sequence[int], size: int) -> SSAValue:
    """The items at some positions of two vectors of items of so many lanes."""
    lanes = [item * size + part for item in items for part in range(size)]
    return Value(one).shuffle(Value(other), lanes).ssa


# Stores that fill what lies between those of neighbours.


@dataclass(frozen=True)
class Interleaved:
    """Stores of one block that together fill the elements from one item to the next."""

    stores: tuple[StoreOp, ...]
    """In the order of their places."""
    last: StoreOp
    """The one that runs last."""


def interleaved_stores(body: Body, block: Block) -> dict[Operation, Interleaved]:
    """The stores of a block that are done together, where the last of them stands."""
    groups = dict[_Place, list[tuple[int, StoreOp]]]()
    for op in block.ops:
        if not isinstance(op, StoreOp) or not _can_be_wide(body, op, op.value.type):
            continue
        form = body.steps.forms.at(op.index, block)
        step = body.steps.of(form)
        if step is not None and _items_apart(step, op.elements) is not None:
            place = (op.buffer, frozenset[object](form.terms), step, op.value.type)
            groups.setdefault(place, []).append((form.constant, op))
    found = dict[Operation, Interleaved]()
    for (_, _, step, _), members in groups.items():
        if _fills(step, members) and _are_together([op for _, op in members]):
            stores = tuple(op for _, op in sorted(members, key=lambda member: member[0]))
            group = Interleaved(stores, members[-1][1])
            found.update((store, group) for store in stores)
    return found


def _fills(step: int, members: Sequence[tuple[int, StoreOp]]) -> bool:
    places = sorted(place for place, _ in members)
    elements = members[0][1].elements
    return places == [*range(places[0], places[0] + step, elements)]


def _are_together(stores: Sequence[StoreOp]) -> bool:
    """Whether nothing else touches the buffer from the first to the last of the stores."""
    op: Operation | None = stores[0]
    while op is not None and op is not stores[-1]:
        if op not in stores and any(
            stores[0].buffer in buffers_of(each) for each in ops_inside(op)
        ):
            return False
        op = op.next_op
    return True


def vectorize_interleaved(body: Body, group: Interleaved) -> None:
    """Store what the lanes store by several stores, in one run."""
    first = body.value(group.stores[0].index)
    apart = len(group.stores)
    step = apart * group.last.elements
    if not isinstance(first, Stepped) or first.step != step:
        for store in group.stores:
            _store_one_by_one(body, store)
        return
    body.wide_ops += apart
    sources = [body.value(store.value).wide() for store in group.stores]
    elements = group.last.elements * body.lanes
    for part in range(apart):
        vector = _interleaved(sources, part, body.lanes)
        index = _place(first.first, part * elements)
        store = StoreOp(vector, group.last.buffer, index)
        all_inside = all(each.in_bounds is not None for each in group.stores)
        store.in_bounds = UnitAttr() if all_inside else None


def _interleaved(sources: Sequence[SSAValue], part: int, lanes: int) -> SSAValue:
    """Part of the items of several vectors, one of each in turn: as many as a vector has."""
    size, apart = lane_count(sources[0].type) // lanes, len(sources)
    places = [divmod(part * lanes + item, apart) for item in range(lanes)]
    made = sources[0]
    for number, source in enumerate(sources[1:], 1):
        items = list[int]()
        for lane, (item, which) in enumerate(places):
            if which == number:
                items.append(lanes + item)
            else:  # as put there before, or, the first time, of the first vector
                items.append(item if number == 1 and which == 0 else lane)
        made = _shuffled(made, source, items, size)
    return made
