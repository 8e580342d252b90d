"""`vyre hot-paths`: how long what `vyre run` has run on a device took, kept between processes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers
from vyre_dialect.runtime.errors import VyreError

if TYPE_CHECKING:
    from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile, Row

COLUMNS = ("arm or entry", "runs", "mean µs", "max µs", "mean bytes", "")


def add_parser(subparsers: Subparsers) -> None:
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
    parser.add_argument("--device", metavar="NAME", help="the device, as for 'vyre run'")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.opencl.devices import choose_device
    from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile

    kept = HotPathFile.of(choose_device(arguments.device).info)
    if kept is None:
        raise VyreError("no times are kept: unset VYRE_NO_CACHE, and have a home folder")
    if arguments.action == "clear":
        kept.clear()
    rows = [] if arguments.action == "path" else kept.rows()
    if arguments.json:
        print_json(_as_json(kept, rows))
    elif arguments.action == "path":
        kept.create()
        print(kept.file.path)
    elif arguments.action == "show":
        _print(kept, rows)
    return 0


def _as_json(kept: HotPathFile, rows: list[Row]) -> dict[str, object]:
    return {
        "file": str(kept.file.path),
        "platform": kept.adapter.platform,
        "device": kept.adapter.device,
        "driver": kept.driver,
        "stale": sum(map(kept.is_stale, rows)),
        "rows": [row.as_json() | {"is_stale": kept.is_stale(row)} for row in rows],
    }


def _print(kept: HotPathFile, rows: list[Row]) -> None:
    from vyre_dialect.runtime.cli.terminal import print_table

    hottest = sorted(rows, key=lambda row: -row.record.kernel_ns_total)
    print_table(f"hot paths of {kept.adapter.device}", COLUMNS, [_cells(kept, r) for r in hottest])
    if stale := sum(map(kept.is_stale, rows)):
        print(f"{stale} of {len(rows)} rows stale: of another driver or version of vyre")


def _cells(kept: HotPathFile, row: Row) -> tuple[str, ...]:
    from vyre_dialect.passes.schedule.hints import HOT_NS

    record = row.record
    is_hot = record.mean_kernel_ns >= HOT_NS
    return (
        row.generator,
        str(record.dispatch_count),
        f"{record.mean_kernel_ns / 1e3:.1f}",
        f"{record.kernel_ns_max / 1e3:.1f}",
        str(record.mean_bytes),
        "stale" if kept.is_stale(row) else "hot" if is_hot else "",
    )
