"""Queries in words give on devices what the interpreter gives, and run clean."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from support.oclgrind import CheckedRun
from support.row_queries import (
    AGGREGATES,
    Expression,
    aggregates_of,
    as_exact,
    conditions,
    many_rows,
    numbers,
    row_tables,
)

from vyre_dialect.columns.extras import ArrowTable
from vyre_dialect.columns.query.statement import Statement
from vyre_dialect.columns.sources import ColumnsSource
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.queries import plan_of, query

SELECT = "sum(m * n) as total, count(s) as there, min(d) as `first`, max(m) as most"
WHERE = "(s like '%AIR' or n between 2 and 9) and not b and d < DATE '1996-01-01'"


@pytest.mark.slow
@settings(max_examples=5)
@given(row_tables(), conditions(), numbers())
def test_generated_queries_have_one_answer(
    device: Device, table: ArrowTable, where: Expression, value: Expression
) -> None:
    rows = [row for row in table.to_pylist() if where.of(row) is True]
    answer = query(table, select=AGGREGATES.format(value.text), where=where.text, device=device)
    assert as_exact(answer.to_pylist()) == [aggregates_of(rows, value)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group_by", "interleaved"),
    [
        ("s, k", False),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((None, False), (None, True))),
    ],
)
def test_many_rows_have_the_answer_of_the_interpreter(
    device: Device, group_by: str | None, interleaved: bool
) -> None:
    columns = many_rows(5000, interleaved=interleaved)
    found, expected = (
        query(columns, select=SELECT, where=WHERE, group_by=group_by, device=each)
        for each in (device, "reference")
    )
    assert found.equals(expected)
    assert found.num_rows == (1 if group_by is None else 36)


@pytest.mark.slow
def test_figures_and_distinct_values_are_those_of_the_interpreter(device: Device) -> None:
    columns = many_rows(2000)
    select = "count(distinct n) as n, count(distinct s) as s, sum(m) / count(m) as mean"
    found, expected = (
        query(columns, select=select, where="not b", group_by="k", device=each)
        for each in (device, "reference")
    )
    assert found.equals(expected)
    assert max(found["n"].to_pylist()) > 30


@pytest.mark.slow
def test_queries_run_clean(oclgrind: Callable[..., CheckedRun]) -> None:
    run = oclgrind()
    columns = many_rows(300)
    plan = plan_of(
        Statement(SELECT, WHERE, "s"), next(ColumnsSource(columns).parts("nmdsb", lambda _: True))
    )
    compiled = compile_module(plan.program.module, device=run.device.info)
    outputs = Executor(compiled, run.session).run(plan.inputs).outputs
    assert sum(outputs["answer_0_"]) > 0
