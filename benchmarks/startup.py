"""
How long starting takes: what `xdsl-opt` pays for vyre, and a whole `vyre run` of an example.

    python -m benchmarks.startup --output benchmarks/results/startup.json

Figures are wall-clock time in ms, medians of several processes with the quartiles beside them.
The first run of the example, which builds its kernels, is not counted. The lists of passes are
what the schedule itself comes to, with the options that it has for the device.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.records import Row, milliseconds, record_rows
from benchmarks.workloads import make
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.program.compilation import (
    compile_module,
    for_device,
    load_module,
    make_context,
    optimize_module,
)

ROUNDS = 9
EXAMPLE = "base64_literal"
# Universes of other packages do not count.
TIMED_IMPORT = """
import time
import xdsl.universe
start = time.perf_counter()
import vyre_dialect.universe
print(time.perf_counter() - start)
"""


def seconds_to_import() -> float:
    """What a process that has xDSL pays for vyre's universe."""
    return float(subprocess.check_output([sys.executable, "-c", TIMED_IMPORT], text=True))


def seconds_to_run(encoded: Path, *options: str) -> float:
    """A process that runs the example on the default device."""
    path = make(EXAMPLE, 0).path
    code = "import sys; from vyre_dialect.runtime.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "run", str(path), "--input", f"encoded={encoded}"]
    command += options
    start = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return perf_counter() - start


def listed_passes(path: Path) -> Mapping[str, str]:
    """
    The plain lists of passes that a schedule comes to on the default device, with their options:
    of all that it runs, and of what changes the example. All make the same kernels.
    """
    context, device = make_context(), choose_device().info
    source = load_module(path, context)
    optimize = for_device(OptimizePass(), source, device)
    optimized = optimize_module(source.clone(), optimize, context)
    specs = {op.sym_name.data: str(op.spec) for op in optimized.passes}
    ran = [run for run in optimized.report.runs if run.ran]
    lists = {
        "a list of all that runs": ",".join(specs[run.name] for run in ran),
        "a list of what changes it": ",".join(specs[run.name] for run in ran if run.changed),
    }
    kernels = compile_module(source, context=context, device=device).source
    for what, pipeline in lists.items():
        listed = compile_module(source, pipeline=pipeline, context=context, device=device)
        if listed.source != kernels:
            raise RuntimeError(f"{what} makes other kernels than the schedule: {pipeline}")
    return lists


def _row(name: str, seconds: Callable[[], float]) -> Row:
    return {"what": name} | milliseconds([seconds() for _ in range(ROUNDS)])


def _rows() -> Iterator[Row]:
    yield _row("import of the universe", seconds_to_import)
    with TemporaryDirectory() as folder:
        encoded = Path(folder) / "encoded"
        encoded.write_bytes(make(EXAMPLE, 4000).encoded.tobytes())
        yield from _runs(encoded)


def _runs(encoded: Path) -> Iterator[Row]:
    """Runs by the schedule and by its lists, by turns, as machines change their speed."""
    lists = listed_passes(make(EXAMPLE, 0).path)
    variants = {"the schedule": (), **{what: ("-p", each) for what, each in lists.items()}}
    for options in variants.values():
        seconds_to_run(encoded, *options)
    seconds = {what: list[float]() for what in variants}
    for _ in range(ROUNDS):
        for what, options in variants.items():
            seconds[what].append(seconds_to_run(encoded, *options))
    for what, measured in seconds.items():
        pairs = zip(seconds["the schedule"], measured, strict=True)
        ratio = median(by_schedule / by_list for by_schedule, by_list in pairs)
        named = {"what": f"vyre run {EXAMPLE}, by {what}"}
        yield named | milliseconds(measured) | {"schedule_over_this": round(ratio, 3)}


def main() -> None:
    """Measure, print a line for each figure, and write them if asked to."""
    record_rows("How long starting takes.", _rows(), ("xdsl", "pyopencl", "numpy"))


if __name__ == "__main__":
    main()
