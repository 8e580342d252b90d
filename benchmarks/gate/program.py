"""A program of the gate: where it is, what it runs on, and what it must answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from examples.encodings import Array

FOLDER = Path(__file__).resolve().parent.parent / "programs"
SEED = 28

Inputs: TypeAlias = dict[str, Array]
"""The contents of buffers, by name."""
Answers: TypeAlias = dict[str, Array]
"""What live-out buffers must hold in the end, by name."""
Random: TypeAlias = np.random.Generator


@dataclass(frozen=True)
class GateProgram:
    """One program of `benchmarks/programs`, which bears the name of its answer."""

    answer: Callable[..., Answers]
    """NumPy's answer; its arguments are the inputs, by their names."""
    draw: Callable[[Random, int], Inputs]
    """Inputs of so many units, which are rows, bytes or pixels."""
    bits: float = 8
    """The bits of input that a unit has."""

    @property
    def name(self) -> str:
        """Of the file, and of the program in it."""
        return self.answer.__name__

    @property
    def path(self) -> Path:
        """Its file."""
        return FOLDER / f"{self.name}.mlir"

    def inputs(self, units: int) -> Inputs:
        """Inputs of so many units, always the same."""
        return self.draw(np.random.default_rng(SEED), units)

    def units(self, size: int) -> int:
        """How many units have about `size` bytes."""
        return int(8 * size / self.bits)


def one(value: int | np.integer[Any], dtype: type[np.generic] = np.int32) -> Array:
    """A buffer of one element; what does not fit is taken modulo its width."""
    return np.array([int(value)], np.int64).astype(dtype)


def counts(values: Array, bins: int) -> Array:
    """How often each number below `bins` occurs."""
    return np.bincount(values.ravel(), minlength=bins).astype(np.int32)


def shifted(values: Array, by: int) -> Array:
    """In place `i`, the value in place `i + by`, and 0 where there is none."""
    result = np.zeros_like(values)
    inside = max(0, len(values) - abs(by))
    if by < 0:
        result[-by:] = values[:inside]
    else:
        result[:inside] = values[by:]
    return result


def resized(values: Array, length: int) -> Array:
    """So many values: zeros follow where there are fewer."""
    result = np.zeros(length, values.dtype)
    result[: len(values)] = values[:length]
    return result


def unpacked(packed: Array, bits: int) -> Array:
    """The unsigned numbers of up to 32 bits that bytes hold, from the low bit of the first up."""
    starts = np.arange(len(packed) * 8 // bits) * bits
    padded = np.append(packed, np.zeros(5, np.uint8))
    words = np.zeros(len(starts), np.uint64)
    for byte in range(5):
        words |= padded[starts // 8 + byte].astype(np.uint64) << np.uint64(8 * byte)
    shifted_down = words >> (starts % 8).astype(np.uint64)
    return (shifted_down & np.uint64((1 << bits) - 1)).astype(np.int64)


def from_lanes(packed: Array, bits: int) -> Array:
    """The unsigned numbers of up to 31 bits in 32 lanes of each whole block of 1024."""
    blocks = len(packed) // (128 * bits)
    words = packed[: blocks * 128 * bits].view(np.uint32).reshape(blocks, bits, 32)
    padded = np.concatenate([words, np.zeros((blocks, 1, 32), np.uint32)], axis=1)
    first = np.arange(32) * bits
    pairs = padded[:, first // 32] | padded[:, first // 32 + 1].astype(np.uint64) << np.uint64(32)
    shifted_down = pairs >> (first % 32).astype(np.uint64)[:, np.newaxis]
    return (shifted_down & np.uint64((1 << bits) - 1)).astype(np.int64).ravel()


def packed_size(rows: int, bits: int) -> int:
    """Bytes that so many numbers of so many bits take."""
    return -(-rows * bits // 8)


def random_bytes(random: Random, size: int) -> Array:
    """`size` bytes, each as likely as any other."""
    return random.integers(0, 256, size, np.uint8)


def random_words(random: Random, count: int) -> Array:
    """`count` words of 32 bits, each as likely as any other."""
    return random.integers(-(1 << 31), 1 << 31, count, np.int32)
