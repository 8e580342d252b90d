"""The elements of a private tile as they are accessed at once: by the words and vectors stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute

from vyre_dialect.ir.types import BufferType, accessed_elements


@dataclass(frozen=True)
class Piece:
    """Elements that are loaded and stored at once."""

    type: Attribute
    count: int


def pieces_of(
    tile: BufferType, stores: Mapping[int, Piece], begin: int, end: int
) -> Iterator[tuple[int, Piece]]:
    """
    The elements `[begin, end)` of a tile as they are stored, which `stores` says by position, and
    by words or elements between. Any pieces are right: those that are stored stay whole.
    """
    element = Piece(tile.element_type, 1)
    word = Piece(i32, accessed_elements(tile, i32) or 1)
    starts = sorted(stores)
    while begin < end:
        free = next((start for start in starts if start > begin), end)
        if (stored := stores.get(begin)) and begin + stored.count <= end:
            piece = stored
        elif word.count > 1 and begin % word.count == 0 and begin + word.count <= min(end, free):
            piece = word
        else:
            piece = element
        yield begin, piece
        begin += piece.count
