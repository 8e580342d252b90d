"""
Headers of pages as most writers write them, matched by one expression: a file has thousands of
them, one behind the other, and `CompactReader`, which reads any, takes three times as long.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from vyre_dialect.columns.parquet.thrift import Struct

_NUMBER = rb"([\x80-\xff]{0,4}[\x00-\x7f])"
"""Of up to 35 bits, which no size or count in a header has more of."""
_FIELD = rb"\x15" + _NUMBER
"""A number in the field behind the one before."""
_BOUND = rb"[\x18\x28](?:\x00|\x01.|\x02..|\x04.{4}|\x08.{8})"
"""Bytes in the next field or the one behind it: a value of a column of numbers."""
_COUNT = rb"[\x16\x36][\x80-\xff]{0,9}[\x00-\x7f]"
"""Of nulls, behind bounds or alone."""
_MARK = rb"[\x11\x12]"
_STATISTICS = rb"\x1c(?:" + _BOUND + rb"|" + _COUNT + rb"|" + _MARK + rb")*\x00"
_PAGE = re.compile(
    rb"\x15\x00" + 2 * _FIELD + rb"\x2c" + 4 * _FIELD + rb"(?:" + _STATISTICS + rb")?\x00\x00",
    re.DOTALL,
)
"""
A page of data of version 1: its sizes and then, in field 5, its values, its encoding, that of two
kinds of levels, and statistics.
"""


class UsualHeader(NamedTuple):
    """What a header says, but for its statistics, and where it ends."""

    fields: Struct
    end: int


def usual_header(data: bytes | memoryview, position: int) -> UsualHeader | None:
    """The header that begins there, as `CompactReader` reads it; None for one of another form."""
    found = _PAGE.match(data, position)
    if found is None:
        return None
    size, compressed, *page = map(_zigzag, found.groups())
    fields: Struct = {1: 0, 2: size, 3: compressed, 5: dict(enumerate(page, 1))}
    return UsualHeader(fields, found.end())


def _zigzag(digits: bytes) -> int:
    """A signed number, seven bits to a byte."""
    value = 0
    for place, byte in enumerate(digits):
        value |= (byte & 0x7F) << 7 * place
    return value >> 1 ^ -(value & 1)
