"""Runs of codes and their dictionaries in one source, and a program that looks them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, i8, i32, i64
from xdsl.ir import Attribute

from examples.encodings import packed
from support.columns import DTYPES, TYPES, column
from vyre_dialect.builder import Buffer, constant
from vyre_dialect.ops.dictionary_runs import DictionaryRunsOp

Array = NDArray[Any]
PLAIN, REPEATED = -1, 0
"""What stands in place of the bits of codes, where there are none."""
_GAP = 3
"""Bytes between two parts of a source, so that they begin anywhere."""


@dataclass(frozen=True)
class DictionaryRuns:
    """A source with a dictionary for each run, or the values of one without codes."""

    source: Array
    ends: Array
    fields: Array
    """The first bit or the step, the bits of a code, the byte and the length of the dictionary."""
    values: Array

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
        ends = np.cumsum([0, *(count for count, _ in runs)])[1:]
        table = np.array(fields, np.int64).reshape(-1, 4)
        return DictionaryRuns(np.frombuffer(source, np.uint8), ends, table, np.concatenate(values))

    def with_field(self, run: int, field: int, value: int) -> DictionaryRuns:
        """The same with another number in what a run says of itself."""
        fields = self.fields.copy()
        fields[run, field] = value
        return replace(self, fields=fields)

    def inputs(self, ends: str = "i8") -> dict[str, Array]:
        """The contents of the buffers of `lookup`; ends of so many bytes."""
        return {
            "packed": self.source,
            "ends": self.ends.astype(ends),
            "runs": self.fields.ravel(),
        }


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
        DictionaryRunsOp(
            b["packed"],
            b["decoded"],
            b["ends"],
            b["runs"],
            constant(count),
            b["errors"],
            skips=b.get("skips"),
            values=values,
        )

    types = {"skips": i32} if with_skips else {}
    return column(build, packed=i8, ends=ends, runs=i64, decoded=TYPES[type], **types)
