"""Zeros in tiles where their handoffs have no elements: what is read outside a buffer is zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.dialects.builtin import VectorType, i32, i64

from vyre_dialect.builder import Buffer, Value, barrier, constant, constants, for_, if_
from vyre_dialect.ir.types import MemorySpace, accessed_elements, lane_count
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.granules import Granule, granules_of

WORD_BYTES = 4
UNROLLED_WORDS = 64
"""Words of a private tile up to which the loop over its zeros is unrolled."""
NO_STORES: Mapping[int, Granule] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Overhang:
    """A tile at an end of a handoff, where a part of it lies outside."""

    handoff: BufferOp
    tile: Buffer
    base: Value
    """The element of the handoff with which the tile begins."""
    extent: int
    may_begin_before: bool
    """Whether that may be before the first one."""

    @property
    def is_private(self) -> bool:
        """Whether each invocation has the tile for itself."""
        return self.tile.type.space == MemorySpace.PRIVATE

    @property
    def per_word(self) -> int:
        """How many elements are masked at once, as a word."""
        per_word = accessed_elements(self.tile.type, i32) or 1
        return 1 if self.extent % per_word else per_word

    def is_at_an_end(self) -> Value:
        """Whether some of the tile lies outside."""
        length = length_of(self.handoff)
        beyond = self.base + self.extent > length
        return (self.base < 0) | beyond if self.may_begin_before else beyond

    def zero_element(self, position: Value) -> None:
        """A zero at a position that lies outside."""
        element = self.base + position
        outside = element >= length_of(self.handoff)
        if self.may_begin_before:
            outside = (element < 0) | outside
        with if_(outside):
            self.tile.store(constant(0, self.handoff.type.element_type), position, in_bounds=True)

    def mask_word(self, position: Value, per_word: int) -> None:
        """Keep those of the word's elements that lie in the handoff."""
        first = self.base + position
        bits = 8 * WORD_BYTES // per_word
        end = (length_of(self.handoff) - first).max(0).min(per_word)
        keep = _low_bits(end * bits)
        if self.may_begin_before:
            begin = (0 - first).max(0).min(per_word)
            keep = keep & ~_low_bits(begin * bits)
        keep = keep.named("keep")
        with if_(keep.ne(-1)):
            # A word that lies outside as a whole may be undefined.
            with if_(keep.ne(0)) as partly:
                partly.yields(self.tile.load(position, i32, in_bounds=True) & keep)
            with partly.else_():
                partly.yields(constant(0, i32))
            self.tile.store(partly.results[0], position, in_bounds=True)

    def mask_vector(self, position: Value, granule: Granule) -> None:
        """Keep those of the elements of a vector of words that lie in the handoff."""
        first = self.base + position
        end = (length_of(self.handoff) - first).max(0).min(granule.count)
        keep, is_partly = _low_bits_of_lanes(end, granule), end > 0
        if self.may_begin_before:
            begin = (0 - first).max(0).min(granule.count)
            keep = keep & (_low_bits_of_lanes(begin, granule) ^ constant(-1, granule.type))
            is_partly = is_partly & (begin < granule.count)
        # A vector that lies outside as a whole may be undefined.
        with if_(is_partly) as partly:
            partly.yields(self.tile.load(position, granule.type, in_bounds=True) & keep)
        with partly.else_():
            partly.yields(constant(0, granule.type))
        self.tile.store(partly.results[0], position, in_bounds=True)


def zero_outside(
    overhang: Overhang, lane: Value, stride: int, stores: Mapping[int, Granule] = NO_STORES
) -> None:
    """
    In tiles at the ends of the handoff, zeros where it has no elements; each invocation
    of a workgroup writes those at `lane`, `lane + stride`, … What producers are known to
    store to a private tile, by position, is masked as a whole where words would be many.
    """
    with if_(overhang.is_at_an_end()):
        if granules := _few_granules(overhang, stores):
            _mask_granules(overhang, granules)
        else:
            _zero_words(overhang, lane, stride)
        if not overhang.is_private:
            barrier()


def _few_granules(overhang: Overhang, stores: Mapping[int, Granule]) -> list[tuple[int, Granule]]:
    """The granules of a private tile of many words, if there are few with the vectors stored."""
    tile, extent = overhang.tile.type, overhang.extent
    words = extent // (accessed_elements(tile, i32) or 1)
    if not overhang.is_private or words <= UNROLLED_WORDS:
        return []
    vectors = {at: granule for at, granule in stores.items() if _lanes(granule) > 1}
    granules = list(granules_of(tile, vectors, 0, extent))
    return granules if len(granules) <= UNROLLED_WORDS else []


def _mask_granules(overhang: Overhang, granules: list[tuple[int, Granule]]) -> None:
    """The same as by words, at positions that are known without unrolling a loop."""
    for place, granule in granules:
        position = constant(place)
        if _lanes(granule) > 1:
            overhang.mask_vector(position, granule)
        elif granule.count > 1:
            overhang.mask_word(position, granule.count)
        else:
            overhang.zero_element(position)


def _zero_words(overhang: Overhang, lane: Value, stride: int) -> None:
    """
    Zero what lies outside word by word: a private tile is accessed in words only, at
    constant positions once the loop is unrolled, and so can become registers.
    """
    per_word = overhang.per_word
    words = overhang.extent // per_word
    unroll = words if overhang.is_private and words <= UNROLLED_WORDS else None
    with for_(lane, words, stride, unroll=unroll) as loop:
        if per_word == 1:
            overhang.zero_element(loop.counter)
        else:
            position = (loop.counter * per_word).named("position")
            overhang.mask_word(position, per_word)


def length_of(handoff: BufferOp) -> Value:
    """The element count of a handoff, at the current place."""
    if (count := handoff.type.static_count) is not None:
        return constant(count)
    assert handoff.size is not None
    return Value(handoff.size)


def _low_bits(count: Value) -> Value:
    """A word whose `count` lowest bits are set, 0 to 32 of them."""
    return ((constant(1, i64) << count.to(i64)) - 1).to(i32)


def _lanes(granule: Granule) -> int:
    """The lanes of a vector of words; one for whatever else is stored."""
    is_of_words = isinstance(granule.type, VectorType) and granule.type.element_type == i32
    return lane_count(granule.type) if is_of_words else 1


def _low_bits_of_lanes(count: Value, granule: Granule) -> Value:
    """A vector of words of whose elements the first ones, `count` of them, have all bits set."""
    assert isinstance(granule.type, VectorType)
    lanes = _lanes(granule)
    per_word = granule.count // lanes
    places = constants(range(0, granule.count, per_word), granule.type)
    held = (count.to(i32).broadcast(lanes) - places).maxsi(constant(0, granule.type))
    bits = held.minsi(constant(per_word, granule.type)) * constant(32 // per_word, granule.type)
    one = constant(1, granule.type)
    return (one << bits) - one
