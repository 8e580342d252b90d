"""Programs over words and samples: what they hold, and what their neighbours do."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.program import (
    Answers,
    GateProgram,
    Inputs,
    Random,
    one,
    random_words,
    shifted,
)
from examples.encodings import Array, zigzag

DELTA_BLOCK = 128


def _words(random: Random, count: int) -> Inputs:
    return {"encoded": random_words(random, count)}


def big_endian_extremes(encoded: Array) -> Answers:
    """The extremes of words that have the highest byte first; there may be none."""
    words = encoded.view(">i4")
    least = words.min(initial=np.iinfo(np.int32).max)
    return {"least": one(least), "most": one(words.max(initial=np.iinfo(np.int32).min))}


def _steps(random: Random, count: int) -> Inputs:
    return {"encoded": zigzag(random.integers(-100, 101, count, np.int32))}


def from_zigzag(codes: Array) -> Array:
    """Signed numbers of 0, 1, 2, 3, 4 for 0, -1, 1, -2, 2."""
    return np.where(codes & 1, -1 - (codes.view(np.uint32) >> 1).view(np.int32), codes >> 1)


def undelta(encoded: Array, block: int) -> Array:
    """Values of which each block begins with one, and goes on with differences."""
    steps = from_zigzag(encoded)
    steps[::block] = encoded[::block]
    padded = np.zeros((-(-len(steps) // block), block), np.int32)
    padded.ravel()[: len(steps)] = steps
    return padded.cumsum(axis=1, dtype=np.int32).ravel()[: len(steps)]


def delta_peaks(encoded: Array) -> Answers:
    """The values above both neighbours; outside there are zeros."""
    values = undelta(encoded, DELTA_BLOCK)
    peaks = (values > shifted(values, -1)) & (values > shifted(values, 1))
    return {"peaks": one(np.count_nonzero(peaks))}


def moving_sums(encoded: Array) -> Answers:
    """The sums of sixteen values, from each on, that pass a limit."""
    values = from_zigzag(encoded)
    sums = sum((shifted(values, k) for k in range(16)), np.zeros_like(values))
    return {"over": one(np.count_nonzero(sums > 900))}


PROGRAMS = (
    GateProgram(big_endian_extremes, _words, bits=32),
    GateProgram(delta_peaks, _steps, bits=32),
    GateProgram(moving_sums, _steps, bits=32),
)
