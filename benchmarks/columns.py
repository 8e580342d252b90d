"""
Queries of TPC-H and SSB over packed columns and Parquet, next to what people use in their place.

    pip install '.[bench,columns]'
    python -m benchmarks.columns --scale 1 --output columns.json

tpchgen-cli and NumPy make the data, once (`--folder`). Each round runs every way once, by turns;
each answer of each round is compared with DuckDB's, exactly but for averages. In each row stands
what its times are of: `kernel`, of events, the packed columns being on the device; `packed`, of
whole runs of a compiled program over these; `memory`, of a rival over what it keeps; `file`, from
the file to the answer, when the process has read it before; vyre then has its headers and the
compiled program, and no values. `new file` is the same where it has the program alone, and reads
all headers anew. Beside vyre's times stand the ratios within rounds: machines are shared.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from importlib import import_module
from math import isclose
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.records import Row, milliseconds, ratio, record, write
from benchmarks.rivals import LeftOut
from benchmarks.rivals.tables import OF_FILES, Ask, Rows, numba_packed
from benchmarks.ssb import QUERIES as SSB
from benchmarks.ssb import lineorder
from benchmarks.table_queries import TableQuery
from benchmarks.tpch import OFFICIAL, lineitem
from benchmarks.tpch import QUERIES as TPCH
from vyre_dialect.columns.encoding import EncodedColumn, encode
from vyre_dialect.columns.kept_files import KEPT_FILES
from vyre_dialect.columns.query.aggregation import AggregatePlan
from vyre_dialect.columns.query.answers import AggregateAnswer
from vyre_dialect.columns.sources import ColumnsSource, SchemaFacts
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.queries import plan_of, query

PACKAGES = ("xdsl", "pyopencl", "numpy", "pyarrow", "sqlglot", "duckdb", "polars", "numba")
ROUNDS = 7
QUERIES = {**TPCH, **SSB}
FILES = {"lineitem": lineitem, "lineorder": lineorder}
"""What makes each table at a scale factor, in a folder."""
EXPECTED = ("duckdb own storage", "memory")
"""By whose answers all others are checked."""


class PackedQuery:
    """A query of packed columns, compiled for a device on which these are."""

    def __init__(self, asked: TableQuery, columns: Mapping[str, EncodedColumn], device: Device):
        statement = asked.statement
        names = statement.column_names(list(columns))
        source = ColumnsSource({name: columns[name] for name in names})
        part = next(source.parts(names, lambda _: True))
        plan = plan_of(statement, part)
        assert isinstance(plan, AggregatePlan)
        self._plan, self._types = plan, source.types
        self._asked = statement.typed(SchemaFacts(source.types))
        session = Session(device)
        compiled = compile_module(plan.program.module, device=session.device.info)
        self._executor = Executor(compiled, session)
        self._inputs = {name: session.put(each) for name, each in plan.inputs.items()}
        self.kernel_seconds = 0.0

    def __call__(self) -> Rows:
        """Run once; gives the rows of the answer."""
        run = self._executor.run(self._inputs)
        self.kernel_seconds = run.total_ns / 1e9
        answer = AggregateAnswer(self._asked, self._types)
        answer.add(self._plan.groups(run.outputs))
        return answer.table.to_pylist()


def same_answer(found: Rows, expected: Rows) -> bool:
    """Whether rows are equal, averages nearly so."""
    return len(found) == len(expected) and all(
        one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
        for one, other in zip(found, expected, strict=True)
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return isclose(float(one), float(other), rel_tol=1e-9)
    return one == other


def ways(
    asked: TableQuery,
    path: Path,
    columns: Mapping[str, EncodedColumn],
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, str, Callable[[], Ask]]]:
    """Who answers, what its times are of, and how it is made ready."""
    for device in arguments.devices:
        yield (
            f"vyre {device}",
            "packed",
            partial(PackedQuery, asked, columns, choose_device(device)),
        )
        yield f"vyre {device}", "file", partial(_of_file, asked, path, device)
        yield f"vyre {device}", "new file", partial(_of_new_file, asked, path, device)
    yield "numba packed", "memory", partial(numba_packed, asked, columns, arguments.threads)
    for name, make in OF_FILES.items():
        of = "file" if name.endswith("parquet") else "memory"
        yield name, of, partial(make, asked, path, arguments.threads)


def _of_file(asked: TableQuery, path: Path, device: str) -> Ask:
    def ask() -> Rows:
        answer = query(
            path,
            select=asked.select,
            where=asked.where,
            group_by=asked.group_by,
            device=device,
        )
        return answer.to_pylist()

    return ask


def _of_new_file(asked: TableQuery, path: Path, device: str) -> Ask:
    ask = _of_file(asked, path, device)

    def ask_anew() -> Rows:
        KEPT_FILES.clear()
        return ask()

    return ask_anew


def measure(name: str, arguments: argparse.Namespace) -> Iterator[Row]:
    """A row for each way that answers a query, with its times, or why it has none."""
    asked = QUERIES[name]
    path = FILES[asked.table](arguments.scale, arguments.folder)
    columns = _packed(asked, path)
    ready = dict[tuple[str, str], Ask]()
    for who, of, make in ways(asked, path, columns, arguments):
        if who in arguments.without:
            continue
        try:
            ready[who, of] = make()
            ready[who, of]()
        except LeftOut as reason:
            ready.pop((who, of), None)
            yield {"query": name, "way": who, "times": of, "left_out": str(reason)}
    expected = ready[EXPECTED]()
    _check_official(name, arguments.scale, expected)
    seconds = _seconds(ready, expected, arguments.rounds)
    packed = sum(each.bytes for each in columns.values())
    rows = next(iter(columns.values())).rows
    for (who, of), times in seconds.items():
        about: dict[str, object] = {"query": name, "way": who, "times": of}
        compared = _compared(seconds, who, of)
        yield about | {"rows": rows, "packed_bytes": packed} | milliseconds(times) | compared


def _packed(asked: TableQuery, path: Path) -> dict[str, EncodedColumn]:
    """The columns of a file that a query takes, one after the other, as they are large."""
    pq, names = import_module("pyarrow.parquet"), asked.statement.column_names(_names(path))
    return {
        name: column
        for each in names
        for name, column in encode(pq.read_table(path, columns=[each])).items()
    }


def _seconds(
    ready: Mapping[tuple[str, str], Ask], expected: Rows, rounds: int
) -> dict[tuple[str, str], list[float]]:
    """The times of all rounds, those of kernels beside those of runs."""
    seconds = dict[tuple[str, str], list[float]]()
    for _ in range(rounds):
        for (who, of), ask in ready.items():
            begin = perf_counter()
            found = ask()
            seconds.setdefault((who, of), []).append(perf_counter() - begin)
            if not same_answer(found, expected):
                raise SystemExit(f"{who} ({of}) answers {found}, DuckDB {expected}")
            if isinstance(ask, PackedQuery):
                seconds.setdefault((who, "kernel"), []).append(ask.kernel_seconds)
    return seconds


def _compared(
    seconds: Mapping[tuple[str, str], Sequence[float]], who: str, of: str
) -> dict[str, object]:
    """How many times as fast vyre is as each rival that has the same to begin with, in rounds."""
    if not who.startswith("vyre"):
        return {}
    theirs = "file" if "file" in of else "memory"
    own = seconds[who, of]
    return {
        f"over {rival}": ratio(own, times)
        for (rival, each), times in seconds.items()
        if each == theirs and not rival.startswith("vyre")
    }


def _check_official(name: str, scale: float, found: Rows) -> None:
    """Compare with TPC-H's own answer, where it gives one."""
    official = OFFICIAL.get((name, scale))
    if official is not None and found != [{"revenue": Decimal(official)}]:
        raise SystemExit(f"{name} is {official} by TPC-H, DuckDB answers {found}")


def _names(path: Path) -> Sequence[str]:
    return import_module("pyarrow.parquet").read_schema(path).names


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Queries of TPC-H and SSB over columns.")
    parser.add_argument("--scale", type=float, default=1.0, help="the scale factor")
    parser.add_argument("--folder", type=Path, default=Path("build/tpch"), help="where data is")
    parser.add_argument("--devices", nargs="*", default=["intel"], help="each as for 'vyre run'")
    parser.add_argument("--threads", type=int, default=2, help="of DuckDB, pyarrow and numba")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", nargs="*", choices=list(QUERIES), default=list(QUERIES))
    parser.add_argument("--without", nargs="*", default=[], help="who is not to be asked, by name")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error(f"argument --rounds: expected 2 or more, got {arguments.rounds}")
    return arguments


def main() -> None:
    """Measure, print a line for each row, and write them if the command line asks."""
    arguments = _arguments()
    rows = list[Row]()
    for name in arguments.only:
        for row in measure(name, arguments):
            rows.append(row)
            print(*(f"{key}={value}" for key, value in row.items()), flush=True)
        write(arguments.output, record(PACKAGES, rows) | {"scale": arguments.scale})


if __name__ == "__main__":
    main()
