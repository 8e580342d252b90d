"""Reads pieces of an input in a thread of its own, while others are worked on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.streams.cutting import Cutting, Window
from vyre_dialect.runtime.streams.sizes import SLOTS
from vyre_dialect.runtime.streams.sources import MappedSource, Source
from vyre_dialect.runtime.streams.staging import Slot


class ReadPiece(NamedTuple):
    """What was read of the input for a piece."""

    window: Window
    contents: Array
    """What it takes in, its halos included."""
    slot: Slot | None
    """The memory that goes back when the piece is done."""


class Feed(ABC):
    """The pieces of a source, in order, with so many units of their own each."""

    def __init__(self, cutting: Cutting, own: int):
        self.cutting = cutting
        self.own = max(own, cutting.least_own)
        self.ahead = max(cutting.after, cutting.least - cutting.before, 1)
        """Units behind a piece that there must be for another piece to follow."""

    @property
    def most_units(self) -> int:
        """Units that a piece takes at most, halos included."""
        return self.cutting.before + self.own + self.ahead

    @abstractmethod
    def pieces(self) -> Iterator[ReadPiece]:
        """Read the pieces."""

    @abstractmethod
    def done(self, piece: ReadPiece) -> None:
        """A piece is not needed any more."""


class MappedFeed(Feed):
    """Pieces as they lie in memory, or in a file."""

    def __init__(self, cutting: Cutting, own: int, source: MappedSource):
        super().__init__(cutting, own)
        self._source = source

    def pieces(self) -> Iterator[ReadPiece]:
        units, begin = len(self._source.contents) // self.cutting.unit, 0
        while begin + self.own + self.ahead <= units:
            yield self._piece(begin, begin + self.own)
            begin += self.own
        yield self._piece(begin, None)

    def _piece(self, begin: int, end: int | None) -> ReadPiece:
        window = _window(self.cutting, begin, end)
        unit = self.cutting.unit
        last = None if window.last is None else window.last * unit
        return ReadPiece(window, self._source.fetch(slice(window.first * unit, last)), None)

    def done(self, piece: ReadPiece) -> None:
        self._source.release(piece.window.begin * self.cutting.unit)


class PipeFeed(Feed):
    """Pieces that are read into slots, each behind the halo that it shares with the one before."""

    def __init__(
        self,
        cutting: Cutting,
        own: int,
        source: Source,
        make_slot: Callable[[int], Slot],
        slots: int = SLOTS,
    ):
        super().__init__(cutting, own)
        self._source = source
        self._slots = slots
        self._make_slot = make_slot
        self._free: SimpleQueue[Slot] = SimpleQueue()
        self._made = 0

    def pieces(self) -> Iterator[ReadPiece]:
        unit, cutting = self.cutting.unit, self.cutting
        begin, shared = 0, np.empty(0)
        while True:
            slot = self._slot()
            known = len(shared)
            slot.host[:known] = shared
            first = begin - cutting.before if begin else 0
            wanted = (begin - first + self.own + self.ahead) * unit
            count = known + self._source.fill(slot.host[known:wanted])
            if count < wanted:
                window = _window(cutting, begin, None)
                yield ReadPiece(window, slot.host[:count], slot)
                return
            end = begin + self.own
            shared = slot.host[(end - cutting.before - first) * unit : wanted].copy()
            window = _window(cutting, begin, end)
            assert window.last is not None
            yield ReadPiece(window, slot.host[: (window.last - first) * unit], slot)
            begin = end

    def done(self, piece: ReadPiece) -> None:
        if piece.slot is not None:
            self._free.put(piece.slot)

    def _slot(self) -> Slot:
        if self._made == self._slots:
            return self._free.get()
        self._made += 1
        return self._make_slot(self.most_units * self.cutting.unit)


def _window(cutting: Cutting, begin: int, end: int | None) -> Window:
    """A piece; all of the input where it is the only one."""
    if begin == 0 and end is None:
        return Window(None, 0, None, 0, None)
    return cutting.window(begin, end)


class Reader:
    """Reads the pieces of a feed ahead of who takes them."""

    def __init__(self, feed: Feed, slots: int = SLOTS):
        self._feed = feed
        self._ready: SimpleQueue[ReadPiece | BaseException | None] = SimpleQueue()
        self._wanted: SimpleQueue[bool] = SimpleQueue()
        for _ in range(slots - 1):
            self._wanted.put(True)
        self._thread = Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        try:
            for piece in self._feed.pieces():
                self._ready.put(piece)
                if not self._wanted.get():
                    return
            self._ready.put(None)
        except BaseException as error:  # who takes the pieces raises it
            self._ready.put(error)

    def __iter__(self) -> Iterator[ReadPiece]:
        self._thread.start()
        while (piece := self._ready.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    def done(self, piece: ReadPiece) -> None:
        """A piece is not needed any more: another one may be read."""
        self._feed.done(piece)
        self._wanted.put(True)

    def close(self) -> None:
        """Read no more."""
        self._wanted.put(False)
