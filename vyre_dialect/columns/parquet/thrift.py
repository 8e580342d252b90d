"""
Thrift's compact protocol, of which headers of pages are made: structures as dictionaries, from the
numbers of their fields to values. See `doc/specs/thrift-compact-protocol.md` of Apache Thrift.

Nothing is read outside of the given bytes, what is nested is bounded, and no list is longer than
the bytes that are left: what a header claims takes no more time or memory than it has bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vyre_dialect.columns.parquet.errors import ParquetError

Struct = dict[int, Any]
"""The fields of a structure by their numbers."""

_MOST_NESTED = 16
_LONGEST_VARINT = 10
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


class CompactReader:
    """Reads values from a place of some bytes on. Raises ParquetError where there are none."""

    def __init__(self, data: bytes, position: int = 0):
        self.data = data
        self.position = position

    def byte(self) -> int:
        """The next byte."""
        if self.position >= len(self.data):
            raise ParquetError("expected the header of a page, got the end of its column")
        value = self.data[self.position]
        self.position += 1
        return value

    def varint(self) -> int:
        """An unsigned number, seven bits to a byte, of at most 64 bits."""
        value = 0
        for place in range(_LONGEST_VARINT):
            byte = self.byte()
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value & (1 << 64) - 1
        raise ParquetError(f"expected numbers of at most {_LONGEST_VARINT} bytes, got a longer one")

    def zigzag(self) -> int:
        """A signed number."""
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def struct(self, nested: int = 0) -> Struct:
        """A structure; later fields of the same number count."""
        if nested > _MOST_NESTED:
            raise ParquetError(f"expected headers nested at most {_MOST_NESTED} deep, got more")
        fields, number = Struct(), 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            fields[number] = self._value(head & 0xF, nested)
        return fields

    def _value(self, kind: int, nested: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in (_LIST, _SET):
            return self._list(nested + 1)
        if kind == _MAP:
            return self._map(nested + 1)
        if kind == _STRUCT:
            return self.struct(nested + 1)
        if kind not in _SCALARS:
            raise ParquetError(f"expected a field of a known type in a header, got type {kind}")
        return _SCALARS[kind](self)

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
        return self.data[self.position - size : self.position]

    def _require(self, size: int) -> None:
        left = len(self.data) - self.position
        if size > left:
            raise ParquetError(f"expected {size} more bytes or elements in a header, got {left}")


_SCALARS: dict[int, Callable[[CompactReader], Any]] = {
    _BYTE: CompactReader.byte,
    _I16: CompactReader.zigzag,
    _I32: CompactReader.zigzag,
    _I64: CompactReader.zigzag,
    _DOUBLE: lambda reader: reader.take(8),
    _BINARY: lambda reader: reader.take(reader.varint()),
}
