"""Programs over pictures: colours to grey, and what surrounds a pixel."""

from __future__ import annotations

from math import isqrt

import numpy as np

from benchmarks.gate.program import (
    Answers,
    GateProgram,
    Inputs,
    Random,
    counts,
    one,
    random_bytes,
    shifted,
)
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


def _picture(random: Random, count: int) -> Inputs:
    width = isqrt(2 * count)
    height = count // max(1, width)
    return {
        "picture": random_bytes(random, width * height),
        "size": np.array([width, height], np.int32),
        "levels": (np.arange(256) ** 2 // 7).astype(np.int32),
    }


def blurred_picture(picture: Array, size: Array, levels: Array) -> Answers:
    """The sum of three by three levels around each pixel."""
    width, height = size
    lit = np.zeros((height + 2, width + 2), np.int32)
    lit[1:-1, 1:-1] = levels[picture].reshape(height, width)
    places = [(y, x) for y in range(3) for x in range(3)]
    parts = (lit[y : y + height, x : x + width] for y, x in places)
    return {"blurred": sum(parts, np.zeros((height, width), np.int32)).ravel()}


def edge_pixels(pixels: Array) -> Answers:
    """The pixels that differ much from the next and the one below; black follows the last."""
    shades = grey_of(pixels[: len(pixels) // 3072 * 3072])
    differences = np.abs(shifted(shades, 1) - shades) + np.abs(shifted(shades, 1024) - shades)
    return {"edges": one(np.count_nonzero(differences > 200))}


def _rows(random: Random, count: int) -> Inputs:
    return {"encoded": random_bytes(random, count)}


def bright_rows(encoded: Array) -> Answers:
    """The bright pixels of each row, of a picture of differences in frames of sixteen rows."""
    steps = encoded[: len(encoded) // 640 * 640].reshape(-1, 640)
    frames = (steps[at : at + 16].cumsum(0, np.uint8) for at in range(0, len(steps), 16))
    bright = [np.count_nonzero(frame >= 200, axis=1) for frame in frames]
    return {"bright": np.concatenate([*bright, np.zeros(0)]).astype(np.int32)}


def _cells(random: Random, count: int) -> Inputs:
    return {"packed": random_bytes(random, count)}


def volume_surface(packed: Array) -> Answers:
    """The full cells next to an empty one; the next of the last in a row begins the next row."""
    whole = packed[: len(packed) // 2048 * 2048]
    is_full = (np.column_stack([whole & 15, whole >> 4]) >= 8).ravel()
    surrounded = shifted(is_full, 1) & shifted(is_full, 64) & shifted(is_full, 4096)
    return {"surface": one(np.count_nonzero(is_full & ~surrounded))}


PROGRAMS = (
    GateProgram(grey_histogram, _pixels, bits=24),
    GateProgram(blurred_picture, _picture),
    GateProgram(edge_pixels, _pixels, bits=24),
    GateProgram(bright_rows, _rows),
    GateProgram(volume_surface, _cells),
)
