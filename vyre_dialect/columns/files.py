"""Files of Parquet as a source of queries, of which no more is read than these need."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from vyre_dialect.columns.column import Column
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowType
from vyre_dialect.columns.kept_files import KEPT_FILES
from vyre_dialect.columns.parquet import ParquetError, ParquetFile, RowGroup
from vyre_dialect.columns.parquet.decoders import Plain
from vyre_dialect.columns.query.typed import ColumnFacts
from vyre_dialect.columns.sources import CanMatch, Facts, Rows, Source, that_count, types_of

MOST_ROWS = 1 << 26
"""Rows that are read at once, at least those of a row group."""


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a file that are read at once."""

    path: Path
    numbers: tuple[int, ...]
    rows: int
    first_row: int
    """How many rows of the source stand in front."""


class FilesSource(Source):
    """
    Files of Parquet with the same columns. Of files of up to `most_in_place` bytes, programs take
    pages from where these are mapped into memory.
    """

    def __init__(self, paths: Sequence[Path], *, most_in_place: int = 0):
        self._paths, self._most_in_place = paths, most_in_place
        self._groups = self._skipped = 0

    @property
    def types(self) -> Mapping[str, ArrowType]:
        """Those of the first file, which all others must have."""
        return self._types

    @property
    def skipped(self) -> str | None:
        """How many row groups of how many, by their statistics."""
        if not self._skipped:
            return None
        return f"{self._skipped} of {self._groups} row groups, by their statistics"

    @property
    def rows(self) -> int:
        """Those of all files."""
        return sum(file.rows for file in self._files)

    def parts(self, names: Sequence[str], can_match: CanMatch) -> Iterator[Rows]:
        """Row groups that may match, several at once."""
        for groups in self.row_groups(names, can_match):
            yield self.part(groups, names)

    def row_groups(
        self, names: Sequence[str], can_match: CanMatch, most_rows: int = MOST_ROWS
    ) -> Iterator[RowGroups]:
        """Those that may match, as many at once as have `most_rows`, and one at least."""
        first_row, names = 0, names or that_count(self._types)
        for path, file in zip(self._paths, self._files, strict=True):
            with _told():
                for numbers in self._chosen(file, names, can_match, most_rows):
                    before = sum(each.rows for each in file.row_groups[: numbers[0]])
                    rows = sum(file.row_groups[each].rows for each in numbers)
                    yield RowGroups(path, tuple(numbers), rows, first_row + before)
                first_row += file.rows

    def part(self, groups: RowGroups, names: Sequence[str]) -> Rows:
        """What row groups of a file of the source hold."""
        with _told():
            file = self._files[self._paths.index(groups.path)]
            columns = {
                name: column_of(file, name, groups.numbers)
                for name in names or that_count(self._types)
            }
            return Rows(columns, groups.rows, groups.first_row)

    def _chosen(
        self, file: ParquetFile, names: Sequence[str], can_match: CanMatch, most_rows: int
    ) -> Iterator[list[int]]:
        """The numbers of the row groups that may match, as many at once as are read."""
        chosen, rows = list[int](), 0
        for group in file.row_groups:
            self._groups += 1
            if not group.rows or not can_match(self._facts(group, names)):
                self._skipped += bool(group.rows)
                continue
            if chosen and rows + group.rows > most_rows:
                yield chosen
                chosen, rows = [], 0
            chosen.append(group.number)
            rows += group.rows
        if chosen:
            yield chosen

    def _facts(self, group: RowGroup, names: Sequence[str]) -> dict[str, ColumnFacts]:
        return {name: Facts.of(name, self._types[name], group.bounds[name]) for name in names}

    @cached_property
    def _files(self) -> list[ParquetFile]:
        with _told():
            return [
                KEPT_FILES.open(path, most_in_place=self._most_in_place) for path in self._paths
            ]

    @cached_property
    def _types(self) -> dict[str, ArrowType]:
        first, *others = [types_of(file.schema) for file in self._files]
        for path, types in zip(self._paths[1:], others, strict=True):
            if types != first:
                raise QueryError(
                    f"'{path}' has other columns than '{self._paths[0]}': ask each by itself"
                )
        return first


def column_of(file: ParquetFile, name: str, groups: Sequence[int]) -> Column:
    """A column of some row groups; one that the host has decoded has the bounds of its elements."""
    column = file.column(name, groups)
    decoder = column.decoder
    is_known = column.minimum is not None or column.dictionary is not None
    if is_known or not isinstance(decoder, Plain) or not decoder.values.size:
        return column
    least, most = decoder.values.min().item(), decoder.values.max().item()
    return replace(column, minimum=least, maximum=most)


@contextmanager
def _told() -> Generator[None]:
    """Raise what is wrong with a file as a QueryError."""
    try:
        yield
    except ParquetError as error:
        raise QueryError(str(error)) from error
