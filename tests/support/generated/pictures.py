"""
Drawn programs over rows: several values to a byte are decoded along one axis, and scanned along
one, two or three, with neighbours, edges, and sums of columns, of rows, of remainders and in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, i8, i32

from support.generated.drawing import ShownAsText, any_of, sometimes
from vyre_dialect.builder import Buffer, Program, Value, arm, constant, if_, index, program
from vyre_dialect.ir.types import Access, AtomicKind, Initial
from vyre_dialect.runtime.interpreter.arrays import Array

KINDS = (AtomicKind.ADDI, AtomicKind.ADDI, AtomicKind.MAXU, AtomicKind.XORI, AtomicKind.MINS)
WIDTHS = (16, 16, 32, 48, 64, 3, 5, 24, 100)
MOST_CELLS = 1500
LETTERS = (7, 3, 250, 0, 1, 90, 91, 127, 128, 9, 17, 33, 65, 77, 200, 255)
_FILL = {AtomicKind.MINS: 2**31 - 1}


@dataclass(frozen=True)
class Update:
    """What a cell updates an element by, and which."""

    place: str
    """`one`, `column`, `row`, `remainder`, or what the cell holds, its `value`."""
    kind: AtomicKind
    is_guarded: bool


@dataclass(frozen=True)
class Picture(ShownAsText):
    """A decoder of cells and a scanner of rows, as plain data."""

    per_byte: int
    sizes: tuple[int, ...]
    """Along each axis, the last one as many as there are."""
    is_last_static: bool
    extra: int
    """Bytes that make no whole row."""
    table: bool
    """Whether cells are looked up."""
    steps: tuple[int, ...]
    """How far along each axis the neighbour is that a cell is compared with."""
    edge: int
    """Columns at the end of a row that count nothing."""
    updates: tuple[Update, ...]
    stores: bool
    modulus: int
    workgroup: int

    @property
    def cells(self) -> int:
        """How many the scanner looks at."""
        return prod(self.sizes)

    def inputs(self, seed: int) -> dict[str, Array]:
        """Bytes for all cells, and some more."""
        count = -(-self.cells // self.per_byte) + self.extra
        return {"packed": np.random.default_rng(seed).integers(0, 256, count, np.uint8)}

    def module(self) -> ModuleOp:
        """The program."""
        with program("picture", workgroup_size=[self.workgroup]) as p:
            packed = p.buffer("packed", i8, access=Access.READ_ONLY)
            row = constant(prod(self.sizes[:-1]))
            rows = constant(self.sizes[-1])
            if not self.is_last_static:
                rows = (packed.length * self.per_byte) // row
            cells = p.buffer("cells", i8, rows * row, initial=Initial.UNDEFINED)
            self._decode(p, packed, cells)
            sums = [
                p.buffer(
                    f"sums{number}", i32, self._elements(each), live_out=True, fill=self._fill(each)
                )
                for number, each in enumerate(self.updates)
            ]
            out = p.buffer("out", i8, rows * row, live_out=True) if self.stores else None
            self._scan(cells, sums, out, self.sizes[-1] if self.is_last_static else rows)
        return p.module

    def _fill(self, update: Update) -> int | None:
        return _FILL.get(update.kind)

    def _elements(self, update: Update) -> int:
        return {
            "one": 1,
            "column": max(1, self.sizes[0]),
            "row": max(1, self.sizes[-1]),
            "remainder": self.modulus,
            "value": 256,
        }[update.place]

    def _decode(self, p: Program, packed: Buffer, cells: Buffer) -> None:
        bits = 8 // self.per_byte
        letters = LETTERS[: 1 << min(bits, 4)]
        table = None
        if self.table:
            table = p.buffer("letters", i8, access=Access.READ_ONLY, contents=letters)
        with arm("decode", cells.length) as i:
            byte = packed[i // self.per_byte].to(i32)
            shift = (i % self.per_byte).to(i32) * bits
            code = byte >> shift & (1 << bits) - 1
            cells[i] = code.to(i8) if table is None else table[(code & len(letters) - 1).to(index)]

    def _scan(
        self, cells: Buffer, sums: list[Buffer], out: Buffer | None, last: Value | int
    ) -> None:
        with arm("scan", [*self.sizes[:-1], last]) as ids:
            place, size, away = constant(0), 1, 0
            for axis, (own, step) in enumerate(zip(ids, self.steps, strict=True)):
                place, away = place + own * size, away + step * size
                size *= self.sizes[axis] if axis + 1 < len(ids) else 1
            here, there = cells[place], cells[place + away]
            counts = here < there if len(ids) == 1 else (here < there) & (ids[0] < self._inside)
            if out is not None:
                out[place] = here + there
            for sum_, update in zip(sums, self.updates, strict=True):
                self._update(sum_, update, ids, place, here, counts)

    @property
    def _inside(self) -> int:
        return max(0, self.sizes[0] - self.edge)

    def _update(
        self,
        sums: Buffer,
        update: Update,
        ids: tuple[Value, ...],
        place: Value,
        here: Value,
        counts: Value,
    ) -> None:
        element = {
            "one": constant(0),
            "column": ids[0] % self.sizes[0] if len(ids) == 1 else ids[0],
            "row": ids[-1] // self.sizes[0] if len(ids) == 1 else ids[-1],
            "remainder": place % self.modulus,
            "value": here.to(i32).to(index),
        }[update.place]
        if not update.is_guarded:
            sums.atomic(update.kind, here.to(i32), element)
            return
        with if_(counts):
            sums.atomic(update.kind, here.to(i32), element)


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    """Rows of sizes that lanes divide, and of others."""
    axes = draw(any_of(1, 2, 2, 2, 3))
    inner = tuple(
        draw(any_of(*WIDTHS) if axis == 0 else any_of(1, 2, 3, 8)) for axis in range(axes - 1)
    )
    most = max(1, MOST_CELLS // prod(inner))
    sizes = (*inner, draw(st.integers(0, most)))
    places = ("one", "one", "column", "row", "remainder", "value")
    updates = [
        Update(draw(any_of(*places)), draw(st.sampled_from(KINDS)), draw(sometimes(40)))
        for _ in range(draw(any_of(1, 1, 2, 3)))
    ]
    return Picture(
        per_byte=draw(any_of(1, 2, 2, 4, 8)),
        sizes=sizes,
        is_last_static=draw(sometimes(20)) and sizes[-1] > 0,
        extra=draw(any_of(0, 0, 1, 7)),
        table=draw(sometimes(40)),
        steps=tuple(draw(any_of(0, 0, 1, -1, 2)) for _ in range(axes)),
        edge=draw(any_of(0, 1, 3)),
        updates=tuple(updates),
        stores=draw(sometimes(30)),
        modulus=draw(any_of(2, 3, 4, 16, 17)),
        workgroup=draw(any_of(64, 32, 16, 128)),
    )
