"""Runs of packed integers, what they say of themselves, and a program that unpacks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32, i64
from xdsl.ir import Attribute

from examples.encodings import Array, packed
from support.columns import column
from vyre_dialect.builder import Buffer, constant
from vyre_dialect.ops.packed_runs import BitUnpackRunsOp


@dataclass(frozen=True)
class PackedRuns:
    """A source of runs, one after the other, with a byte between two."""

    width: int
    source: Array
    ends: Array
    fields: Array
    """The first bit, the bits of a value, and the base of each run."""
    values: Array
    """What the runs hold, modulo the width of results, unsigned."""

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
        ends = np.cumsum([0, *(count for count, _ in runs)])[1:]
        source = np.concatenate([*parts, np.zeros(0, np.uint8)])
        table = np.array(fields, np.int64).reshape(-1, 3)
        return PackedRuns(width, source, ends, table, np.array(values, f"u{width // 8}"))

    def with_field(self, run: int, field: int, value: int) -> PackedRuns:
        """The same with another number in what a run says of itself."""
        fields = self.fields.copy()
        fields[run, field] = value
        return replace(self, fields=fields)

    def inputs(self, ends: str = "i8") -> dict[str, Array]:
        """The contents of the buffers of `unpacker`; ends of so many bytes."""
        return {
            "packed": self.source,
            "ends": self.ends.astype(ends),
            "runs": self.fields.ravel(),
        }


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
        BitUnpackRunsOp(
            b["packed"],
            b["decoded"],
            b["ends"],
            b["runs"],
            constant(count),
            b["errors"],
            limits=b.get("limits"),
            skips=b.get("skips"),
            values=values,
        )

    types = ({"limits": i64} if with_limits else {}) | ({"skips": i32} if with_skips else {})
    return column(build, packed=i8, ends=ends, runs=i64, decoded=IntegerType(width), **types)
