"""Runs of packed integers and of codes, what they say of themselves, and their decoders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32, i64
from xdsl.ir import Attribute

from examples.encodings import Array, packed
from support.columns import DTYPES, TYPES, column
from vyre_dialect.builder import Buffer, constant
from vyre_dialect.ops.runs import BitUnpackRunsOp, DictionaryRunsOp

PLAIN, REPEATED = -1, 0
"""What stands in place of the bits of codes, where there are none."""
_GAP = 3
"""Bytes between two parts of a source with dictionaries, so that they begin anywhere."""


@dataclass(frozen=True)
class _Runs:
    """A source of runs."""

    source: Array
    ends: Array
    fields: Array
    """What each run says of itself."""
    values: Array
    """What the runs hold."""

    def with_field(self, run: int, field: int, value: int) -> Self:
        """The same with another number in what a run says of itself."""
        fields = self.fields.copy()
        fields[run, field] = value
        return replace(self, fields=fields)

    def inputs(self, ends: str = "i8") -> dict[str, Array]:
        """The contents of the buffers of the programs below; ends of so many bytes."""
        return {
            "packed": self.source,
            "ends": self.ends.astype(ends),
            "runs": self.fields.ravel(),
        }


@dataclass(frozen=True)
class PackedRuns(_Runs):
    """
    Runs one after the other, with a byte between two. Fields are the first bit, the bits of a
    value, and the base; values are modulo the width of results, unsigned.
    """

    width: int

    @staticmethod
    def drawn(width: int, runs: Sequence[tuple[int, int]], seed: int = 0) -> PackedRuns:
        """Runs of random integers: how many, of how many bits."""
        random, place = np.random.default_rng(seed), 0
        fields, parts, values = list[list[int]](), list[Array](), list[int]()
        for count, bits in runs:
            drawn = random.integers(0, (1 << bits) - 1, count, np.uint64, endpoint=True)
            base = int(random.integers(-100, 100))
            part = packed(drawn, bits) if bits else np.zeros(0, np.uint8)
            fields.append([8 * place, bits, base])
            parts += [part, np.full(1, 0xA5, np.uint8)]
            values += [(each + base) % (1 << width) for each in drawn.tolist()]
            place += len(part) + 1
        source = np.concatenate([*parts, np.zeros(0, np.uint8)])
        table = np.array(fields, np.int64).reshape(-1, 3)
        return PackedRuns(source, _ends(runs), table, np.array(values, f"u{width // 8}"), width)


@dataclass(frozen=True)
class DictionaryRuns(_Runs):
    """
    Runs with a dictionary for each, or the values of one without codes. Fields are the first bit or
    the step, the bits of a code, the byte and the length of the dictionary.
    """

    @staticmethod
    def drawn(type: str, runs: Sequence[tuple[int, int]], seed: int = 0) -> DictionaryRuns:
        """Runs of some values: how many, and of how many bits their codes are."""
        random, dtype = np.random.default_rng(seed), np.dtype(DTYPES[type])
        source, fields, values = b"", list[list[int]](), [np.zeros(0, dtype)]
        for count, bits in runs:
            length = count if bits == PLAIN else int(random.integers(1, 1 << min(max(bits, 1), 8)))
            table = random.integers(0, 1 << 30, max(length, 1)).astype(dtype)[:length]
            source += bytes(_GAP)
            at, source = len(source), source + table.tobytes() + bytes(_GAP)
            codes = random.integers(0, max(length, 1), count) * (bits != REPEATED)
            codes = np.arange(count) if bits == PLAIN else codes
            start = int(bits == PLAIN) if bits <= 0 else 8 * len(source)
            fields.append([start, max(bits, 0), at, length])
            source += packed(codes.astype(np.uint64), bits).tobytes() if bits > 0 else b""
            values.append(table[codes])
        data, table = np.frombuffer(source, np.uint8), np.array(fields, np.int64).reshape(-1, 4)
        return DictionaryRuns(data, _ends(runs), table, np.concatenate(values))


def _ends(runs: Sequence[tuple[int, int]]) -> Array:
    return np.cumsum([0, *(count for count, _ in runs)])[1:]


def unpacker(
    width: int,
    count: int,
    ends: Attribute = i64,
    values: int | None = None,
    *,
    with_limits: bool = False,
    with_skips: bool = False,
) -> ModuleOp:
    """The program that unpacks so many values, to `decoded`."""

    def build(b: Mapping[str, Buffer]) -> None:
        tables = b["ends"], b["runs"], constant(count), b["errors"]
        limits, skips = b.get("limits"), b.get("skips")
        BitUnpackRunsOp(
            b["packed"], b["decoded"], *tables, limits=limits, skips=skips, values=values
        )

    types = ({"limits": i64} if with_limits else {}) | ({"skips": i32} if with_skips else {})
    return column(build, packed=i8, ends=ends, runs=i64, decoded=IntegerType(width), **types)


def lookup(
    type: str,
    count: int,
    ends: Attribute = i64,
    values: int | None = None,
    *,
    with_skips: bool = False,
) -> ModuleOp:
    """The program that looks so many values up, to `decoded`."""

    def build(b: Mapping[str, Buffer]) -> None:
        tables = b["ends"], b["runs"], constant(count), b["errors"]
        DictionaryRunsOp(b["packed"], b["decoded"], *tables, skips=b.get("skips"), values=values)

    types = {"skips": i32} if with_skips else {}
    return column(build, packed=i8, ends=ends, runs=i64, decoded=TYPES[type], **types)
