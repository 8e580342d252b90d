"""Words that packed integers stand in one after the other, in vectors, and the integers in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Value, constants
from vyre_dialect.passes.rewriting.side_by_side import of_each, several


@dataclass(frozen=True)
class PackedWords:
    """So many words in vectors of equal width; the last two vectors may overlap."""

    element: IntegerType
    count: int
    most_lanes: int
    """The width of vectors, where there are as many words."""
    vectors: list[Value]
    """Scalars, if it is one word."""

    @classmethod
    def made(
        cls,
        element: IntegerType,
        count: int,
        most_lanes: int,
        vector_at: Callable[[int, Attribute], Value],
    ) -> PackedWords:
        """Words of which `vector_at` gives those from a number on, as a type."""
        width = _width(count, most_lanes)
        type = several(element, width)
        firsts = [min(first, count - width) for first in range(0, count, width)]
        vectors = [vector_at(first, type).named(f"words{first}") for first in firsts]
        return cls(element, count, most_lanes, vectors)

    @classmethod
    def loaded(
        cls, source: Buffer, start: Value, element: IntegerType, count: int, most_lanes: int
    ) -> PackedWords:
        """The words from byte `start` on, and no word besides."""
        size = element.width.data // 8
        return cls.made(
            element,
            count,
            most_lanes,
            lambda first, type: source.load(start + size * first if first else start, type),
        )

    def without(self, shift: Value, bits: int) -> PackedWords:
        """The first `bits` bits behind as many as `shift` says, fewer than a word has."""
        last = self.element.width.data - 1

        def vector_at(first: int, type: Attribute) -> Value:
            lanes = type.get_shape()[0] if isinstance(type, VectorType) else 1
            words = range(first, first + lanes)
            by = of_each(shift, lanes)
            low = self._select(words) >> by
            if self.count == 1:
                return low
            following = [min(word + 1, self.count - 1) for word in words]
            # In two steps, since nothing is left of a word that is shifted by all of its bits.
            return low | (self._select(following) << 1) << (by ^ last)

        count = -(-bits // self.element.width.data)
        return self.made(self.element, count, self.most_lanes, vector_at)

    def values(self, bits: int, first: int, lanes: int) -> Value:
        """A vector of integers of so many bits, from the first-th on."""
        width = self.element.width.data
        type = VectorType(self.element, [lanes])
        places = [divmod(bits * (first + lane), width) for lane in range(lanes)]
        values = self._select([word for word, _ in places])
        if any(shift for _, shift in places):
            values = values >> constants([shift for _, shift in places], type)
        if any(shift + bits > width for _, shift in places):
            values = values | self._high_parts(bits, places, type)
        if bits < width:
            values = values & (1 << bits) - 1
        return values

    def _high_parts(self, bits: int, places: list[tuple[int, int]], type: VectorType) -> Value:
        width = self.element.width.data
        crossing = [shift + bits > width for _, shift in places]
        following = [word + reaches for (word, _), reaches in zip(places, crossing, strict=True)]
        # What does not reach into the next word is shifted beyond the bits that are kept.
        shifts = [
            width - shift if reaches else width - 1
            for (_, shift), reaches in zip(places, crossing, strict=True)
        ]
        return self._select(following) << constants(shifts, type)

    def _select(self, words: Sequence[int]) -> Value:
        """Words of up to two neighbouring vectors, by their numbers."""
        if self._loaded_width == 1:
            return self.vectors[0] if len(words) == 1 else self.vectors[0].broadcast(len(words))
        places = [self._place(word) for word in words]
        used = sorted({vector for vector, _ in places})
        first, last = self.vectors[used[0]], self.vectors[used[-1]]
        lanes = [lane + self._loaded_width * used.index(vector) for vector, lane in places]
        if len(words) == 1:
            return first.lane(lanes[0])
        return first if lanes == [*range(self._loaded_width)] else first.shuffle(last, lanes)

    @property
    def _loaded_width(self) -> int:
        return _width(self.count, self.most_lanes)

    def _place(self, word: int) -> tuple[int, int]:
        """The vector that holds a word, and the lane."""
        vector, lane = divmod(word, self._loaded_width)
        overlap = max(0, self._loaded_width * (vector + 1) - self.count)
        return vector, lane + overlap


def _width(count: int, most_lanes: int) -> int:
    """Words of a vector: as many as there may be, a power of two."""
    return min(most_lanes, 1 << count.bit_length() - 1)
