"""Programs over pictures: colours to grey, and what surrounds a pixel."""

from __future__ import annotations

import numpy as np

from benchmarks.gate.program import Answers, GateProgram, Inputs, Random, counts, random_bytes
from examples.encodings import Array

WEIGHTS = np.array([77, 150, 29], np.int32)
"""Of red, green and blue in grey, in 256ths."""


def grey_of(pixels: Array) -> Array:
    """The grey of each whole pixel of three bytes."""
    return (pixels[: len(pixels) // 3 * 3].reshape(-1, 3) @ WEIGHTS) >> 8


def _pixels(random: Random, count: int) -> Inputs:
    return {"pixels": random_bytes(random, 3 * count)}


def grey_histogram(pixels: Array) -> Answers:
    """How often each grey occurs."""
    return {"bins": counts(grey_of(pixels), 256)}


PROGRAMS = (GateProgram(grey_histogram, _pixels, bits=24),)
