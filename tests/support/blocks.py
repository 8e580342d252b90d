"""Blocks of packed integers that say themselves how they are packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32, i64

from examples.encodings import Array, interleaved, packed
from vyre_dialect.builder import constant, program
from vyre_dialect.ops.packed import BitUnpackBlocksOp, Layout
from vyre_dialect.passes.program.expand import ExpandPass


@dataclass(frozen=True)
class Blocks:
    """A source of blocks, what they say of themselves, and what was packed."""

    width: int
    layout: Layout
    per_block: int
    zigzag: bool
    source: Array
    fields: Array
    """The first bit, the bits of a value, and the base of each block."""
    coded: tuple[Sequence[int], ...]
    """What is packed in each block."""

    @staticmethod
    def drawn(
        width: int, layout: Layout, per_block: int, bits: Sequence[int], *, zigzag: bool = False
    ) -> Blocks:
        """Blocks of random integers of so many bits each, one after the other."""
        random, place = np.random.default_rng(width + per_block), 0
        fields, parts, coded = list[list[int]](), list[Array](), list[Sequence[int]]()
        for each in bits:
            drawn = random.integers(0, 1 << each, per_block, np.uint64, endpoint=False)
            base = int(random.integers(-100, 100))
            part = _packed(drawn, each, width, layout)
            fields.append([8 * place, each, base])
            parts.append(part)
            coded.append(drawn.tolist())
            place += len(part)
        source = np.concatenate([*parts, np.zeros(0, np.uint8)])
        table = np.array(fields, np.int64)
        return Blocks(width, layout, per_block, zigzag, source, table, tuple(coded))

    def with_field(self, block: int, field: int, value: int) -> Blocks:
        """The same with another number in what a block says of itself."""
        fields = self.fields.copy()
        fields[block, field] = value
        return replace(self, fields=fields)

    def inputs(self) -> dict[str, Array]:
        """The contents of the buffers of `unpacker`."""
        return {"packed": self.source, "blocks": self.fields.ravel()}

    def values(self) -> list[int]:
        """What the blocks hold, modulo the width of results."""
        described = zip(self.coded, self.fields.tolist(), strict=True)
        return [
            (self._signed(each) + fields[2]) % (1 << self.width)
            for coded, fields in described
            for each in coded
        ]

    def _signed(self, coded: int) -> int:
        return coded >> 1 ^ -(coded & 1) if self.zigzag else coded


def _packed(values: Array, bits: int, width: int, layout: Layout) -> Array:
    if not bits:
        return np.zeros(0, np.uint8)
    if layout == Layout.SEQUENTIAL:
        return packed(values, bits)
    return interleaved(values, bits, width)


def unpacker(
    blocks: Blocks,
    count: int | None = None,
    lanes: int | None = None,
    *,
    masked: bool = False,
) -> ModuleOp:
    """The program that unpacks such blocks, or those in `wanted`, to `decoded`, as arms."""
    with program("unpack") as p:
        source, described = p.buffer("packed", i8), p.buffer("blocks", i64)
        decoded = p.buffer("decoded", IntegerType(blocks.width), live_out=True)
        BitUnpackBlocksOp(
            source,
            decoded,
            described,
            blocks.per_block,
            p.buffer("errors", i32, 1, fill=-1),
            layout=blocks.layout,
            zigzag=blocks.zigzag,
            count=None if count is None else constant(count),
            wanted=p.buffer("wanted", i8) if masked else None,
            lanes=lanes,
        )
    module = p.module
    ExpandPass().apply(Context(), module)
    module.verify()
    return module
