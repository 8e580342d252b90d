"""
Loads and stores of items that are a few elements apart, or that neighbours share: loads of all in
between, and shuffles; stores by which each item fills what lies between it and the next, and
shuffles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.builder import Value
from vyre_dialect.ir.interfaces import buffers_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.loop.vectorization.body import Body, Chunk, Place, Recipe
from vyre_dialect.passes.loop.vectorization.lane_values import wide_type
from vyre_dialect.passes.loop.vectorization.planning import Planning

MAX_APART = 4
"""Items between the beginnings of neighbours that are loaded, or stored, all together."""


def items_apart(step: int, elements: int) -> int | None:
    """How many items begin from one neighbour to the next, if that is a small whole number."""
    if step % elements or not 1 < step // elements <= MAX_APART:
        return None
    return step // elements


def _after(first: SSAValue, offset: int) -> SSAValue:
    return (Value(first) + offset).ssa if offset else first


def _shuffled(one: SSAValue, other: SSAValue, items: Sequence[int], size: int) -> SSAValue:
    """The items at some positions of two vectors of items of so many lanes."""
    lanes = [item * size + part for item in items for part in range(size)]
    return Value(one).shuffle(Value(other), lanes).ssa


# Loads of what lies between the items of neighbours.


@dataclass(frozen=True)
class StridedLoad(Recipe):
    """The items of all lanes, taken out of what lies between the first and the last of them."""

    op: LoadOp
    place: Place
    begin: int
    """The constant of the index."""

    def write(self, body: Body) -> None:
        """Load vectors of all that lies between, unless others have, and shuffle them."""
        elements, step = self.op.elements, self.place.step
        chunks = body.chunks.setdefault(self.place, [])
        for chunk in chunks:
            offset = self.begin - chunk.begin
            if 0 <= offset <= step - elements and offset % elements == 0:
                break
        else:
            chunk = self._load(body)
            chunks.append(chunk)
        offset = (self.begin - chunk.begin) // elements
        taken = _strided(chunk.vectors, offset, step // elements, body.lanes)
        body.bind_wide(self.op.value, taken)

    def _load(self, body: Body) -> Chunk:
        op, type = self.op, body.wide_type(self.op.value.type)
        first, apart = body.value(op.index).at(0), self.place.step // op.elements
        begins = [_after(first, part * op.elements * body.lanes) for part in range(apart)]
        vectors = tuple(LoadOp(op.buffer, begin, type).value for begin in begins)
        return Chunk(self.begin, vectors)


def plan_strided_load(planning: Planning, op: LoadOp, step: int) -> Recipe:
    """How the lanes load items that are so many elements apart."""
    planning.strided_loads += 1
    assert op.parent is not None
    form = planning.steps.forms.at(op.index, op.parent)
    place = Place(op.buffer, frozenset[object](form.terms), step, op.value.type)
    return StridedLoad(op, place, form.constant)


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


# Loads of what neighbours share.


@dataclass(frozen=True)
class SharedLoad(Recipe):
    """The items of all lanes, some of several lanes, are loaded at once and dealt out."""

    op: LoadOp
    items: Sequence[int]
    """Which of the items that are loaded each lane takes."""
    begin: int
    """Elements from the first lane's item to the first that is loaded."""

    @property
    def count(self) -> int:
        """How many items are loaded: a power of two."""
        return 1 << max(self.items).bit_length()

    def write(self, body: Body) -> None:
        """Load a vector of the items, and shuffle it."""
        op, type = self.op, self.op.value.type
        index = _after(body.value(op.index).at(0), self.begin)
        load = LoadOp(op.buffer, index, wide_type(type, self.count))
        if max(self.items) + 1 == self.count:
            load.in_bounds = op.in_bounds
        body.drop_proofs(load)
        dealt = _shuffled(load.value, load.value, self.items, lane_count(type))
        body.bind_wide(op.value, dealt)


def plan_shared_load(planning: Planning, op: LoadOp) -> SharedLoad | None:
    """How the lanes load items, some of them the same, of which a vector holds all."""
    offsets = planning.offsets_of(op.index)
    if offsets is None or op.buffer in planning.written or not planning.can_be_wide(op):
        return None
    begin = min(offsets)
    if any((offset - begin) % op.elements for offset in offsets):
        return None
    items = [(offset - begin) // op.elements for offset in offsets]
    return SharedLoad(op, items, begin) if 0 < max(items) < planning.lanes else None


# Stores that fill what lies between those of neighbours.


@dataclass(frozen=True)
class Interleaved(Recipe):
    """Stores of one block that together fill the elements from one item to the next."""

    stores: tuple[StoreOp, ...]
    """In the order of their places."""
    last: StoreOp
    """The one that runs last."""

    @property
    def step(self) -> int:
        """By how much the index of each grows from lane to lane."""
        return len(self.stores) * self.last.elements

    def write(self, body: Body) -> None:
        """Store what the lanes store by several stores, in one run."""
        first = body.value(self.stores[0].index).at(0)
        sources = [body.value(store.value).wide() for store in self.stores]
        all_inside = all(each.in_bounds is not None for each in self.stores)
        for part in range(len(self.stores)):
            vector = _interleaved(sources, part, body.lanes)
            index = _after(first, part * self.last.elements * body.lanes)
            store = StoreOp(vector, self.last.buffer, index)
            store.in_bounds = UnitAttr() if all_inside else None


def interleaved_stores(planning: Planning, block: Block) -> dict[Operation, Interleaved]:
    """The stores of a block that can be done together."""
    groups = dict[Place, list[tuple[int, StoreOp]]]()
    for op in block.ops:
        if not isinstance(op, StoreOp) or not planning.can_be_wide(op):
            continue
        form = planning.steps.forms.at(op.index, block)
        step = planning.steps.of(form)
        if step is not None and items_apart(step, op.elements) is not None:
            place = Place(op.buffer, frozenset[object](form.terms), step, op.value.type)
            groups.setdefault(place, []).append((form.constant, op))
    found = dict[Operation, Interleaved]()
    for place, members in groups.items():
        if _fills(place.step, members) and _are_together([op for _, op in members]):
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
