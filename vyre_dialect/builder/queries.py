"""
Queries over the rows of columns, written as what is done with one row.

    with aggregate(days, prices) as query:
        day, price = query.row
        query.where(day < 100)
        query.sum(price.to(i64), into=total)
        query.count(into=rows)
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects.builtin import AnyFloat, IndexType
from xdsl.ir import Block, Region, SSAValue

from vyre_dialect.builder.buffers import Buffer
from vyre_dialect.builder.building import building
from vyre_dialect.builder.values import Scalar, Value, ssa
from vyre_dialect.ops.aggregate import AggregateKind, AggregateOp
from vyre_dialect.ops.query import YieldOp
from vyre_dialect.ops.select import SelectKind, SelectOp


class Query:
    """The body of a query under construction."""

    def __init__(self, columns: tuple[Buffer, ...]):
        self.body = Block(arg_types=[column.type.element_type for column in columns])
        self.row = tuple(map(Value, self.body.args))
        """The elements of a row, one of each column."""
        self.results: list[tuple[str, Buffer]] = []
        """What the query gives, and the buffers that take it."""
        self._values: list[SSAValue] = []
        self._predicate: Value | None = None
        self._group: SSAValue | None = None
        self._position: Value | None = None
        for element, column in zip(self.row, columns, strict=True):
            element.ssa.name_hint = column.ssa.name_hint

    @property
    def position(self) -> Value:
        """The number of the row, an index."""
        if self._position is None:
            argument = self.body.insert_arg(IndexType(), len(self.body.args))
            self._position = Value(argument).named("row")
        return self._position

    def where(self, condition: Value) -> None:
        """Let rows count only where an i1 is set; of several conditions, all have to hold."""
        before = self._predicate
        self._predicate = condition if before is None else before & condition

    def count(self, *, into: Buffer) -> None:
        """How many rows count."""
        self._give("count", into)

    def _give(self, kind: str, into: Buffer, value: Scalar | None = None) -> None:
        self.results.append((kind, into))
        if value is not None:
            self._values.append(ssa(value, into.type.element_type))

    @contextmanager
    def built(self) -> Generator[None]:
        """Build the body, with the op that ends it."""
        with building(self.body):
            yield
            predicate = None if self._predicate is None else self._predicate.ssa
            YieldOp(self._values, predicate=predicate, group=self._group)


class Aggregation(Query):
    """A `vyre.scan.aggregate` under construction."""

    def group_by(self, key: Value) -> None:
        """Combine the rows of each key, an i32, by themselves; other keys do not count."""
        self._group = key.ssa

    def sum(self, value: Scalar, *, into: Buffer) -> None:
        """The sum of a value of the type of the result: of i64, for sums that are exact."""
        self._give(AggregateKind.SUM, into, value)

    def min(self, value: Scalar, *, into: Buffer, signed: bool = False) -> None:
        """The smallest value, of integers the smallest unsigned one unless `signed`."""
        kinds = AggregateKind.MINIMUMF, AggregateKind.MINS, AggregateKind.MINU
        self._give(_by_type(kinds, into, signed), into, value)

    def max(self, value: Scalar, *, into: Buffer, signed: bool = False) -> None:
        """The largest value, of integers the largest unsigned one unless `signed`."""
        kinds = AggregateKind.MAXIMUMF, AggregateKind.MAXS, AggregateKind.MAXU
        self._give(_by_type(kinds, into, signed), into, value)

    def first(self, *, into: Buffer) -> None:
        """The number of the first row that counts; -1 without one."""
        self._give(AggregateKind.FIRST, into)


def _by_type(kinds: tuple[str, str, str], into: Buffer, signed: bool) -> str:
    of_floats, of_signed, of_unsigned = kinds
    if isinstance(into.type.element_type, AnyFloat):
        return of_floats
    return of_signed if signed else of_unsigned


class Selection(Query):
    """A `vyre.scan.select` under construction."""

    def bitmap(self, *, into: Buffer) -> None:
        """A bit for each row, set where it counts."""
        self._give(SelectKind.BITMAP, into)

    def positions(self, *, into: Buffer) -> None:
        """The numbers of the rows that count, in order."""
        self._give(SelectKind.POSITIONS, into)

    def values(self, value: Scalar, *, into: Buffer) -> None:
        """A value of each row that counts, in their order."""
        self._give(SelectKind.VALUES, into, value)


@contextmanager
def aggregate(*columns: Buffer, rows: Value | None = None) -> Generator[Aggregation]:
    """
    A `vyre.scan.aggregate` over the rows of some columns, at most `rows` of them, around what is
    built of its body inside.
    """
    query = Aggregation(columns)
    with query.built():
        yield query
    AggregateOp(columns, query.results, Region(query.body), rows=rows)


@contextmanager
def select(*columns: Buffer, rows: Value | None = None) -> Generator[Selection]:
    """
    A `vyre.scan.select` of the rows of some columns, at most `rows` of them, around what is built
    of its body inside.
    """
    query = Selection(columns)
    with query.built():
        yield query
    SelectOp(columns, query.results, Region(query.body), rows=rows)
