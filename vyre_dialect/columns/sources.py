"""Where the columns of a query come from: tables, columns that are packed, and files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects.builtin import f32, f64, i8, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.columns.arrow_values import is_plain, plain_type
from vyre_dialect.columns.column import Column
from vyre_dialect.columns.encoding import encode
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowTable, ArrowType, extra
from vyre_dialect.columns.query.typed import ColumnFacts

CanMatch: TypeAlias = Callable[[Mapping[str, ColumnFacts]], bool]
"""Whether rows may be asked for, by what is known of their columns."""


@dataclass(frozen=True)
class Rows:
    """Some rows, whose columns are all there."""

    columns: Mapping[str, Column]
    rows: int
    first_row: int
    """How many rows of the source stand in front."""


class Source(ABC):
    """Columns of one schema, in parts."""

    @property
    @abstractmethod
    def types(self) -> Mapping[str, ArrowType]:
        """The types of the columns as they are, by their names."""

    @abstractmethod
    def parts(self, names: Sequence[str], can_match: CanMatch) -> Iterator[Rows]:
        """The rows, with some of the columns, without those that cannot match if that is known."""

    @property
    def skipped(self) -> str | None:
        """What has not been read, in words, if that is to be told of."""
        return None


@dataclass(frozen=True)
class TableSource(Source):
    """An Arrow table, encoded when it is asked for."""

    table: ArrowTable

    @property
    def types(self) -> Mapping[str, ArrowType]:
        """Those of the schema."""
        return types_of(self.table.schema)

    def parts(self, names: Sequence[str], can_match: CanMatch) -> Iterator[Rows]:
        """One part."""
        rows = self.table.num_rows
        if rows:
            # A table of no columns has no rows.
            chosen = self.table.select(list(names) or that_count(self.types))
            yield Rows(encode(chosen), rows, 0)


@dataclass(frozen=True)
class ColumnsSource(Source):
    """Columns that lie packed in memory."""

    columns: Mapping[str, Column]

    @property
    def types(self) -> Mapping[str, ArrowType]:
        """What they stand for."""
        return {name: column.logical_type for name, column in self.columns.items()}

    def parts(self, names: Sequence[str], can_match: CanMatch) -> Iterator[Rows]:
        """One part. Raises a QueryError where columns differ in length."""
        rows = {column.rows for column in self.columns.values()}
        if len(rows) > 1:
            raise QueryError(f"expected columns of one length, got {sorted(rows)}")
        chosen = {name: self.columns[name] for name in names or that_count(self.types)}
        if rows and rows != {0} and can_match(chosen):
            yield Rows(chosen, rows.pop(), 0)


@dataclass(frozen=True)
class Facts:
    """What is known of a column that has not been read."""

    name: str
    logical_type: ArrowType
    element_type: Attribute
    minimum: Any | None = None
    maximum: Any | None = None
    dictionary: None = None
    validity: object | None = True
    """There may be nulls, for all that is known."""

    @classmethod
    def of(cls, name: str, type: ArrowType, bounds: tuple[Any, Any] | None = None) -> Facts:
        """
        Those of a column of a type. Raises a QueryError for one that queries do not know. Without
        bounds they are those of one value, 0: for questions that no value has to do with.
        """
        plain = plain_type(name, type)
        if bounds is None:
            bounds = (None, None) if extra("pyarrow").types.is_string(plain) else (0, 0)
        return cls(name, plain, element_type(plain), *bounds)


def types_of(schema: Any) -> dict[str, ArrowType]:
    """The types of a schema, by name. Raises a QueryError for a name that comes twice."""
    names: list[str] = schema.names
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise QueryError(f"two columns are called '{twice}', and queries know columns by name")
    return dict(zip(names, schema.types, strict=True))


def that_count(types: Mapping[str, ArrowType]) -> list[str]:
    """One of the columns, for a query that asks how many rows there are alone: any that is read."""
    of_decimals = extra("pyarrow").types.is_decimal  # which may have more digits than fit
    simple = (name for name, type in types.items() if is_plain(type) and not of_decimals(type))
    return [next(simple, next(iter(types)))] if types else []


def element_type(type: ArrowType) -> Attribute:
    """The widest elements that stand for values of a plain type."""
    types = extra("pyarrow").types
    if types.is_floating(type):
        return f32 if type.bit_width == 32 else f64
    if types.is_boolean(type):
        return i8
    if types.is_string(type) or types.is_date(type):
        return i32
    return i64


class SchemaFacts(Mapping[str, ColumnFacts]):
    """The columns of a schema, of which only those are looked at that are asked for."""

    def __init__(self, types: Mapping[str, ArrowType]):
        self._types = types

    def __getitem__(self, name: str) -> ColumnFacts:
        return Facts.of(name, self._types[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)
