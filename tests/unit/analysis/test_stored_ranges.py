"""What private memory yields is what is stored there, as far as that is known."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import i8, i32, i64

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.stored_ranges import StoredRanges
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.builder import Buffer, Value, constant, program
from vyre_dialect.ir.types import Access, MemorySpace

UNKNOWN = Range(0, 2**32 - 1)


def range_of(compute: Callable[[Value, Buffer], Value]) -> Range:
    """Of what is computed from a byte and four private words, as if those were written before."""
    with program("p") as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        words = p.buffer("words", i32, 4, memory_space=MemorySpace.PRIVATE)
        with p.arm("arm", source.length) as i:
            value = compute(source[i], words)
    return StoredRanges(Integers()).of(value.ssa)


def stored(byte: Value, words: Buffer) -> Value:
    words[0] = byte.to(i32)
    words[1] = constant(300, i32)
    return words[2]


def computed(byte: Value, words: Buffer) -> Value:
    return stored(byte, words).to(i64) * 7 + 1


def nothing_stored(byte: Value, words: Buffer) -> Value:
    return words[2]


def of_itself(byte: Value, words: Buffer) -> Value:
    words[0] = words[0] + byte.to(i32)
    return words[0]


def of_other_bytes(byte: Value, words: Buffer) -> Value:
    words.store(byte.to(i64), 0)
    return words[0]


def far_away(byte: Value, words: Buffer) -> Value:
    value = stored(byte, words)
    for _ in range(5000):
        value = value & 1023
    return value


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (stored, Range(0, 300)),
        (computed, Range(1, 2101)),
        (nothing_stored, Range(0, 0)),
        (of_itself, UNKNOWN),
        (of_other_bytes, UNKNOWN),
        (far_away, Range(0, 1023)),
    ],
)
def test_what_is_stored_is_loaded(
    compute: Callable[[Value, Buffer], Value], expected: Range
) -> None:
    assert range_of(compute) == expected
