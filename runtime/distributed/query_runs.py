"""A query of files of Parquet, by row groups, on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from vyre_dialect.columns.extras import ArrowTable, ArrowType, extra
from vyre_dialect.columns.files import RowGroups
from vyre_dialect.columns.query.aggregation import Group
from vyre_dialect.columns.query.answers import AggregateAnswer, RowsAnswer
from vyre_dialect.columns.query.statement import Query, Statement
from vyre_dialect.columns.sources import SchemaFacts
from vyre_dialect.runtime.distributed.cluster import Cluster
from vyre_dialect.runtime.distributed.shards import SHARDS_PER_SLOT
from vyre_dialect.runtime.distributed.worker import plugin_of
from vyre_dialect.runtime.queries import (
    QueryResult,
    ask,
    device_of,
    files_source,
    may_match,
    told,
)

Found: TypeAlias = "Sequence[Group] | ArrowTable"
"""What neighbouring row groups say: of groups of rows, or the rows that were asked for."""


@dataclass(frozen=True)
class Question:
    """What is asked, of columns of which types."""

    statement: Statement
    types: Mapping[str, ArrowType]

    @property
    def query(self) -> Query:
        """The statement, as it is to be understood of the columns."""
        return self.statement.typed(SchemaFacts(self.types))

    @property
    def answer(self) -> AggregateAnswer | RowsAnswer:
        """One of nothing."""
        query = self.query
        return (RowsAnswer if query.shows_rows else AggregateAnswer)(query, self.types)


def query_on_cluster(paths: Sequence[Path], statement: Statement, cluster: Cluster) -> QueryResult:
    """
    The answer of all files, which workers read. Raises a UsageError for a query that makes no
    sense, and a VyreError for data that cannot be read.
    """
    with told():
        source = files_source([path.absolute() for path in paths], None)
        question = Question(statement, dict(source.types))
        names = statement.column_names(list(source.types))
        most = -(-source.rows // (cluster.slots * SHARDS_PER_SLOT))
        groups = list(source.row_groups(names, may_match(statement, question.query), most))
        if not groups:
            return QueryResult(question.answer.table, [], source.skipped)
        texts = Statement(statement.select, statement.where, statement.group_by)
        common = cluster.shared(Question(texts, question.types))
        parts = cluster.map(query_task, groups, common, cluster.plugin)
        found = cluster.result(cluster.reduced(merged_answers, parts, common))
        return QueryResult(_table(question.answer, found), [], source.skipped)


def _table(answer: AggregateAnswer | RowsAnswer, found: Found) -> ArrowTable:
    if isinstance(answer, RowsAnswer):
        return found
    answer.add(cast("Sequence[Group]", found))
    return answer.table


# Tasks: functions of values that travel.


def query_task(groups: RowGroups, question: Question, plugin: str) -> Found:
    """What row groups of a file say. Raises what a query on this machine does."""
    held = plugin_of(plugin)
    with held.lock, told():
        device = device_of(held.wishes.device)
        names = question.statement.column_names(list(question.types))
        part = files_source([groups.path], device).part(groups, names)
        answer = question.answer
        ask(question.statement, part, answer, device)
    return answer.table if isinstance(answer, RowsAnswer) else answer.groups


def merged_answers(question: Question, *found: Found) -> Found:
    """What neighbours say, as one: rows in their order, groups by their keys."""
    answer = question.answer
    if isinstance(answer, RowsAnswer):
        return extra("pyarrow").concat_tables(list(found))
    for each in found:
        answer.add(cast("Sequence[Group]", each))
    return answer.groups
