"""`vyre query`: what it prints, reads and exits with."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from support.commands import Vyre
from support.tables import pa

from vyre_dialect.columns.extras import extra
from vyre_dialect.runtime import prepared_queries, queries
from vyre_dialect.runtime.driver.execute import built_program
from vyre_dialect.runtime.driver.job import BuiltProgram, Job
from vyre_dialect.runtime.driver.program_cache import ProgramCache
from vyre_dialect.runtime.queries import query

ROWS = 400
REFERENCE = ("--device", "reference")


@pytest.fixture
def sales(vyre: Vyre) -> Path:
    """A file of four row groups of 100 days each, in the folder in which commands run."""
    path = Path("sales.parquet")
    table = pa.table(
        {
            "day": [date(1994, 1, 1) + timedelta(number) for number in range(ROWS)],
            "price": pa.array([Decimal(each) / 100 for each in range(ROWS)], pa.decimal128(9, 2)),
            "mode": [("AIR", "MAIL", None, "SHIP")[number % 4] for number in range(ROWS)],
            "notes": [[number] for number in range(ROWS)],
        }
    )
    extra("pyarrow.parquet").write_table(
        table, path, row_group_size=100, compression={"price": "snappy"}
    )
    return path


def test_an_answer_is_a_table(vyre: Vyre, sales: Path) -> None:
    asked = ("--select", "sum(price) as total, count(mode)", "--where", "price < 1.00")
    outcome = vyre("query", str(sales), *asked, *REFERENCE)
    assert (outcome.status, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["1", "row", "on", "reference"],
        ["total", "count(mode)"],
        ["49.50", "75"],
    ]
    assert lines[3].startswith("kernels ")
    assert lines[4] == "skipped 3 of 4 row groups, by their statistics"


@pytest.mark.parametrize(
    ("unit", "count", "text"),
    [
        ("ns", 1_500_000_000_123_456_789, "2017-07-14 02:40:00.123456789"),
        ("us", 1 << 62, "<value out of range: 4611686018427387904>"),
    ],
)
def test_moments_that_python_has_no_number_for_are_shown(
    vyre: Vyre, unit: str, count: int, text: str
) -> None:
    moments = pa.table({"t": pa.array([count], pa.timestamp(unit))})
    extra("pyarrow.parquet").write_table(moments, "moments.parquet")
    for select in ("t", "max(t) as t"):
        asked = ("query", "moments.parquet", "--select", select, *REFERENCE)
        assert text in vyre(*asked).out
        assert json.loads(vyre(*asked, "--json").out)["rows"] == [{"t": text}]


def test_groups_come_in_order_with_null_last(vyre: Vyre, sales: Path) -> None:
    out = vyre("query", str(sales), "--select", "count(*)", "--group-by", "mode", *REFERENCE).out
    rows = [line.split() for line in out.splitlines()[2:6]]
    assert rows == [["AIR", "100"], ["MAIL", "100"], ["SHIP", "100"], ["null", "100"]]


def test_of_many_rows_the_first_are_shown(vyre: Vyre, sales: Path) -> None:
    lines = vyre("query", str(sales), "--select", "day", *REFERENCE).out.splitlines()
    assert lines[0] == "400 rows on reference"
    assert lines[2].strip() == "1994-01-01"
    assert "and 336 more rows; --json prints all" in lines


@pytest.mark.slow
def test_json_has_all_rows_and_what_was_run(vyre: Vyre, sales: Path) -> None:
    asked = ("--select", "day, price, mode", "--where", "day >= '1995-01-01'")
    found = vyre("query", str(sales), *asked, "--json", *REFERENCE).json
    assert found["columns"] == {"day": "date32[day]", "price": "decimal128(9, 2)", "mode": "string"}
    assert len(found["rows"]) == ROWS - 365
    assert found["rows"][0] == {"day": "1995-01-01", "price": "3.65", "mode": "MAIL"}
    assert found["skipped"] == "3 of 4 row groups, by their statistics"
    assert [run["device"] for run in found["runs"]] == ["reference"]


@pytest.mark.slow
def test_explain_says_how_columns_are_read_and_what_fuses(vyre: Vyre, sales: Path) -> None:
    asked = ("--select", "sum(price)", "--where", "day < '1994-02-01'")
    out = vyre("query", str(sales), *asked, "--explain", *REFERENCE).out
    lines = [line.split(maxsplit=3) for line in out.splitlines()]
    assert ["day", "date32[day]", "i32", "as it lies"] in lines
    reason = "column 'price' is decoded on the host: it is compressed by SNAPPY"
    assert ["price", "decimal128(9,", "2)", f"i32       {reason}"] in lines
    assert "+scan.aggregate'" in out
    assert "passes that 'query' is compiled by" in out


def test_nothing_is_run_where_no_row_can_match(vyre: Vyre, sales: Path) -> None:
    asked = ("--select", "count(*), sum(price)", "--where", "day < '1990-01-01'", "--explain")
    out = vyre("query", str(sales), *asked, *REFERENCE).out
    assert out.splitlines()[2].split() == ["0", "null"]
    assert "skipped 4 of 4 row groups, by their statistics" in out
    assert out.endswith("nothing was run: no row may match\n")


@pytest.mark.slow
def test_answers_of_several_files_become_one(vyre: Vyre, sales: Path) -> None:
    select = "count(*) as n, sum(price) as s, avg(price) as a, min(day) as d, first_position() as p"
    where = "price > 3.90 or mode = 'AIR' and price > 0.03"
    one = query(sales, select=select, where=where, device="reference").to_pylist()[0]
    both = query([sales, sales], select=select, where=where, device="reference").to_pylist()[0]
    assert both == one | {"n": 2 * one["n"], "s": 2 * one["s"]}
    late = query(
        [sales, sales],
        select="first_position() as p",
        where="day > '1995-02-03'",
        device="reference",
    )
    assert late["p"].to_pylist() == [399]


def test_patterns_and_urls_stand_for_files(vyre: Vyre, sales: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    Path("more.parquet").write_bytes(sales.read_bytes())
    fsspec.filesystem("memory").pipe("/sales.parquet", sales.read_bytes())
    counted = ("--select", "count(*) as n", "--json", *REFERENCE)
    said = vyre("query", "*.parquet", "memory://sales.parquet", *counted)
    assert said.json["rows"] == [{"n": 3 * ROWS}]


@pytest.mark.slow
@pytest.mark.device
def test_files_of_the_same_columns_take_one_compilation(
    vyre: Vyre, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = list[str]()

    def counted(job: Job, programs: ProgramCache) -> BuiltProgram:
        built.append(str(job.module))
        return built_program(job, programs)

    monkeypatch.setattr(prepared_queries, "built_program", counted)
    monkeypatch.setattr(queries, "_PREPARED", prepared_queries.PreparedQueries())
    query([sales] * 20, select="sum(price) as s", group_by="mode")
    assert len(built) == 1


def test_a_file_with_other_columns_is_refused(vyre: Vyre, sales: Path) -> None:
    extra("pyarrow.parquet").write_table(pa.table({"day": [1]}), "other.parquet")
    outcome = vyre("query", str(sales), "other.parquet", *REFERENCE)
    assert outcome.status == 2
    assert outcome.err == (
        "vyre: error: 'other.parquet' has other columns than 'sales.parquet': ask each by itself\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.parquet"], "cannot read 'missing.parquet': No such file or directory"),
        (["values"], "'values': expected a file of Parquet, which ends with PAR1"),
        (["folder"], "'folder' is not read by pyarrow: "),
        (["sales.parquet"], "column 'notes' is of list<"),
        (["sales.parquet", "--where", "dai > 3"], "unknown column 'dai': did you mean 'day'?"),
        (["sales.parquet", "--select", "day", "--device", "nowhere"], "nowhere"),
        (["sales.parquet", "--select", "day = '\udcff'"], "select: expected text of UTF-8"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(
    vyre: Vyre, sales: Path, arguments: list[str], message: str
) -> None:
    outcome = vyre("query", *arguments)
    assert outcome.status in (1, 2)
    assert outcome.out == ""
    assert outcome.err.startswith("vyre: error: ")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_extra_is_named_where_it_is_missing(
    vyre: Vyre, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    outcome = vyre("query", str(sales), "--where", "price > 1", *REFERENCE)
    assert (
        "queries need sqlglot, which is not installed: pip install 'vyre[columns]'" in outcome.err
    )


@pytest.mark.slow
def test_what_reads_columns_is_imported_when_a_query_is_asked_for() -> None:
    code = (
        "import sys, vyre\n"
        "print('vyre_dialect.columns' in sys.modules, callable(vyre.query))\n"
        "print('vyre_dialect.columns' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True"]
