"""Where a number belongs among those of a buffer, which ascend: by halves, and step by step."""

from __future__ import annotations

from vyre_dialect.builder import Buffer, Value, index, while_
from vyre_dialect.ops.runs import SKIP

_NEAR = 4
"""Places among which steps take no longer than halves do, as most are one or none."""


def first_above(ascending: Buffer, key: Value, skips: Buffer | None = None) -> Value:
    """
    The place of the first element that is greater than `key`, or the length where none is; some
    place of the buffer, or its length, where elements do not ascend.

    `skips` may say that place for each multiple of `SKIP`, so that the search begins near. It is
    not believed: where what it says of `key` is wrong, the search goes through all elements.
    """
    if skips is None:
        return _halved(ascending, key, 0, ascending.length, 0)
    low, high = _bounds(ascending, key, skips)
    # Steps find it behind wherever they begin, so that nothing hangs on where halves end.
    return first_above_from(ascending, _halved(ascending, key, low, high, _NEAR), key)


def _halved(ascending: Buffer, key: Value, low: Value | int, high: Value, distance: int) -> Value:
    """A place that is not behind the one that is looked for, and no farther away than that."""
    with while_(lambda low, high: low + distance < high, carry=[low, high]) as search:
        low, high = search.named("low", "high")
        middle = ((low + high) // 2).named("middle")
        is_above = _element(ascending, middle) > key
        search.yields(is_above.select(low, middle + 1), is_above.select(middle, high))
    return search.results[0]


def _bounds(ascending: Buffer, key: Value, skips: Buffer) -> tuple[Value, Value]:
    """Between which places the search goes on."""
    block = (key >> SKIP.bit_length() - 1).named("block")
    low, high = skips[block].to(index), skips[block + 1].to(index)
    # In front of the first element there is none, which reads as 0.
    is_right = (low <= ascending.length) & (_element(ascending, low - 1) <= key)
    return (
        is_right.select(low, 0).named("near_low"),
        is_right.select(high.min(ascending.length), ascending.length).named("near_high"),
    )


def _element(ascending: Buffer, place: Value) -> Value:
    return ascending[place].to(index, signed=True)


def first_above_from(ascending: Buffer, start: Value, key: Value) -> Value:
    """The same from a place on, which is near."""

    def is_below(place: Value) -> Value:
        return (place < ascending.length) & (_element(ascending, place) <= key)

    with while_(is_below, carry=[start]) as search:
        search.yields(search.carried[0] + 1)
    return search.results[0]
