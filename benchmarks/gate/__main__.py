"""
The gate: programs as users write them, by default, unfused, tuned, and next to what memory allows.

    python -m benchmarks.gate --mib 48 --rounds 9 --tune 60 --output gate.json

All forms of a program run once per round, in an order of its own, on the same buffers, next to a
plain read and a plain copy of the largest one; times are those of events. Every answer of every
round is compared with NumPy's: with more input than `--check-mib` says, with that of the unfused
form, after all forms gave NumPy's answer on so much. `--tune SECONDS` tunes each program first,
and keeps nothing of it. Ends with status 1 where a program answers wrongly or does not run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.gate.measure import Extent, figures, loses, summary
from benchmarks.gate.programs import PROGRAMS
from benchmarks.records import Row, record, write
from vyre_dialect.runtime.cli.arguments import positive_integer
from vyre_dialect.runtime.cli.terminal import print_table, progress_bar
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.devices import Device, choose_device, list_devices, working
from vyre_dialect.runtime.opencl.session import Session

PACKAGES = ("xdsl", "pyopencl", "numpy")
LEAST_ROUNDS = 2
"""What quartiles take."""
COLUMNS = ("program", "default µs", "unfused µs", "tuned µs", "÷ unfused", "÷ tuned", "of bound")


def parse_arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=__doc__)
    parser.add_argument(
        "--device", nargs="+", help="each as for 'vyre run'; all that work, without simulators"
    )
    parser.add_argument("--mib", type=positive_integer, default=48, help="input, in MiB")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--programs", nargs="+", choices=list(PROGRAMS), default=list(PROGRAMS))
    parser.add_argument("--tune", type=float, default=0.0, metavar="SECONDS", help="for a program")
    parser.add_argument(
        "--options", nargs="+", default=[], help="of passes, of forms that are measured besides"
    )
    parser.add_argument(
        "--check-mib", type=positive_integer, default=64, help="most input that NumPy answers for"
    )
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args(given)
    if arguments.rounds < LEAST_ROUNDS:
        parser.error(f"argument --rounds: expected {LEAST_ROUNDS} or more, got {arguments.rounds}")
    return arguments


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure what is asked for, device by device, and show and record it as it comes."""
    size, checked = arguments.mib << 20, arguments.check_mib << 20
    extent = Extent(size, checked, arguments.rounds, arguments.tune, arguments.options)
    rows = list[Row]()
    for session in map(Session, _devices(arguments.device)):
        own = list[Row]()
        for name in arguments.programs:
            with progress_bar() as progress:
                own.append(figures(PROGRAMS[name], session, extent, progress))
            print(_line(own[-1]), flush=True)
            _record(arguments, [*rows, *own])
        print_table(session.device.info.label, COLUMNS, [_cells(row) for row in own])
        print(*(f"{key}={value}" for key, value in summary(own).items()), flush=True)
        rows += own
    return rows


def _devices(names: Sequence[str] | None) -> list[Device]:
    """The devices of these names, or all that work. Raises a DeviceError where one does not."""
    if names is not None:
        return [choose_device(name) for name in names]
    real = (device for device in list_devices() if not device.info.simulator)
    return [device for device in real if working(device) is None]


def _record(arguments: argparse.Namespace, rows: Sequence[Row]) -> None:
    """Write what there is, so that what is stopped leaves what it has measured."""
    devices = dict.fromkeys(row["device"] for row in rows)
    asked = {
        name: getattr(arguments, name) for name in ("mib", "rounds", "tune", "options", "check_mib")
    }
    own = {str(each): summary(row for row in rows if row["device"] == each) for each in devices}
    write(arguments.output, record(PACKAGES, rows) | asked | {"summary": own})


def _line(row: Row) -> str:
    return f"{'  loses  ' if loses(row) else '         '}{'  '.join(_cells(row))}"


def _cells(row: Row) -> tuple[str, ...]:
    """A row of the table; where nothing was measured, the reason alone."""
    if "failed" in row:
        return (f"{row['program']}: {row['failed']}", *("-" for _ in COLUMNS[1:]))
    keys = ("default", "unfused", "tuned", "default_over_unfused", "default_over_tuned")
    return (
        str(row["program"]),
        *(_middle(row.get(key)) for key in keys),
        f"{row['share_of_bound']:.2f}",
    )


def _middle(found: object) -> str:
    """The median of times, or of ratios, if there is one."""
    if not isinstance(found, dict):
        return "-"
    return f"{found['us']:.1f}" if "us" in found else f"{found['ratio']:.2f}"


def main(given: Sequence[str] | None = None) -> None:
    """Run it from the command line, or with these arguments."""
    try:
        rows = measure(parse_arguments(given))
    except VyreError as error:
        sys.exit(f"benchmarks.gate: error: {error}")
    sys.exit(any("failed" in row for row in rows))


if __name__ == "__main__":
    main()
