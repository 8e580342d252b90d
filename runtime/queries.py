"""
Queries in words over tables, packed columns and files of Parquet.

    vyre.query("lineitem.parquet", select="sum(l_extendedprice*l_discount) as revenue",
               where="l_quantity < 24 and l_discount between 0.05 and 0.07")
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.columns.column import Column
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowTable
from vyre_dialect.columns.files import FilesSource
from vyre_dialect.columns.query.aggregation import AggregatePlan
from vyre_dialect.columns.query.answers import AggregateAnswer, RowsAnswer
from vyre_dialect.columns.query.bounds import bounds_query, columns_without_bounds, with_bounds
from vyre_dialect.columns.query.measures import Function
from vyre_dialect.columns.query.selection import SelectPlan
from vyre_dialect.columns.query.statement import Columns, Query, Statement
from vyre_dialect.columns.sources import (
    CanMatch,
    ColumnsSource,
    Part,
    SchemaFacts,
    Source,
    TableSource,
)
from vyre_dialect.runtime.driver.program_cache import ProgramCache
from vyre_dialect.runtime.driver.repeated_runs import RepeatedRuns
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE, RunResult
from vyre_dialect.runtime.program.compilation import make_context
from vyre_dialect.runtime.program.explanation import Explanation, SourceText, explain_module
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.progress import Progress, no_progress

FilePath: TypeAlias = "str | PathLike[str]"
Data: TypeAlias = "FilePath | Sequence[FilePath] | Mapping[str, Column] | ArrowTable"
"""A file of Parquet, several of the same columns, columns that are packed, or an Arrow table."""


@dataclass(frozen=True)
class PartRun:
    """What was run for a part of the data."""

    module: ModuleOp
    columns: Mapping[str, Column]
    run: RunResult


@dataclass(frozen=True)
class QueryResult:
    """The answer to a query, and how it was found."""

    table: ArrowTable
    runs: Sequence[PartRun]
    skipped: str | None
    """What was not read, in words."""

    def explained(self, device: Device | str | None = None) -> Explanation:
        """What became of the program of the first part, which there must be, on a device."""
        chosen = None
        if isinstance(device, Device):
            chosen = device.info
        elif device != REFERENCE_DEVICE:
            chosen = choose_device(device).info
        module = self.runs[0].module
        text = SourceText("query", str(module))
        return explain_module(module, Passes(), chosen, make_context(), text)


def query(
    data: Data,
    *,
    select: str = "*",
    where: str | None = None,
    group_by: str | None = None,
    device: Device | str | None = None,
) -> ArrowTable:
    """
    The answer to a query, an Arrow table: of aggregates, of the groups of `group_by`, or of rows.

    `device` is as for `vyre.run`; `reference` is the interpreter. Raises a UsageError for a query
    that makes no sense, and a VyreError for data that cannot be read.
    """
    return run_query(data, Statement(select, where, group_by), device=device).table


def run_query(
    data: Data,
    statement: Statement,
    *,
    device: Device | str | None = None,
    progress: Progress = no_progress,
) -> QueryResult:
    """As `query`, with what was run, of each part of the data."""
    with _told():
        source = _source(data)
        asked = statement.typed(SchemaFacts(source.types))
        names = statement.column_names(list(source.types))
        answer = (RowsAnswer if asked.shows_rows else AggregateAnswer)(asked, source.types)
        repeated = RepeatedRuns(device, programs=ProgramCache.default())
        runs = list[PartRun]()
        for part in source.parts(names, _may_match(statement, asked)):
            progress("running the query", None)
            runs.append(_run(statement, part, answer, repeated))
        return QueryResult(answer.table, runs, source.skipped)


def plan_of(statement: Statement, part: Part) -> AggregatePlan | SelectPlan:
    """The program for a part of the data. Raises a QueryError for what cannot be asked of it."""
    asked = statement.typed(part.columns)
    plan = SelectPlan if asked.shows_rows else AggregatePlan
    return plan.of(asked, part.columns, part.rows)


def _run(
    statement: Statement,
    part: Part,
    answer: AggregateAnswer | RowsAnswer,
    runs: RepeatedRuns,
) -> PartRun:
    plan = _planned(statement, part, runs)
    module = plan.program.module
    run = runs.run(module, plan.inputs)
    if isinstance(plan, SelectPlan) and isinstance(answer, RowsAnswer):
        answer.add(plan.found(run.outputs))
    elif isinstance(plan, AggregatePlan) and isinstance(answer, AggregateAnswer):
        answer.add(plan.groups(run.outputs, part.first_row))
    return PartRun(module, part.columns, run)


def _planned(statement: Statement, part: Part, runs: RepeatedRuns) -> AggregatePlan | SelectPlan:
    """A plan; where none can be made without bounds that nobody knows, by finding these first."""
    try:
        return plan_of(statement, part)
    except QueryError:
        if not (unknown := columns_without_bounds(part.columns)):
            raise
    asked = bounds_query(unknown)
    plan = AggregatePlan.of(asked, unknown, part.rows)
    run = runs.run(plan.program.module, plan.inputs)
    ((_, states),) = plan.groups(run.outputs)
    return plan_of(
        statement, replace(part, columns={**part.columns, **with_bounds(unknown, states)})
    )


def _source(data: Data) -> Source:
    if isinstance(data, str | PathLike):
        return FilesSource([Path(cast("FilePath", data))])
    if isinstance(data, Mapping):
        return ColumnsSource(cast("Mapping[str, Column]", data))
    if hasattr(data, "schema"):
        return TableSource(data)
    if isinstance(data, Sequence) and data:
        return FilesSource([Path(each) for each in cast("Sequence[FilePath]", data)])
    raise UsageError(
        "expected a file of Parquet, several, an Arrow table or columns by name, got "
        f"{type(cast(object, data)).__name__}"
    )


def _may_match(statement: Statement, asked: Query) -> CanMatch:
    """Whether rows with such columns may be asked for; yes, where that is not known."""
    functions = {each.function for each in asked.aggregates}
    counts_places = Function.FIRST_POSITION in functions

    def may_match(columns: Columns) -> bool:
        if counts_places:
            return True
        try:
            predicate = statement.predicate(columns)
        except QueryError:  # what is computed may overflow, as no bounds are known
            return True
        return predicate is None or predicate.can_be_true

    return may_match


@contextmanager
def _told() -> Generator[None]:
    """Raise what is wrong with a query or its data as a UsageError."""
    try:
        yield
    except QueryError as error:
        raise UsageError(str(error)) from error
