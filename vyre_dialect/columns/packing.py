"""Integers packed into as few bits as they take, in the layouts of `vyre.decode.bitunpack`."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vyre_dialect.ops.packed import BLOCK, Layout

Array: TypeAlias = NDArray[Any]

_GROUP = 64
"""Values of a sequential column that take whole words of 64 bits, whatever their width."""


def pack(values: Array, bits: int, width: int, layout: Layout) -> Array:
    """
    The bytes of unsigned integers below 2^`bits`, for results of `width` bits. Zeros follow, up to
    64 values or, interleaved, up to a block, so that decoders find whole words. At least a byte.
    """
    if not bits:
        return np.zeros(1, np.uint8)
    if layout is Layout.INTERLEAVED:
        packed = _interleaved(values, bits, width)
    else:
        packed = _packed(_padded(values, _GROUP).astype(np.uint64).reshape(-1, _GROUP), bits)
    return packed.reshape(-1).view(np.uint8) if packed.size else np.zeros(1, np.uint8)


def _interleaved(values: Array, bits: int, width: int) -> Array:
    """Blocks of words; word `i` of lane `j` of block `b` stands at `[b, i, j]`."""
    words = _padded(values, BLOCK).astype(np.dtype(f"u{width // 8}"))
    in_lanes = words.reshape(-1, width, BLOCK // width).transpose(0, 2, 1)
    packed = _packed(in_lanes.reshape(-1, width), bits).reshape(-1, BLOCK // width, bits)
    return np.ascontiguousarray(packed.transpose(0, 2, 1))


def _packed(groups: Array, bits: int) -> Array:
    """As many words for each row as its values have bits, the first value in the lowest ones."""
    width = groups.dtype.itemsize * 8
    words = np.zeros((len(groups), bits), groups.dtype)
    for place in range(width):
        word, shift = divmod(place * bits, width)
        words[:, word] |= groups[:, place] << shift
        if shift + bits > width:
            words[:, word + 1] |= groups[:, place] >> (width - shift)
    return words


def _padded(values: Array, multiple: int) -> Array:
    return np.concatenate([values, np.zeros(-len(values) % multiple, values.dtype)])
