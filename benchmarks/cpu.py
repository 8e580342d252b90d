"""
The examples on CPUs, next to what people use in their place, in turns in one process.

    pip install '.[bench]'
    python -m benchmarks.cpu --output benchmarks/results/cpu.json --plot docs

Each round runs every way once, in an order of its own: on each OpenCL runtime what `vyre run`
compiles (`fused`), the same without fusion (`unfused`), and both by the options for CPUs until
2026-11-22 (`before`); the rivals (`benchmarks/rivals`); a plain read and a plain copy. Every answer
of every round is compared with Python's own. Programs find their input on the device, rivals
theirs in memory, and all keep their buffers. Wall times are those of whole runs, with the answers
on the host; kernel times are those of events. A library or a device that is missing is left out,
with the reason in its row.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path

from benchmarks.cpu_rounds import Measurement
from benchmarks.records import Row, record, write
from benchmarks.rivals import RIVALS
from benchmarks.workloads import MAKERS, PLAIN, Workload, make
from vyre_dialect.ir.byte_strings import (
    byte_string_attr,
)
from vyre_dialect.ir.types import sizes_attr
from vyre_dialect.ops.literals import LiteralOp
from vyre_dialect.passes.schedule.materialize_schedule import ProfileName
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import (
    CompiledProgram,
    compile_module,
    load_module,
    make_context,
)

LEAST_ROUNDS = 15
RUNTIMES = ("Intel", "PoCL")
PROFILES: dict[str, ProfileName] = {"fused": "release", "unfused": "dataflow"}
"""`dataflow` is `release` without the passes that fuse."""
BEFORE = Path(__file__).parent / "policies" / "cpu_until_2026_11_22.mlir"
PACKAGES = ("xdsl", "pyopencl", "numpy", "numba", "halide", "pybase64", "hyperscan")
ENCODED = {"base64_literal": 4 / 3, "base64_patterns": 4 / 3, "hex_histogram": 2.0}
"""Encoded bytes for each decoded one, where that is not one."""


class Builder:
    """Compiles an example for one runtime."""

    def __init__(self, workload: Workload, session: Session, arguments: argparse.Namespace):
        self._session, self._context = session, make_context()
        self._module = load_module(workload.path, self._context)
        self._options: str | None = arguments.options
        self._workgroup: int | None = arguments.workgroup
        for op in self._module.walk():
            if isinstance(op, LiteralOp):
                op.literal = byte_string_attr(workload.literal)

    def current(self, profile: ProfileName) -> CompiledProgram:
        """By the options for the device, and those of the command line."""
        module = self._module.clone()
        if self._workgroup is not None:
            find_program(module).workgroup_size = sizes_attr([self._workgroup])
        return compile_module(
            module,
            optimize=OptimizePass(profile=profile, options=self._options),
            context=self._context,
            device=self._session.device.info,
        )

    def before(self, profile: ProfileName) -> CompiledProgram:
        """By the options of before alone."""
        return compile_module(
            self._module,
            optimize=OptimizePass(profile=profile, schedule=str(BEFORE)),
            context=self._context,
            device=self._session.device.info,
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="CPUs, next to what people use instead.")
    parser.add_argument("--devices", nargs="*", default=RUNTIMES, help="each as for 'vyre run'")
    parser.add_argument("--mib", type=int, default=48, help="decoded data, in MiB")
    parser.add_argument("--rounds", type=int, default=LEAST_ROUNDS)
    parser.add_argument("--literal", default="self", help="what the literal scans look for")
    parser.add_argument("--only", nargs="*", choices=list(MAKERS), default=list(MAKERS))
    parser.add_argument("--rivals", nargs="*", choices=list(RIVALS), default=list(RIVALS))
    parser.add_argument("--data", nargs="*", choices=list(PLAIN), default=["dense"])
    parser.add_argument("--options", help="of passes, over those that suit the device")
    parser.add_argument("--workgroup", type=int, help="in place of the programs' own")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="where to draw the figures")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error(f"argument --rounds: expected 2 or more, got {arguments.rounds}")
    if arguments.plot is not None and find_spec("matplotlib") is None:
        parser.error("argument --plot: expected matplotlib to be there: pip install '.[bench]'")
    return arguments


def _sessions(names: Sequence[str]) -> tuple[dict[str, Session], dict[tuple[str, str], str]]:
    """The devices that there are, and why others are not."""
    sessions, missing = dict[str, Session](), dict[tuple[str, str], str]()
    for name in names:
        try:
            sessions[name] = Session(choose_device(name))
        except VyreError as error:
            missing[name, "fused"] = str(error)
    return sessions, missing


def _measured(
    workload: Workload, sessions: Mapping[str, Session], arguments: argparse.Namespace
) -> Measurement:
    """A workload in all ways, after all rounds."""
    measurement = Measurement(workload, sessions)
    for runtime, session in sessions.items():
        builder = Builder(workload, session, arguments)
        for form, profile in PROFILES.items():
            measurement.add_program(runtime, form, partial(builder.current, profile))
            measurement.add_program(runtime, f"{form} before", partial(builder.before, profile))
    for name in arguments.rivals:
        measurement.add_rival(name)
    measurement.run(arguments.rounds)
    return measurement


def _figures(arguments: argparse.Namespace) -> dict[str, object]:
    """Measure all that is asked for, and print it as it comes."""
    sessions, missing = _sessions(arguments.devices)
    rows, ratios = list[Row](), list[Row]()
    for name, data in product(arguments.only, arguments.data):
        decoded = arguments.mib << 20
        encoded = round(decoded * ENCODED.get(name, 1.0))
        workload = make(name, encoded, arguments.literal.encode(), data)
        measurement = _measured(workload, sessions, arguments)
        measurement.left_out.update(missing)
        sizes = {"encoded_bytes": workload.encoded.nbytes, "decoded_bytes": decoded}
        head = {"workload": name, "data": data}
        own_rows = [{**head, **sizes, **row} for row in measurement.rows(decoded)]
        own_ratios = [{**head, **row} for row in measurement.ratios()]
        print(*map(_line, own_rows), *map(_line, own_ratios), sep="\n", flush=True)
        rows, ratios = rows + own_rows, ratios + own_ratios
    return _record(arguments, sessions, rows) | {"ratios": ratios}


def _line(row: Row) -> str:
    """A row of the figures, or of the ratios, for people."""
    if "over" in row:
        found = f"{row['ratio']!s:>7} x     {row['of']} over {row['over']} {row['quartiles']}"
    elif "left_out" in row:
        found = f"      -       {row['runtime']} {row['form']}: {row['left_out']}"
    else:
        found = f"{row['gb_per_s']!s:>7} GB/s  {row['runtime']} {row['form']}"
    return f"{row['workload']!s:16} {found}"


def _record(
    arguments: argparse.Namespace, sessions: Mapping[str, Session], rows: Sequence[Row]
) -> dict[str, object]:
    packages = [name for name in PACKAGES if find_spec(name) is not None]
    return record(packages, rows) | {
        "devices": {name: each.device.info.label for name, each in sessions.items()},
        "drivers": {name: each.device.info.driver for name, each in sessions.items()},
        "cores": len(os.sched_getaffinity(0)),
        "decoded_mib": arguments.mib,
        "rounds": arguments.rounds,
        "literal": arguments.literal,
        "options": arguments.options,
        "workgroup": arguments.workgroup,
    }


def main() -> None:
    """Measure, and write and draw the figures if asked to."""
    arguments = _arguments()
    figures = _figures(arguments)
    write(arguments.output, figures)
    if arguments.plot is not None:
        from benchmarks.cpu_plots import draw

        draw(figures, arguments.plot)


if __name__ == "__main__":
    main()
