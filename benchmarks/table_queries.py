"""Queries of one table, in words that vyre and other systems take alike."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from vyre_dialect.columns.query.statement import Statement

Limit: TypeAlias = int | date | Decimal


class SumOfProducts(NamedTuple):
    """A query that sums up products of the rows that lie in ranges, for what is written by hand."""

    ranges: Mapping[str, tuple[Limit, Limit]]
    """The least and the greatest value of three columns."""
    factors: tuple[str, str]
    """What is multiplied: another column, and the second one that has a range."""


class Join(NamedTuple):
    """The words of a query that looks up keys in a second table."""

    sql: str
    table: str
    """The second table; its file has this name, too, and lies beside that of the first."""


class TableQuery(NamedTuple):
    """A query of one table."""

    select: str
    where: str
    group_by: str | None = None
    table: str = "lineitem"
    product: SumOfProducts | None = None
    """The same as ranges, where it is of this form."""
    join: Join | None = None
    """What it was before its join became a range of keys, where it had one."""

    @property
    def statement(self) -> Statement:
        """The same for vyre."""
        return Statement(self.select, self.where, self.group_by)

    def sql(self, table: str) -> str:
        """The same for others, of a table of this name; keys first, as vyre has them."""
        if self.group_by is None:
            return f"select {self.select} from {table} where {self.where}"
        keys = self.group_by
        select = f"select {keys}, {self.select} from {table} where {self.where}"
        return f"{select} group by {keys} order by {keys}"
