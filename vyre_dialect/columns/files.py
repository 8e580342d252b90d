"""Columns of files, which are read as far as a query needs them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from vyre_dialect.columns.arrow_values import plain_type
from vyre_dialect.columns.column import Column
from vyre_dialect.columns.encoding import encode
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowType, extra
from vyre_dialect.columns.query.dates import days_of
from vyre_dialect.columns.query.typed import ColumnFacts
from vyre_dialect.columns.sources import CanMatch, Facts, Part, Source, types_of

_MOST_ROWS = 1 << 26
"""Rows that are read at once, at least those of a row group."""


def columns_of(path: Path, names: Sequence[str], groups: Sequence[int]) -> Mapping[str, Column]:
    """Columns of a file of Parquet, of some of its row groups, as a program decodes them."""
    with _reading(path):
        file = extra("pyarrow.parquet").ParquetFile(path)
        table = file.read_row_groups(list(groups), columns=list(names))
    return encode(table)


class FilesSource(Source):
    """Files of Parquet with the same columns."""

    def __init__(self, paths: Sequence[Path]):
        """Raises a QueryError for what is no such file."""
        self._paths = paths
        self._groups = self._skipped = 0

    @property
    def types(self) -> Mapping[str, ArrowType]:
        """Those of the first file, which all others must have."""
        return self._types_of_all

    @cached_property
    def _types_of_all(self) -> dict[str, ArrowType]:
        first, *others = [self._types(path) for path in self._paths]
        for path, types in zip(self._paths[1:], others, strict=True):
            if types != first:
                raise QueryError(
                    f"'{path}' has other columns than '{self._paths[0]}': ask each by itself"
                )
        return first

    @property
    def skipped(self) -> str | None:
        """How many row groups of how many, by their statistics."""
        if not self._skipped:
            return None
        return f"{self._skipped} of {self._groups} row groups, by their statistics"

    def parts(self, names: Sequence[str], can_match: CanMatch) -> Iterator[Part]:
        """Row groups that may match, several at once."""
        first_row, names = 0, names or list(self.types)[:1]
        for path in self._paths:
            metadata = self._metadata(path)
            for groups in self._chosen(metadata, names, can_match):
                rows = sum(metadata.row_group(each).num_rows for each in groups)
                before = sum(metadata.row_group(each).num_rows for each in range(groups[0]))
                yield Part(columns_of(path, names, groups), rows, first_row + before)
            first_row += metadata.num_rows

    def _chosen(
        self, metadata: Any, names: Sequence[str], can_match: CanMatch
    ) -> Iterator[list[int]]:
        """The numbers of the row groups that may match, as many at once as are read."""
        chosen, rows = list[int](), 0
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            self._groups += 1
            if not group.num_rows or not can_match(self._facts(group, names)):
                self._skipped += bool(group.num_rows)
                continue
            if chosen and rows + group.num_rows > _MOST_ROWS:
                yield chosen
                chosen, rows = [], 0
            chosen.append(number)
            rows += group.num_rows
        if chosen:
            yield chosen

    def _facts(self, group: Any, names: Sequence[str]) -> dict[str, ColumnFacts]:
        chunks = [group.column(at) for at in range(group.num_columns)]
        statistics = {each.path_in_schema: each.statistics for each in chunks}
        return {
            name: Facts.of(name, self.types[name], _bounds(statistics.get(name), self.types[name]))
            for name in names
        }

    def _types(self, path: Path) -> dict[str, ArrowType]:
        with _reading(path):
            schema = extra("pyarrow.parquet").read_schema(path)
        return types_of(schema)

    def _metadata(self, path: Path) -> Any:
        with _reading(path):
            return extra("pyarrow.parquet").read_metadata(path)


def _bounds(statistics: Any, type: ArrowType) -> tuple[Any, Any]:
    """The least and the greatest element, or None for those that are not known."""
    if statistics is None or not statistics.has_min_max:
        return None, None
    pa = extra("pyarrow")
    plain = plain_type("", type)
    if pa.types.is_floating(plain) or pa.types.is_boolean(plain):
        return None, None
    least, most = (_element(each, plain) for each in (statistics.min, statistics.max))
    return least, most


def _element(value: Any, type: ArrowType) -> Any:
    """A value of statistics as what stands for it: days, units of the last digit, or itself."""
    if isinstance(value, date):
        return days_of(value)
    if isinstance(value, Decimal):
        return int(value.scaleb(type.scale))
    return value


@contextmanager
def _reading(path: Path) -> Generator[None]:
    """Raise a QueryError for what pyarrow cannot read."""
    errors = extra("pyarrow").ArrowException
    try:
        yield
    except (errors, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise QueryError(f"cannot read '{path}' as Parquet: {reason}") from error
