"""Strings of bytes in programs: text where it is ASCII, else hexadecimal digits."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import BytesAttr, StringAttr
from xdsl.irdl import base

ByteStringAttr: TypeAlias = StringAttr | BytesAttr
ByteString: TypeAlias = str | bytes | ByteStringAttr

BYTE_STRING = base(StringAttr) | base(BytesAttr)


def byte_string_attr(value: ByteString) -> ByteStringAttr:
    """The attribute for a byte string; a `str` stands for its UTF-8 bytes."""
    if isinstance(value, StringAttr | BytesAttr):
        return value
    data = value.encode() if isinstance(value, str) else value
    return StringAttr(data.decode("ascii")) if data.isascii() else BytesAttr(data)


def bytes_of(value: ByteStringAttr) -> bytes:
    """The bytes that a byte string attribute stands for."""
    return value.data.encode() if isinstance(value, StringAttr) else value.data
