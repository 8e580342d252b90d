"""
Private tiles that live over the tiles that one invocation does: their elements move to the front
where the next tile begins, and what is new begins with zeros.

Elements move by the words and vectors that the producer stores, so that these stay whole where
tiles become values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vyre_dialect.builder import Buffer, constant, for_
from vyre_dialect.passes.fusion.tiling.granules import Granule, granules_of
from vyre_dialect.passes.fusion.tiling.plan import Sliding

MOST_GRANULES = 64
"""Loads and stores by which a tile moves at the most; a loop over its elements otherwise."""


@dataclass(frozen=True)
class MovingTile:
    """A tile, and how it moves on."""

    tile: Buffer
    sliding: Sliding
    stores: Mapping[int, Granule]
    """What the producer stores, by its position in the tile."""

    def clear(self) -> None:
        """Zero the tile, as some of the producers that fill the first one may not exist."""
        self._clear(0, self.sliding.extent)

    def clear_new(self) -> None:
        """
        Zero what a tile does not share with the one before it. Producers that ran for that wrote
        nothing there: all that they write lies in the tile before.
        """
        self._clear(self.sliding.kept, self.sliding.extent)

    def move_on(self) -> None:
        """Bring what the next tile has, too, to where it has it."""
        step, kept = self.sliding.step, self.sliding.kept
        if not step:
            return
        granules = self._granules(0, kept)
        if len(granules) > MOST_GRANULES:
            with for_(0, kept) as loop:
                element = self.tile.load(loop.counter + step, in_bounds=True)
                self.tile.store(element, loop.counter, in_bounds=True)
            return
        # All is loaded first: what a step is shorter than would overwrite itself.
        loaded = [
            self.tile.load(position + step, granule.type, in_bounds=True)
            for position, granule in granules
        ]
        for (position, _), value in zip(granules, loaded, strict=True):
            self.tile.store(value, position, in_bounds=True)

    def _clear(self, begin: int, end: int) -> None:
        granules = self._granules(begin, end)
        if len(granules) > MOST_GRANULES:
            with for_(begin, end) as loop:
                zero = constant(0, self.tile.type.element_type)
                self.tile.store(zero, loop.counter, in_bounds=True)
            return
        for position, granule in granules:
            self.tile.store(constant(0, granule.type), position, in_bounds=True)

    def _granules(self, begin: int, end: int) -> list[tuple[int, Granule]]:
        return list(granules_of(self.tile.type, self.stores, begin, end))
