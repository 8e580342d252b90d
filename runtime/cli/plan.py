"""`vyre plan`: places buffers with known live ranges in one arena, as low as it can."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers, positive_integer
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    from vyre_dialect.passes.memory.packing.instance import LiveRange
    from vyre_dialect.passes.memory.packing.planner import Packing

DEFAULT_SECONDS = 8.0


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "plan",
        help="place buffers with known live ranges in one arena",
        description=__doc__,
        allow_abbrev=False,
    )
    parser.add_argument(
        "file",
        metavar="FILE.csv",
        type=file_path,
        help="columns id,lower,upper,size; alive [lower,upper)",
    )
    parser.add_argument(
        "--capacity",
        metavar="BYTES",
        type=positive_integer,
        help="exit with 1 unless the arena fits this",
    )
    parser.add_argument(
        "--alignment", metavar="BYTES", type=positive_integer, default=1, help="of every offset; 1"
    )
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=_seconds,
        default=DEFAULT_SECONDS,
        help=f"how long to look for a smaller arena; {DEFAULT_SECONDS:.0f}",
    )
    parser.add_argument("--plot", metavar="OUT.svg", type=file_path, help="draw the plan")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.passes.memory.packing.planner import Effort, plan
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.program.live_range_table import read_live_ranges
    from vyre_dialect.runtime.program.output_files import check_writable

    if arguments.plot is not None:
        check_writable(arguments.plot)
    live_ranges = read_live_ranges(arguments.file)
    begin = monotonic()
    try:
        packing = plan(
            list(live_ranges.values()),
            Effort(seconds=arguments.seconds),
            alignment=arguments.alignment,
            capacity=arguments.capacity,
        )
    except ValueError as error:
        raise VyreError(f"cannot place the buffers of '{arguments.file}': {error}") from error
    seconds = monotonic() - begin
    if arguments.plot is not None:
        _plot(arguments.plot, arguments.file.name, live_ranges, packing)
    if arguments.json:
        print_json(_as_json(live_ranges, packing, seconds))
    else:
        _print(packing, seconds, len(live_ranges))
    reached = arguments.capacity is None or packing.peak <= arguments.capacity
    return 0 if reached else 1


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"expected at least 0 seconds, got '{text}'")
    return seconds


def _as_json(
    live_ranges: Mapping[str, LiveRange], packing: Packing, seconds: float
) -> dict[str, object]:
    return {
        "peak_bytes": packing.peak,
        "lower_bound_bytes": packing.lower_bound,
        "ratio": packing.ratio,
        "gap": packing.gap,
        "status": packing.status,
        "seconds": seconds,
        "offsets": dict(zip(live_ranges, packing.offsets, strict=True)),
    }


def _print(packing: Packing, seconds: float, buffers: int) -> None:
    print(
        f"{buffers} buffers in {packing.peak} bytes: {packing.status}, {packing.ratio:.4f} of the "
        f"lower bound of {packing.lower_bound}, at most {packing.gap:.4f} of the best; "
        f"{seconds:.2f} s"
    )


def _plot(path: Path, title: str, live_ranges: Mapping[str, LiveRange], packing: Packing) -> None:
    from vyre_dialect.runtime.program.memory_plot import Rectangle, memory_plot
    from vyre_dialect.runtime.program.output_files import write_text

    rectangles = [
        Rectangle(name, live_range.lower, live_range.upper, offset, live_range.size)
        for (name, live_range), offset in zip(live_ranges.items(), packing.offsets, strict=True)
    ]
    write_text(path, memory_plot(title, rectangles))
