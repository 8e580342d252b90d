"""The bytes of words, all at a time: masks, and what is done to each byte (SWAR)."""

from __future__ import annotations

from vyre_dialect.builder import Value

EACH_BYTE = 0x01010101
LOW_BITS = 0x7F * EACH_BYTE
HIGH_BITS = 0x80 * EACH_BYTE
BYTE = 8


def nonzero_bytes(words: Value) -> Value:
    """Bit 7 of each byte says whether it is not zero; the other bits say nothing."""
    return (words & LOW_BITS) + LOW_BITS | words


def zero_bytes(words: Value) -> Value:
    """Bit 7 of each byte that is zero, and no other bit."""
    return ~nonzero_bytes(words) & HIGH_BITS


def sum_of_bytes(words: Value) -> Value:
    """The sum of the bytes of each word, where it is less than 256: a product puts it on top."""
    return words * EACH_BYTE >> 32 - BYTE
