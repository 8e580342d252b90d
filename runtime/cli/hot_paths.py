"""`vyre hot-paths`: how long what `vyre run` has run on a device took, kept between processes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers, natural_number
from vyre_dialect.runtime.errors import VyreError

if TYPE_CHECKING:
    from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile, Row, Table

COLUMNS = ("arm or entry", "runs", "mean µs", "max µs", "mean bytes", "")


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "hot-paths",
        help="show or clear the times of earlier runs",
        description=__doc__,
        allow_abbrev=False,
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=("show", "clear", "path"),
        default="show",
        help="show the table (if nothing is said), forget it, or say which file it is, for --hints",
    )
    parser.add_argument(
        "--threshold",
        type=natural_number,
        metavar="NS",
        help="set the mean time, in ns, from which on an arm or an entry is hot",
    )
    parser.add_argument(
        "--capacity",
        type=natural_number,
        metavar="ROWS",
        help="set how many rows are kept: the one used last goes last, and 0 keeps none",
    )
    parser.add_argument("--device", metavar="NAME", help="the device, as for 'vyre run'")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.opencl.devices import choose_device
    from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile

    kept = HotPathFile.of(choose_device(arguments.device).info)
    if kept is None:
        raise VyreError("no times are kept: unset VYRE_NO_CACHE, and have a home folder")
    if arguments.action == "clear":
        kept.clear()
    if arguments.threshold is not None or arguments.capacity is not None:
        kept.set(hot_ns_threshold=arguments.threshold, capacity=arguments.capacity)
    table = kept.read()
    if arguments.json:
        print_json(_as_json(kept, table))
    elif arguments.action == "path":
        kept.create()
        print(kept.file.path)
    elif arguments.action == "show":
        _print(kept, table)
    return 0


def _as_json(kept: HotPathFile, table: Table) -> dict[str, object]:
    return {
        "file": str(kept.file.path),
        "platform": kept.adapter.platform,
        "device": kept.adapter.device,
        "driver": kept.driver,
        "hot_ns_threshold": table.hot_ns_threshold,
        "capacity": table.capacity,
        "stale": sum(map(kept.is_stale, table.rows)),
        "rows": [row.as_json() | {"is_stale": kept.is_stale(row)} for row in table.rows],
    }


def _print(kept: HotPathFile, table: Table) -> None:
    from vyre_dialect.runtime.cli.terminal import print_table

    hottest = sorted(table.rows, key=lambda row: -row.record.kernel_ns_total)
    cells = [_cells(row, _state(kept, table, row)) for row in hottest]
    print_table(f"hot paths of {kept.adapter.device}", COLUMNS, cells)
    print(f"hot from {table.hot_ns_threshold / 1e3:g} µs on; {table.capacity} rows at most")
    if stale := sum(map(kept.is_stale, table.rows)):
        print(f"{stale} of {len(table.rows)} rows stale: of another driver or version of vyre")


def _state(kept: HotPathFile, table: Table, row: Row) -> str:
    if kept.is_stale(row):
        return "stale"
    return "hot" if table.is_hot(row) else ""


def _cells(row: Row, state: str) -> tuple[str, ...]:
    record = row.record
    return (
        row.generator,
        str(record.dispatch_count),
        f"{record.mean_kernel_ns / 1e3:.1f}",
        f"{record.kernel_ns_max / 1e3:.1f}",
        str(record.mean_bytes),
        state,
    )
