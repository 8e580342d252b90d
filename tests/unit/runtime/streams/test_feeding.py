"""Pieces that are read: the same from a pipe as from what lies in memory, and all of the input."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.streams.cutting import Cutting, Window
from vyre_dialect.runtime.streams.feeding import Feed, MappedFeed, PipeFeed, Reader
from vyre_dialect.runtime.streams.sources import MappedSource, PipeSource
from vyre_dialect.runtime.streams.staging import Slot, aligned


def cutting_of(unit: int, before: int, after: int) -> Cutting:
    return Cutting(unit, before, after, before + after + 1)


CUTTINGS = st.builds(cutting_of, st.integers(1, 5), st.integers(0, 4), st.integers(0, 4))


class Trickle(BytesIO):
    """A pipe that gives few bytes at a time."""

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().readinto(buffer[:3])


def read(feed: Feed) -> list[tuple[Window, list[int]]]:
    reader, found = Reader(feed), list[tuple[Window, list[int]]]()
    for piece in reader:
        found.append((piece.window, piece.contents.tolist()))
        reader.done(piece)
    return found


def pipe_feed(cutting: Cutting, own: int, data: Array, head: int = 0) -> PipeFeed:
    raw = data.tobytes()
    source = PipeSource("text", Trickle(raw[head:]), raw[:head])
    return PipeFeed(cutting, own, source, lambda count: Slot(aligned(count, data.dtype)))


@given(CUTTINGS, st.integers(1, 9), st.integers(0, 200), st.integers(0, 50))
def test_pipes_give_the_pieces_that_lie_in_memory(
    cutting: Cutting, own: int, elements: int, head: int
) -> None:
    data = np.arange(elements, dtype=np.int32)
    mapped = read(MappedFeed(cutting, own, MappedSource(data)))
    assert read(pipe_feed(cutting, own, data, head)) == mapped
    unit = cutting.unit
    for window, contents in mapped:
        end = None if window.last is None else window.last * unit
        assert contents == data[window.first * unit : end].tolist()
    assert mapped[-1][0].end is None
    expected = list(cutting.windows(elements, [each[0].begin for each in mapped[1:]]))
    assert [each[0] for each in mapped] == expected, "pieces may be cut there"


def test_a_pipe_that_ends_within_an_element_is_an_error() -> None:
    source = PipeSource("text", BytesIO(bytes(7)))
    with pytest.raises(VyreError, match="input 'text' expected a multiple of 4 bytes"):
        source.fill(np.empty(8, np.int32))


def test_an_error_of_the_thread_that_reads_is_raised_where_pieces_are_taken() -> None:
    feed = pipe_feed(Cutting(1, 0, 0, 1), 1, np.arange(5, dtype=np.int8).repeat(4)[:19])
    feed = PipeFeed(
        *(feed.cutting, 1, PipeSource("text", BytesIO(bytes(7)))),
        lambda count: Slot(aligned(count, np.dtype(np.int32))),
    )
    with pytest.raises(VyreError, match="expected a multiple of 4 bytes"):
        read(feed)


def test_memory_of_the_host_begins_where_devices_can_work_on_it() -> None:
    assert aligned(5, np.dtype(np.int64)).ctypes.data % 4096 == 0
