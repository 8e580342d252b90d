"""`vyre query`: ask files of Parquet in words, and show the answer."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any

from vyre_dialect.columns.extras import ArrowTable, ArrowType, extra
from vyre_dialect.runtime.cli.arguments import Subparsers, add_device_arguments
from vyre_dialect.runtime.cli.scheduler import add_scheduler_argument, query_on_scheduler

if TYPE_CHECKING:
    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.program.input_files import InputFile
    from vyre_dialect.runtime.queries import QueryResult

MOST_ROWS = 64
"""Rows that are shown to people."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "query", help="ask files of Parquet in words", description=__doc__, allow_abbrev=False
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="files of Parquet with the same columns; a pattern or a URL stands for several",
    )
    parser.add_argument(
        "--select",
        default="*",
        metavar="LIST",
        help="what to show, as 'sum(l_extendedprice*l_discount), count(*)' or columns (all)",
    )
    parser.add_argument(
        "--where",
        metavar="CONDITION",
        help="which rows count, as 'l_shipdate >= DATE \"1994-01-01\" and l_quantity < 24'",
    )
    parser.add_argument(
        "--group-by", metavar="LIST", help="aggregate the rows of each value of these by themselves"
    )
    add_device_arguments(parser)
    add_scheduler_argument(parser)
    parser.add_argument(
        "--explain",
        action="store_true",
        help="say, too, how columns are read, what fuses with the query, and which passes ran",
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.columns.query.statement import Statement
    from vyre_dialect.runtime.cli.terminal import print_json, progress_bar
    from vyre_dialect.runtime.program.input_files import local_paths
    from vyre_dialect.runtime.queries import run_query

    statement = Statement(arguments.select, arguments.where, arguments.group_by)
    with progress_bar() as progress:
        if arguments.scheduler is not None:
            result = query_on_scheduler(arguments, _files(arguments), statement, progress)
        else:
            with local_paths(_files(arguments)) as paths:
                result = run_query(
                    *(paths, statement),
                    device=arguments.device,
                    devices=_devices(arguments.devices),
                    progress=progress,
                )
    if arguments.json:
        print_json(_as_json(result, arguments))
        return 0
    _print(result)
    if arguments.explain:
        _explain(result, arguments.device)
    return 0


def _devices(names: str | None) -> Sequence[Device]:
    """Those that share the parts, if any are named."""
    if names is None:
        return ()
    from vyre_dialect.runtime.opencl.devices import choose_devices

    return choose_devices(names)


def _files(arguments: argparse.Namespace) -> list[InputFile]:
    """The files that are named, and those that patterns and URLs stand for."""
    from vyre_dialect.runtime.program.input_files import files_of

    return [file for each in arguments.files for file in files_of(each)]


def _as_json(result: QueryResult, arguments: argparse.Namespace) -> dict[str, object]:
    """The answer and what was run, for machines; decimals are texts, as they are exact."""
    from vyre_dialect.runtime.cli.run import as_json

    rows = _rows(result.table)
    shown: dict[str, object] = {
        "columns": {field.name: str(field.type) for field in result.table.schema},
        "rows": [{name: _plain(value) for name, value in row.items()} for row in rows],
        "skipped": result.skipped,
        "runs": [as_json(each.run) | {"outputs": None} for each in result.runs],
    }
    if arguments.explain and result.runs:
        shown["explained"] = result.explained(arguments.device).as_json()
    return shown


def _rows(table: ArrowTable) -> list[dict[str, Any]]:
    """Rows by column; times are texts, as Python's have no nanoseconds and years up to 9999."""
    pa = extra("pyarrow")
    shown = pa.schema(
        field.with_type(pa.string()) if _is_time(field.type) else field for field in table.schema
    )
    rows: list[dict[str, Any]] = table.cast(shown).to_pylist()
    return rows


def _is_time(type: ArrowType) -> bool:
    types = extra("pyarrow").types
    return bool(types.is_temporal(type) and not types.is_date(type))


def _plain(value: object) -> object:
    """A value as JSON has it; infinities and NaN by name."""
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    return str(value) if isinstance(value, Decimal | date) else value


def _print(result: QueryResult) -> None:
    from vyre_dialect.runtime.cli.terminal import print_table

    table = result.table
    rows = _rows(table.slice(0, MOST_ROWS))
    cells = [[_text(value) for value in row.values()] for row in rows]
    devices = dict.fromkeys(each.run.device for each in result.runs)
    where = f" on {', '.join(devices)}" if devices else ""
    print_table(f"{_counted(table.num_rows, 'row')}{where}", table.column_names, cells)
    if table.num_rows > MOST_ROWS:
        print(f"and {_counted(table.num_rows - MOST_ROWS, 'more row')}; --json prints all")
    if result.runs:
        print(f"kernels {sum(each.run.total_ns for each in result.runs) / 1e6:.3f} ms")
    if result.skipped is not None:
        print(f"skipped {result.skipped}")


def _text(value: object) -> str:
    return "null" if value is None else str(value)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _explain(result: QueryResult, device: str | None) -> None:
    """How columns are read, and what became of the program of the first part."""
    from vyre_dialect.runtime.cli.explain import show_fusion, show_passes
    from vyre_dialect.runtime.cli.terminal import print_table

    if not result.runs:
        print("nothing was run: no row may match")
        return
    columns: Sequence[Sequence[str]] = [
        [name, str(each.logical_type), str(each.element_type), each.reason or "as it lies"]
        for name, each in result.runs[0].columns.items()
    ]
    print_table("columns", ("column", "type", "elements", "read"), columns, left=4)
    explained = result.explained(device)
    show_fusion("query", explained)
    show_passes(explained)
