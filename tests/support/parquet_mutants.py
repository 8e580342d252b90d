"""Files of Parquet that something has happened to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from support.parquet_values import FILES
from support.parquet_writing import by_pyarrow, drawn_table
from vyre_dialect.columns.parquet import ParquetFile

_LARGEST, _MOST_COLUMNS = 12_000, 4
_TAIL = 8
"""Bytes behind the footer: its length, and what ends each file."""


@cache
def _originals() -> tuple[tuple[str, bytes], ...]:
    """Small files of others, and some of ours."""
    originals = [(path.name, path.read_bytes()) for path in sorted(FILES.glob("*.parquet"))]
    for seed in range(40):
        random = np.random.default_rng(seed)
        originals.append((f"seed {seed}", by_pyarrow(drawn_table(random), random)))
    return tuple(
        (name, data)
        for name, data in originals
        if len(data) <= _LARGEST and len(ParquetFile(data).names) <= _MOST_COLUMNS
    )


def mutants(seeds: range) -> Iterator[tuple[str, bytes]]:
    """A damaged file for each seed, and the name of what it was."""
    originals = _originals()
    for seed in seeds:
        random = np.random.default_rng(seed)
        name, data = originals[seed % len(originals)]
        yield name, _damaged(bytearray(data), random)


def _damaged(data: bytearray, random: np.random.Generator) -> bytes:
    """Some bytes changed, most of them in front of the footer, or a part moved, or the end gone."""
    footer = int.from_bytes(data[-_TAIL:-4], "little") + _TAIL
    pages = max(5, len(data) - footer)
    kind = random.integers(8)
    if kind == 0:
        return bytes(data[: random.integers(len(data))])
    if kind == 1:
        size = int(random.integers(1, 30))
        begin, to = random.integers(0, max(1, pages - size), 2).tolist()
        data[to : to + size] = data[begin : begin + size]
        return bytes(data)
    for _ in range(random.integers(1, 5)):
        place = int(random.integers(pages) if kind < 7 else random.integers(len(data)))
        data[place] = _changed(data[place], random)
    return bytes(data)


def _changed(byte: int, random: np.random.Generator) -> int:
    """A bit flipped, one more or less, or a number that is often special."""
    choices = [byte ^ 1 << int(random.integers(8)), byte + 1, byte - 1, 0, 0x7F, 0x80, 0xFF]
    return int(random.choice(choices)) % 256
