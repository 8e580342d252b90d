"""What the ops on the bytes of words compute."""

from __future__ import annotations

import numpy as np

from vyre_dialect.ops.words import WORD_BYTES, PermuteBytesOp
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Compute


def permute_bytes(op: PermuteBytesOp) -> Compute:
    """Some bytes of two words, as a word."""
    positions = list(op.positions.get_values())

    def compute(first: Array, second: Array) -> Array:
        both = np.concatenate([_bytes_of(each) for each in np.broadcast_arrays(first, second)], -1)
        return np.ascontiguousarray(both[..., positions]).view("<u4")[..., 0]

    return compute


def _bytes_of(words: Array) -> Array:
    """The bytes of each word, the lowest first, along one more axis."""
    words = np.ascontiguousarray(words, dtype="<u4")
    return words.view(np.uint8).reshape(*words.shape, WORD_BYTES)
