"""
Thrift's compact protocol, of which headers of pages are made: structures as dictionaries, from the
numbers of their fields to values. See `doc/specs/thrift-compact-protocol.md` of Apache Thrift.

Nothing is read outside of the given bytes, what is nested is bounded, and no list is longer than
the bytes that are left: what a header claims takes no more time or memory than it has bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from vyre_dialect.columns.parquet.errors import ParquetError

T = TypeVar("T")
Struct = dict[int, Any]
"""The fields of a structure by their numbers."""

_MOST_NESTED = 16
_LONGEST_VARINT = 10
_ZIGZAG = (5, 6, 4)
"""Types of fields that are signed numbers, the most frequent ones first."""
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


class CompactReader:
    """
    Reads values from the first of some bytes on, which are called by a name in errors.
    Raises ParquetError where there are none.
    """

    def __init__(self, data: bytes | memoryview, name: str):
        self.data = data
        self.name = name
        self.position: int = 0

    def byte(self) -> int:
        """The next byte."""
        if self.position >= len(self.data):
            raise ParquetError(f"expected more of {self.name}, got the end of its bytes")
        value = self.data[self.position]
        self.position += 1
        return value

    def varint(self) -> int:
        """An unsigned number, seven bits to a byte, of at most 64 bits."""
        position = self.position
        if position < len(self.data) and (byte := self.data[position]) < 0x80:
            self.position = position + 1
            return byte
        return self._long_varint()

    def _long_varint(self) -> int:
        value, ahead = 0, self.data[self.position : self.position + _LONGEST_VARINT]
        for place, byte in enumerate(ahead):
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                self.position += place + 1
                return value & (1 << 64) - 1
        if len(ahead) < _LONGEST_VARINT:
            raise ParquetError(f"expected more of {self.name}, got the end of its bytes")
        raise ParquetError(
            f"expected numbers of at most {_LONGEST_VARINT} bytes in {self.name}, got more"
        )

    def zigzag(self) -> int:
        """A signed number."""
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def struct(self, nested: int = 0) -> Struct:
        """A structure; later fields of the same number count."""
        data, end, fields, number = self.data, len(self.data), Struct(), 0
        position = self.position
        while position < end and (head := data[position]):
            kind, position = head & 0xF, position + 1
            if not head >> 4:
                self.position = position
                head, position = self.zigzag() - number << 4, self.position
            number += head >> 4
            byte = data[position] if position < end else 0x80
            # What headers of pages have most of: numbers of a byte, and a byte and so many bytes.
            if kind in _ZIGZAG and byte < 0x80:
                fields[number] = byte >> 1 ^ -(byte & 1)
                position += 1
            elif kind == _BINARY and byte < min(0x80, end - position):
                fields[number] = bytes(data[position + 1 : position + 1 + byte])
                position += 1 + byte
            else:
                self.position = position
                fields[number], position = self._value(kind, nested), self.position
        self.position = position
        self.byte()  # the end of the structure, which there must be
        return fields

    def _value(self, kind: int, nested: int) -> Any:
        if kind in _SCALARS:
            return _SCALARS[kind](self)
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if nested > _MOST_NESTED:
            raise ParquetError(f"expected {self.name} nested at most {_MOST_NESTED} deep, got more")
        if kind in (_LIST, _SET):
            return self._list(nested + 1)
        if kind == _MAP:
            return self._map(nested + 1)
        if kind == _STRUCT:
            return self.struct(nested + 1)
        raise ParquetError(f"expected fields of known types in {self.name}, got type {kind}")

    def _element(self, kind: int, nested: int) -> Any:
        """As a field, but for a boolean, which takes a byte of its own."""
        return self.byte() == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, nested)

    def _list(self, nested: int) -> list[Any]:
        head = self.byte()
        size = head >> 4 if head >> 4 < 15 else self.varint()
        self._require(size)
        return [self._element(head & 0xF, nested) for _ in range(size)]

    def _map(self, nested: int) -> list[tuple[Any, Any]]:
        size = self.varint()
        self._require(size)
        if not size:
            return []
        kinds = self.byte()
        return [
            (self._element(kinds >> 4, nested), self._element(kinds & 0xF, nested))
            for _ in range(size)
        ]

    def take(self, size: int) -> bytes:
        """So many bytes."""
        self._require(size)
        self.position += size
        return bytes(self.data[self.position - size : self.position])

    def _require(self, size: int) -> None:
        left = max(0, len(self.data) - self.position)
        if size > left:
            raise ParquetError(
                f"expected {size} more bytes or elements of {self.name}, got {left} bytes"
            )


_SCALARS: dict[int, Callable[[CompactReader], Any]] = {
    _BYTE: CompactReader.byte,
    _I16: CompactReader.zigzag,
    _I32: CompactReader.zigzag,
    _I64: CompactReader.zigzag,
    _DOUBLE: lambda reader: reader.take(8),
    _BINARY: lambda reader: reader.take(reader.varint()),
}


def required(struct: Struct, number: int, type: type[T], what: str) -> T:
    """A field of a structure. Raises ParquetError unless it is there, and of the type."""
    value = optional(struct, number, type, what)
    if value is None:
        raise ParquetError(f"expected {what}, got none")
    return value


def optional(struct: Struct, number: int, type: type[T], what: str) -> T | None:
    """A field of a structure, or None. Raises ParquetError for one of another type."""
    value = struct.get(number)
    if value is None:
        return None
    if not isinstance(value, type) or (type is int and isinstance(value, bool)):
        raise ParquetError(f"expected {what} as {type.__name__}, got {value!r}")
    return value


def structure(value: object, what: str) -> Struct:
    """A value that is a structure. Raises ParquetError for another one."""
    if not isinstance(value, dict):
        raise ParquetError(f"expected {what} as a structure, got {value!r}")
    return cast("Struct", value)


def structures(value: object, what: str) -> list[Struct]:
    """A value that is a list of structures. Raises ParquetError for another one."""
    if not isinstance(value, list):
        raise ParquetError(f"expected {what} as a list, got {value!r}")
    return [structure(each, what) for each in cast("list[object]", value)]
