"""Files of Parquet, their row groups, and the columns in them."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ENOENT
from functools import cached_property
from mmap import ACCESS_READ, mmap
from os import fstat, strerror
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from vyre_dialect.builder import Buffer, Program
from vyre_dialect.columns.extras import ArrowType
from vyre_dialect.columns.parquet.arrow import arrow
from vyre_dialect.columns.parquet.assembly import Assembled, Chunk, assemble
from vyre_dialect.columns.parquet.decoders import Decoder, levels_of
from vyre_dialect.columns.parquet.errors import NotCoveredError, ParquetError
from vyre_dialect.columns.parquet.fallback import assemble_values
from vyre_dialect.columns.parquet.footer import (
    TAIL,
    ChunkPlace,
    Footer,
    Group,
    Leaf,
    footer_length,
    read_footer,
)
from vyre_dialect.columns.parquet.pages import Pages, pages_of
from vyre_dialect.columns.parquet.physical import numbers_of, plain_type, require_as_it_lies
from vyre_dialect.columns.parquet.runs import Array, FileBytes, Source
from vyre_dialect.columns.parquet.statistics import (
    UNKNOWN,
    Bounds,
    bounds_of,
    decimal_bounds_of,
)

if TYPE_CHECKING:
    from xdsl.ir import Attribute

_OTHERS = re.compile(r"\W", re.ASCII)
_KEPT_OF_FILE = 8
"""What is kept of columns takes up to one part of so many of the bytes of a file."""
_KEPT_AT_LEAST = 1 << 24
"""Bytes, of shorter files, and of those that are not read in place."""
_LEFT_OUT = 100
"""
Bytes that may belong to a chunk behind what its size says: old writers did not count the header of
a dictionary (PARQUET-816).
"""


@dataclass(frozen=True)
class ParquetColumn:
    """A column of a file, as `vyre_dialect.columns.column` says."""

    name: str
    rows: int
    logical_type: ArrowType
    decoder: Decoder
    identifier: str
    """What the names of its buffers begin with."""
    dictionary: Sequence[Any] | None = None
    validity: ParquetColumn | None = None
    minimum: Any | None = None
    maximum: Any | None = None
    reason: str | None = None

    @property
    def element_type(self) -> Attribute:
        """What a decoded buffer holds."""
        return self.decoder.element_type

    @property
    def inputs(self) -> Mapping[str, Array]:
        """What to bind when a program runs that declares the column."""
        return self.decoder.inputs(self.identifier)

    @property
    def own_bytes(self) -> int:
        """What it takes besides the bytes of the file."""
        parts = [self.decoder] if self.validity is None else [self.decoder, self.validity.decoder]
        return sum(each.own_bytes for each in parts)

    @property
    def form(self) -> Hashable:
        """What a program that declares the column depends on."""
        texts = None if self.dictionary is None else tuple(self.dictionary)
        validity = None if self.validity is None else self.validity.form
        bounds = (self.minimum, self.maximum)
        decoder = self.decoder.form
        return (self.name, self.identifier, self.logical_type, decoder, texts, validity, bounds)

    def declare(self, program: Program) -> Buffer:
        """The decoded buffer."""
        return self.decoder.declare(program, self.identifier)


@dataclass(frozen=True)
class RowGroup:
    """Some rows of a file, which can be read without the others."""

    number: int
    rows: int
    bounds: Mapping[str, Bounds]
    """What its statistics say, by the names of columns."""


class ParquetFile:
    """
    A file, by its path or as its bytes. Raises ParquetError where it is none; so does everything
    that reads more of it, where that is damaged.

    A file is mapped into memory, so that it must not become shorter while it is read. With
    `in_place`, programs take pages from there, and what stands in between, too: for devices that
    work on the memory of the host.
    """

    def __init__(self, source: str | Path | bytes, *, in_place: bool = False):
        pa = arrow()
        pq = arrow("pyarrow.parquet")

        self.name = "bytes" if isinstance(source, bytes) else str(source)
        with self._reading():
            self._source = (
                pa.BufferReader(source) if isinstance(source, bytes) else pa.OSFile(self.name)
            )
            self._bytes = memoryview(source if isinstance(source, bytes) else _mapped(source))
            self._size, self._in_place = len(self._bytes), in_place
            self._footer = self._read_footer()
            self._file = pq.ParquetFile(self._source)
            self._schema = self._file.schema_arrow
        self._lock = Lock()
        self._pages = dict[tuple[int, int], Pages]()
        """What has been read of headers, by the numbers of row groups and columns."""
        self._columns = OrderedDict[tuple[str, tuple[int, ...]], ParquetColumn]()
        """Those that have been read, the one that was asked for the longest time ago first."""

    @property
    def rows(self) -> int:
        """How many rows all groups have."""
        return sum(group.rows for group in self.row_groups)

    @property
    def names(self) -> Sequence[str]:
        """The columns, in their order."""
        return self._schema.names

    @property
    def schema(self) -> Any:
        """The columns as Arrow has them."""
        return self._schema

    @cached_property
    def row_groups(self) -> Sequence[RowGroup]:
        """The groups, with what is known of them before anything is read."""
        with self._reading():
            return [self._row_group(*each) for each in enumerate(self._footer.groups)]

    def column(self, name: str, row_groups: Sequence[int] | None = None) -> ParquetColumn:
        """
        A column of some row groups, by their numbers, or of all. Where it is not read as it lies,
        its `reason` says why. Raises ParquetError where there is none of this name, too.
        """
        if self.names.count(name) != 1:
            known = ", ".join(f"'{each}'" for each in self.names)
            raise ParquetError(f"'{self.name}' has no one column '{name}', expected one of {known}")
        groups = range(len(self.row_groups)) if row_groups is None else row_groups
        for number in groups:
            if not 0 <= number < len(self.row_groups):
                last = len(self.row_groups) - 1
                raise ParquetError(
                    f"'{self.name}': expected row groups from 0 to {last}, got {number}"
                )
        key = (name, tuple(groups))
        with self._lock:
            if key in self._columns:
                self._columns.move_to_end(key)
                return self._columns[key]
        column = self._column(name, groups)
        if column.reason is None and column.own_bytes <= self._most_kept:
            self._keep(key, column)
        return column

    @property
    def kept_bytes(self) -> int:
        """What columns that are not read again take besides the bytes of the file."""
        with self._lock:
            return sum(each.own_bytes for each in self._columns.values())

    @property
    def _most_kept(self) -> int:
        """Of tables of runs; programs take values from the file if they can."""
        share = self._size // _KEPT_OF_FILE if self._in_place else 0
        return max(share, _KEPT_AT_LEAST)

    def _keep(self, key: tuple[str, tuple[int, ...]], column: ParquetColumn) -> None:
        with self._lock:
            self._columns[key] = column
            kept = sum(each.own_bytes for each in self._columns.values())
            while kept > self._most_kept:
                _, oldest = self._columns.popitem(last=False)
                kept -= oldest.own_bytes

    def _column(self, name: str, groups: Sequence[int]) -> ParquetColumn:
        with self._reading(name):
            try:
                type = plain_type(self._schema.field(name).type)
                assembled, reason = self._as_it_lies(name, type, groups), None
            except NotCoveredError as error:
                reason = f"column '{name}' is decoded on the host: {error}"
                with self._lock:  # pyarrow's reader is for one thread
                    table = self._file.read_row_groups([*groups], columns=[name])
                assembled, type = assemble_values(table.column(name))
                self._require_rows(table, groups)
            return self._named(name, groups, type, assembled, reason)

    def _require_rows(self, table: Any, groups: Sequence[int]) -> None:
        rows = sum(self.row_groups[number].rows for number in groups)
        if table.num_rows != rows:
            raise ParquetError(f"expected {rows} rows by its footer, got {table.num_rows}")

    def _named(
        self,
        name: str,
        groups: Sequence[int],
        type: ArrowType,
        assembled: Assembled,
        reason: str | None,
    ) -> ParquetColumn:
        identifier = f"{_OTHERS.sub('_', name)}_{self.names.index(name)}"
        identifier = identifier if identifier.isidentifier() else f"column_{identifier}"
        rows = sum(self.row_groups[number].rows for number in groups)
        bounds = [self.row_groups[number].bounds[name] for number in groups]
        validity = None
        if assembled.validity is not None:
            validity = ParquetColumn(
                f"validity of {name}",
                rows,
                arrow().bool_(),
                assembled.validity,
                levels_of(identifier),
            )
        return ParquetColumn(
            name,
            rows,
            type,
            assembled.values,
            identifier,
            assembled.dictionary,
            validity,
            _least([each.minimum for each in bounds], min),
            _least([each.maximum for each in bounds], max),
            reason,
        )

    def _as_it_lies(self, name: str, type: ArrowType, groups: Sequence[int]) -> Assembled:
        leaf = self._covered_leaf(name, type)
        chunks = [self._chunk(number, leaf) for number in groups]
        numbers, is_text = (
            numbers_of(leaf.physical, leaf.length, type),
            arrow().types.is_string(type),
        )
        source = Source(np.frombuffer(self._bytes, np.uint8), self._in_place)
        return assemble(
            source, chunks, leaf.physical, numbers, optional=leaf.is_optional, text=is_text
        )

    def _covered_leaf(self, name: str, type: ArrowType) -> Leaf:
        """What the file says of a column that is read as it lies."""
        leaf = self._footer.leaves.get(name)
        if leaf is None:
            raise NotCoveredError("it is nested")
        require_as_it_lies(leaf, type)
        return leaf

    def _read_footer(self) -> Footer:
        end = self._size - TAIL
        length = footer_length(bytes(self._bytes[end:]) if end >= 0 else b"")
        if length > end:
            raise ParquetError(f"expected a footer in {end} bytes, got one of {length}")
        return read_footer(bytes(self._bytes[end - length : end]))

    def _chunk(self, number: int, leaf: Leaf) -> Chunk:
        """The pages of a column in a row group."""
        group = self._footer.groups[number]
        place = _place(group, leaf)
        if place.is_elsewhere:
            raise NotCoveredError("it is in another file, or encrypted")
        if place.codec != "UNCOMPRESSED":
            raise NotCoveredError(f"it is compressed by {place.codec}")
        if place.values != group.rows:
            raise ParquetError(f"expected {group.rows} values in a row group, got {place.values}")
        if place.begin < 0 or place.size < 0 or place.begin + place.size > self._size:
            raise ParquetError(
                f"expected its pages in the {self._size} bytes of the file, "
                f"got {place.size} at {place.begin}"
            )
        end = min(place.begin + place.size + _LEFT_OUT, self._size)
        piece, key = FileBytes(place.begin, self._bytes[place.begin : end]), (number, leaf.number)
        if key not in self._pages:
            optional = leaf.is_optional
            self._pages[key] = pages_of(piece.data, group.rows, optional=optional)
        return Chunk(piece, self._pages[key])

    def _row_group(self, number: int, group: Group) -> RowGroup:
        bounds = {name: self._bounds(group, name) for name in self.names}
        return RowGroup(number, group.rows, bounds)

    def _bounds(self, group: Group, name: str) -> Bounds:
        type, leaf = plain_type(self._schema.field(name).type), self._footer.leaves.get(name)
        if leaf is None:
            return UNKNOWN
        statistics = _place(group, leaf).statistics
        try:
            require_as_it_lies(leaf, type)
        except NotCoveredError:
            return decimal_bounds_of(statistics, leaf.physical, type)
        return bounds_of(statistics, leaf.physical, type)

    @contextmanager
    def _reading(self, column: str | None = None) -> Generator[None]:
        """Name the file, and the column, in what goes wrong; of pyarrow, the first line."""
        pa = arrow()

        place = f"'{self.name}'" if column is None else f"'{self.name}', column '{column}'"
        try:
            yield
        except ParquetError as error:
            raise ParquetError(f"{place}: {error}") from None
        except FileNotFoundError as error:
            raise ParquetError(f"cannot read {place}: {strerror(ENOENT)}") from error
        except (pa.ArrowException, OSError, ValueError, KeyError, IndexError) as error:
            lines = str(error).splitlines() or [type(error).__name__]
            raise ParquetError(f"{place} is not read by pyarrow: {lines[0]}") from error


def _mapped(path: str | Path) -> mmap | bytes:
    """The bytes of a file; of an empty one, which cannot be mapped, none."""
    with open(path, "rb") as file:
        is_empty = not fstat(file.fileno()).st_size
        return b"" if is_empty else mmap(file.fileno(), 0, access=ACCESS_READ)


def _place(group: Group, leaf: Leaf) -> ChunkPlace:
    if leaf.number >= len(group.chunks):
        raise ParquetError(f"expected more than {len(group.chunks)} columns in a row group")
    return group.chunks[leaf.number]


def _least(bounds: Sequence[Any | None], choose: Callable[[list[Any]], Any]) -> Any | None:
    known = [each for each in bounds if each is not None]
    return choose(known) if known and len(known) == len(bounds) else None
