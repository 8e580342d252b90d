"""
Arithmetic on the four bytes of words: SIMD within a register.

Each function does in each byte what its name says, carries nothing from one to the next, and takes
numbers of 32 bits of any kind that has their operators. What holds of a byte, or does not, is a
flag, its highest bit. Source: Fisher and Dietz, "Compiling for SIMD within a register", 1998, and
Warren, "Hacker's Delight", chapters 2 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Word: TypeAlias = Any
"""Four bytes, or such a word in each lane."""

ONES = 0x01010101
"""1 in each byte."""
FLAGS = 0x80808080
LOW = 0x7F7F7F7F
BYTE = 0xFF
_EVEN = 0x00FF00FF


def add(a: Word, b: Word) -> Word:
    """`a + b`, modulo 256."""
    return ((a & LOW) + (b & LOW)) ^ ((a ^ b) & FLAGS)


def subtract(a: Word, b: Word) -> Word:
    """`a - b`, modulo 256."""
    return _difference(a, b) ^ ((a ^ b ^ FLAGS) & FLAGS)


def shift_left(a: Word, by: int) -> Word:
    """`a << by`, by less than 8."""
    return (a << by) & (BYTE << by & BYTE) * ONES


def shift_right(a: Word, by: int) -> Word:
    """`a >> by`, by less than 8; what moves in is 0."""
    return (a >> by) & (BYTE >> by) * ONES


def differ(a: Word, b: Word) -> Word:
    """Flags of `a != b`."""
    bits = a ^ b
    return (((bits & LOW) + LOW) | bits) & FLAGS


def at_least(a: Word, b: Word) -> Word:
    """Flags of `a >= b`, without signs."""
    return ((a & ~b) | (~(a ^ b) & _difference(a, b))) & FLAGS


def _difference(a: Word, b: Word) -> Word:
    """`a - b` of the lower seven bits, from 128 on where that is not negative."""
    return (a | FLAGS) - (b & LOW)


PREDICATES: Mapping[str, Callable[[Word, Word], Word]] = {
    "eq": lambda a, b: differ(a, b) ^ FLAGS,
    "ne": differ,
    "uge": at_least,
    "ult": lambda a, b: at_least(a, b) ^ FLAGS,
    "ule": lambda a, b: at_least(b, a),
    "ugt": lambda a, b: at_least(b, a) ^ FLAGS,
    "sge": lambda a, b: at_least(a ^ FLAGS, b ^ FLAGS),
    "slt": lambda a, b: at_least(a ^ FLAGS, b ^ FLAGS) ^ FLAGS,
    "sle": lambda a, b: at_least(b ^ FLAGS, a ^ FLAGS),
    "sgt": lambda a, b: at_least(b ^ FLAGS, a ^ FLAGS) ^ FLAGS,
}
"""The flags of each predicate of `arith.cmpi`."""


def select(flags: Word, a: Word, b: Word) -> Word:
    """`a` where there is a flag, else `b`."""
    mask = flags | (flags - (flags >> 7))
    return (a & mask) | (b & ~mask)


def select_where(holds: Callable[[Word, Word], Word], a: Word, b: Word) -> Word:
    """`a` where flags of a predicate say so, else `b`."""
    return select(holds(a, b), a, b)


def zero_or_one(flags: Word) -> Word:
    """1 where there is a flag, else 0."""
    return flags >> 7


def sum_of_small(a: Word) -> Word:
    """The sum of the four bytes, if that is less than 256."""
    return a * ONES >> 24


def sums_of_pairs(a: Word) -> Word:
    """Two sums of two bytes each, of 16 bits."""
    return (a & _EVEN) + (a >> 8 & _EVEN)


def sum_of_pairs(a: Word) -> Word:
    """The sum of the two halves, if that is less than 65536."""
    return a * 0x00010001 >> 16
