"""
Queries in words over tables, packed columns and files of Parquet.

    vyre.query("lineitem.parquet", select="sum(l_extendedprice*l_discount) as revenue",
               where="l_quantity < 24 and l_discount between 0.05 and 0.07")
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.columns.column import Column
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowTable
from vyre_dialect.columns.files import FilesSource
from vyre_dialect.columns.query.aggregation import AggregatePlan
from vyre_dialect.columns.query.answers import AggregateAnswer, RowsAnswer
from vyre_dialect.columns.query.bounds import (
    bounds_query,
    columns_without_bounds,
    rounded,
    with_bounds,
)
from vyre_dialect.columns.query.measures import Function
from vyre_dialect.columns.query.selection import SelectPlan
from vyre_dialect.columns.query.statement import Columns, Query, Statement
from vyre_dialect.columns.sources import (
    CanMatch,
    ColumnsSource,
    Rows,
    SchemaFacts,
    Source,
    TableSource,
)
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.driver.sharing import shared
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE, RunResult
from vyre_dialect.runtime.prepared_queries import Plan, PreparedQueries, key_of
from vyre_dialect.runtime.program.compilation import make_context
from vyre_dialect.runtime.program.explanation import Explanation, SourceText, explain_module
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.progress import Progress, no_progress

FilePath: TypeAlias = "str | PathLike[str]"
Data: TypeAlias = "FilePath | Sequence[FilePath] | Mapping[str, Column] | ArrowTable"
"""A file of Parquet, several of the same columns, columns that are packed, or an Arrow table."""


_PREPARED = PreparedQueries()
"""What this process has asked."""


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
    devices: Sequence[Device] = (),
    progress: Progress = no_progress,
) -> QueryResult:
    """
    As `query`, with what was run, of each part of the data; several `devices` share the parts.

    Raises a DeviceError, too, where all of them have failed.
    """
    with told():
        chosen = list(devices) or [device_of(device)]
        source = _source(data, chosen)
        asked = statement.typed(SchemaFacts(source.types))
        names = statement.column_names(list(source.types))
        answer = (RowsAnswer if asked.shows_rows else AggregateAnswer)(asked, source.types)
        runs = list[PartRun]()
        parts = source.parts(names, may_match(statement, asked))
        for part, found in _asked_of_all(statement, parts, chosen):
            progress("running the query", None)
            runs.append(_add(answer, part, found))
        return QueryResult(answer.table, runs, source.skipped)


def _asked_of_all(
    statement: Statement, parts: Iterator[Rows], devices: Sequence[Device | None]
) -> Iterator[tuple[Rows, _Asked]]:
    """What is asked of each part, in their order."""
    if len(devices) == 1:
        yield from ((part, _asked(statement, part, devices[0])) for part in parts)
        return

    def asking(device: Device | None) -> Callable[[], Callable[[Rows], _Asked]]:
        return lambda: lambda part: _asked(statement, part, device)

    names = [device.info.label for device in devices if device is not None]
    yield from shared(parts, [asking(each) for each in devices], names)


def plan_of(statement: Statement, part: Rows) -> Plan:
    """The program for a part of the data. Raises a QueryError for what cannot be asked of it."""
    asked = statement.typed(part.columns)
    plan = SelectPlan if asked.shows_rows else AggregatePlan
    return plan.of(asked, part.columns, part.rows)


def ask(
    statement: Statement,
    part: Rows,
    answer: AggregateAnswer | RowsAnswer,
    device: Device | None,
) -> PartRun:
    """Let `answer` take in what a part says; what was run for that."""
    return _add(answer, part, _asked(statement, part, device))


def _add(answer: AggregateAnswer | RowsAnswer, part: Rows, found: _Asked) -> PartRun:
    """Let `answer` take in what was found of a part."""
    plan, module, run = found
    if isinstance(plan, SelectPlan) and isinstance(answer, RowsAnswer):
        answer.add(plan.found(run.outputs))
    elif isinstance(plan, AggregatePlan) and isinstance(answer, AggregateAnswer):
        answer.add(plan.groups(run.outputs, part.first_row))
    return PartRun(module, part.columns, run)


class _Asked(NamedTuple):
    """What was asked of a part, and what came of it."""

    plan: Plan
    module: ModuleOp
    run: RunResult


def _asked(statement: Statement, part: Rows, device: Device | None) -> _Asked:
    """
    Ask by a plan for bounds that other files share, or, where that needs too many bits, for those
    of the part; where nobody knows these, they are found first.
    """
    keys = statement.key_names()
    try:
        return _by_plan(statement, replace(part, columns=rounded(part.columns, keys)), device)
    except QueryError:
        pass
    try:
        return _by_plan(statement, part, device)
    except QueryError:
        if not (unknown := columns_without_bounds(part.columns)):
            raise
    plan = AggregatePlan.of(bounds_query(unknown), unknown, part.rows)
    ((_, states),) = plan.groups(_executed(None, plan, device).run.outputs)
    known = {**part.columns, **with_bounds(unknown, states)}
    return _by_plan(statement, replace(part, columns=known), device)


def _by_plan(statement: Statement, part: Rows, device: Device | None) -> _Asked:
    key = None if device is None else key_of(statement, part, device)
    if key is not None and (known := _PREPARED.find(key, part)) is not None:
        module = known.plan.program.module
        return _Asked(known.plan, module, known.program.run(known.plan.inputs))
    return _executed(key, plan_of(statement, part), device)


def _executed(key: Hashable | None, plan: Plan, device: Device | None) -> _Asked:
    module = plan.program.module
    if device is None:
        return _Asked(plan, module, run_module(module, plan.inputs, device=REFERENCE_DEVICE))
    query = _PREPARED.prepare(key, plan, device)
    return _Asked(plan, module, query.program.run(plan.inputs))


def device_of(device: Device | str | None) -> Device | None:
    """The device to run on; None for the interpreter."""
    if isinstance(device, Device):
        return device
    return None if device == REFERENCE_DEVICE else choose_device(device)


def _most_in_place(device: Device | None) -> int:
    """Bytes on which a device works where they lie; none for one with memory of its own."""
    if device is None or device.info.kind != "cpu" or device.info.simulator:
        return 0
    return device.info.max_alloc_bytes


def _source(data: Data, devices: Sequence[Device | None]) -> Source:
    if isinstance(data, str | PathLike):
        return files_source([cast("FilePath", data)], *devices)
    if isinstance(data, Mapping):
        return ColumnsSource(cast("Mapping[str, Column]", data))
    if hasattr(data, "schema"):
        return TableSource(data)
    if isinstance(data, Sequence) and data:
        return files_source(cast("Sequence[FilePath]", data), *devices)
    raise UsageError(
        "expected a file of Parquet, several, an Arrow table or columns by name, got "
        f"{type(cast(object, data)).__name__}"
    )


def files_source(paths: Sequence[FilePath], *devices: Device | None) -> FilesSource:
    """Files of Parquet, from which devices of the host take pages as they lie there."""
    most_in_place = min(map(_most_in_place, devices))
    return FilesSource([Path(path) for path in paths], most_in_place=most_in_place)


def may_match(statement: Statement, asked: Query) -> CanMatch:
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
def told() -> Generator[None]:
    """Raise what is wrong with a query or its data as a UsageError."""
    try:
        yield
    except QueryError as error:
        raise UsageError(str(error)) from error
