"""Where a number belongs among those of a buffer, which ascend: by halves, or step by step."""

from __future__ import annotations

from vyre_dialect.builder import Buffer, Value, index, while_


def first_above(ascending: Buffer, key: Value) -> Value:
    """
    The place of the first element that is greater than `key`, or the length where none is; some
    place of the buffer, or its length, where elements do not ascend.
    """
    with while_(lambda low, high: low < high, carry=[0, ascending.length]) as search:
        low, high = search.named("low", "high")
        middle = ((low + high) // 2).named("middle")
        is_above = ascending[middle].to(index, signed=True) > key
        search.yields(is_above.select(low, middle + 1), is_above.select(middle, high))
    return search.results[0]


def first_above_from(ascending: Buffer, start: Value, key: Value) -> Value:
    """The same from a place on, which is near."""

    def is_below(place: Value) -> Value:
        return (place < ascending.length) & (ascending[place].to(index, signed=True) <= key)

    with while_(is_below, carry=[start]) as search:
        search.yields(search.carried[0] + 1)
    return search.results[0]
