"""
What a file of Parquet says of itself at its end: columns, and where their chunks are. See
`src/main/thrift/parquet.thrift` of apache/parquet-format.

It is read here, and not by pyarrow, which ends the process over some damaged footers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.thrift import (
    CompactReader,
    Struct,
    optional,
    required,
    structure,
    structures,
)

TAIL = 8
"""Bytes of a file behind its footer: how long that is, and what all files end with."""
_MAGIC = b"PAR1"
_PHYSICAL = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY")
FIXED = "FIXED_LEN_BYTE_ARRAY"
_CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")
_OPTIONAL, _REPEATED = 1, 2
_UNITS = {1: "ms", 2: "us", 3: "ns"}
_TIME, _TIMESTAMP = 7, 8
"""Logical types that count time."""
_CONVERTED_UNITS = {7: "ms", 8: "us", 9: "ms", 10: "us"}


class Leaf(NamedTuple):
    """A column that is not nested."""

    number: int
    """Its place among the chunks of a row group."""
    physical: str
    is_optional: bool
    unit: str | None
    """What it counts, of time."""
    length: int
    """Bytes of a value that has a fixed number of them, or 0."""


class Statistics(NamedTuple):
    """The least and the greatest value of a chunk, or some below and above, as PLAIN has them."""

    least: bytes | None
    greatest: bytes | None
    is_old: bool
    """Whether these are of old writers, who compare signed numbers right, and nothing else."""


class ChunkPlace(NamedTuple):
    """Where the pages of a column in a row group are."""

    codec: str
    values: int
    begin: int
    size: int
    is_elsewhere: bool
    """In another file, or encrypted."""
    statistics: Statistics


class Group(NamedTuple):
    """A row group."""

    rows: int
    chunks: Sequence[ChunkPlace]


class Footer(NamedTuple):
    """The flat columns by their names, and the row groups."""

    leaves: Mapping[str, Leaf]
    groups: Sequence[Group]


def footer_length(tail: bytes) -> int:
    """How long a footer is, by the last bytes of the file. Raises ParquetError for others."""
    if len(tail) != TAIL or tail[-len(_MAGIC) :] != _MAGIC:
        raise ParquetError("expected a file of Parquet, which ends with PAR1")
    return int.from_bytes(tail[: -len(_MAGIC)], "little")


def read_footer(data: bytes) -> Footer:
    """The footer that some bytes are. Raises ParquetError where they are none."""
    fields = CompactReader(data, "the footer").struct()
    orders = structures(fields.get(7, []), "orders of columns")
    has_orders = bool(orders) and all(1 in each for each in orders)
    groups = structures(fields.get(4), "row groups")
    leaves = _leaves(structures(fields.get(2), "a schema"))
    return Footer(leaves, [_group(each, has_orders) for each in groups])


def _leaves(elements: Sequence[Struct]) -> dict[str, Leaf]:
    """Elements stand in the order of a walk from the root, which is the first."""
    leaves, number, place = dict[str, Leaf](), 0, 1
    for _ in range(_children(elements, 0)):
        element, end = _element(elements, place), _end(elements, place)
        if end == place + 1 and element.get(3) != _REPEATED and 1 in element:
            name = required(element, 4, bytes, "the name of a column").decode(errors="replace")
            leaves[name] = _leaf(element, number)
        number += sum(1 in each for each in elements[place:end])
        place = end
    return leaves


def _element(elements: Sequence[Struct], place: int) -> Struct:
    if place >= len(elements):
        raise ParquetError(f"expected more than {len(elements)} elements in a schema")
    return elements[place]


def _children(elements: Sequence[Struct], place: int) -> int:
    children = optional(_element(elements, place), 5, int, "how many columns are in one") or 0
    if not 0 <= children <= len(elements):
        raise ParquetError(f"expected up to {len(elements)} columns in one, got {children}")
    return children


def _end(elements: Sequence[Struct], place: int) -> int:
    """The place behind an element and all that it has."""
    left = 1
    while left:
        left += _children(elements, place) - 1
        place += 1
    return place


def _leaf(element: Struct, number: int) -> Leaf:
    physical = required(element, 1, int, "the type of a column")
    if not 0 <= physical <= len(_PHYSICAL):
        raise ParquetError(f"expected a known type of a column, got {physical}")
    name = FIXED if physical == len(_PHYSICAL) else _PHYSICAL[physical]
    length = optional(element, 2, int, "the length of values") or 0
    return Leaf(number, name, element.get(3) == _OPTIONAL, _unit(element), length)


def _unit(element: Struct) -> str | None:
    """The unit of time that values count."""
    if 10 not in element:
        converted = optional(element, 6, int, "a converted type")
        return None if converted is None else _CONVERTED_UNITS.get(converted)
    logical = structure(element[10], "a logical type")
    of_time = structure(logical.get(_TIME) or logical.get(_TIMESTAMP) or {}, "a type of time")
    units = structure(of_time.get(2, {}), "a unit of time")
    return next((_UNITS[each] for each in units if each in _UNITS), None)


def _group(fields: Struct, has_orders: bool) -> Group:
    rows = required(fields, 3, int, "the rows of a row group")
    if rows < 0:
        raise ParquetError(f"expected row groups of 0 rows or more, got {rows}")
    chunks = structures(fields.get(1), "the columns of a row group")
    return Group(rows, [_chunk(each, has_orders) for each in chunks])


def _chunk(fields: Struct, has_orders: bool) -> ChunkPlace:
    if 3 not in fields:
        return ChunkPlace("UNCOMPRESSED", 0, 0, 0, True, Statistics(None, None, False))
    own = structure(fields[3], "where a column is")
    codec = required(own, 4, int, "the codec of a column")
    first = required(own, 9, int, "the first page of a column")
    # Some writers say of a dictionary that is not there that it is at 0.
    dictionary = optional(own, 11, int, "the dictionary of a column") or first
    return ChunkPlace(
        codec=_CODECS[codec] if 0 <= codec < len(_CODECS) else f"codec {codec}",
        values=required(own, 5, int, "the values of a column"),
        begin=min(first, dictionary),
        size=required(own, 7, int, "the size of a column"),
        is_elsewhere=bool(fields.get(1)) or 8 in fields,
        statistics=_statistics(own, has_orders),
    )


def _statistics(fields: Struct, has_orders: bool) -> Statistics:
    own = structure(fields.get(12, {}), "the statistics of a column")
    least, greatest = own.get(6), own.get(5)
    if has_orders and isinstance(least, bytes) and isinstance(greatest, bytes):
        return Statistics(least, greatest, is_old=False)
    least, greatest = own.get(2), own.get(1)
    if isinstance(least, bytes) and isinstance(greatest, bytes):
        return Statistics(least, greatest, is_old=True)
    return Statistics(None, None, is_old=False)
