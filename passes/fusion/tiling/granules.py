"""The elements of a private tile as they are accessed at once: by the words and vectors stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute

from vyre_dialect.ir.types import BufferType, accessed_elements


@dataclass(frozen=True)
class Granule:
    """Elements that are loaded and stored at once."""

    type: Attribute
    count: int


def granules_of(
    tile: BufferType, stores: Mapping[int, Granule], begin: int, end: int
) -> Iterator[tuple[int, Granule]]:
    """
    The elements `[begin, end)` of a tile as they are stored, which `stores` says by position, and
    by words or elements between. Any granules are right: those that are stored stay whole.
    """
    element = Granule(tile.element_type, 1)
    word = Granule(i32, accessed_elements(tile, i32) or 1)
    starts = sorted(stores)
    while begin < end:
        free = next((start for start in starts if start > begin), end)
        if (stored := stores.get(begin)) and begin + stored.count <= end:
            granule = stored
        elif word.count > 1 and begin % word.count == 0 and begin + word.count <= min(end, free):
            granule = word
        else:
            granule = element
        yield begin, granule
        begin += granule.count
