"""Where a number belongs among those of a buffer, which ascend."""

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
