"""Where an input is cut, so that every piece has what it takes in beyond its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import NamedTuple

from vyre_dialect.ops.stream import StreamOp
from vyre_dialect.passes.program.cut_stream import PieceName


class Window(NamedTuple):
    """What a piece takes of the input that is cut, in units."""

    piece: PieceName | None
    """None for all of the input."""
    begin: int
    """The first unit of its own."""
    end: int | None
    """The unit behind its own; None for all that is left."""
    first: int
    """The first unit that it takes."""
    last: int | None
    """The unit behind those that it takes; None for all that is left."""


@dataclass(frozen=True)
class Cutting:
    """The units and halos of a program."""

    unit: int
    """Elements of the input in a unit."""
    before: int
    after: int
    least: int

    @classmethod
    def of(cls, stream: StreamOp) -> Cutting:
        """As the op says that is not refused."""
        numbers = stream.multiple, stream.before, stream.after, stream.least
        return cls(*(0 if each is None else each.value.data for each in numbers))

    @classmethod
    def common(cls, cuttings: Sequence[Cutting]) -> Cutting:
        """Of which each piece has what a piece of any of `cuttings` takes that has the same own."""
        unit = lcm(*(each.unit for each in cuttings))
        before, after, least = (
            max(-(-count * elements // unit) for elements, count in counts)
            for counts in (
                [(each.unit, each.before) for each in cuttings],
                [(each.unit, each.after) for each in cuttings],
                [(each.unit, each.least) for each in cuttings],
            )
        )
        return cls(unit, before, after, before + least + after)

    def same(self, common: Cutting, window: Window) -> Window:
        """The piece that has the same elements of its own as one of `common`."""
        if window.piece is None:
            return window
        factor = common.unit // self.unit
        return self.window(
            window.begin * factor, None if window.end is None else window.end * factor
        )

    @property
    def least_own(self) -> int:
        """Units of its own with which any piece is large enough, also the first."""
        return max(1, self.before, self.least - self.after)

    def windows(self, elements: int, cuts: Iterable[int]) -> Iterator[Window]:
        """
        The pieces of an input with so many elements that is cut before each of the units `cuts`,
        as far as halos let it be.
        """
        units = elements // self.unit
        kept = self._possible(units, cuts)
        if not kept:
            yield Window(None, 0, None, 0, None)
            return
        for begin, end in zip([0, *kept], kept, strict=False):
            yield self.window(begin, end)
        yield self.window(kept[-1], None)

    def window(self, begin: int, end: int | None) -> Window:
        """The piece whose own units are these, of several."""
        piece: PieceName = "last" if end is None else "middle" if begin else "first"
        first = begin - self.before if begin else 0
        return Window(piece, begin, end, first, None if end is None else end + self.after)

    def _possible(self, units: int, cuts: Iterable[int]) -> list[int]:
        """Cuts that are far enough from the ends, and from each other."""
        kept = list[int]()
        for cut in sorted(set(cuts)):
            behind = kept[-1] if kept else 0
            if cut - behind < max(1, self.before) or self._taken(behind, cut) < self.least:
                continue
            if cut + self.after <= units and units - cut + self.before >= self.least:
                kept.append(cut)
        return kept

    def _taken(self, begin: int, end: int) -> int:
        return end + self.after - (begin - self.before if begin else 0)
