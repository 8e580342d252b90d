"""
How long starting takes: what `xdsl-opt` pays for vyre, and a whole `vyre run` of each example, as
it is kept and as it is compiled, and of one by plain lists of passes.

    python -m benchmarks.startup --output benchmarks/results/startup.json

Figures are in ms, medians of several processes with the quartiles beside them: wall-clock time and,
as `processor`, what the process takes of processors, which others that share them disturb less.
Kernels are built before. The lists of passes are what the schedule itself comes to, with the
options that it has for the device.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.records import Row, milliseconds, record_rows
from benchmarks.workloads import MAKERS, make
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.program.compilation import (
    compile_module,
    for_device,
    load_module,
    make_context,
    optimize_module,
)

ROUNDS = 5
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


@dataclass
class Runs:
    """`vyre run`s of an example with a cache of their own, each a process."""

    example: str
    encoded: Path
    cache: Path
    is_kept: bool = False
    """Whether the program is kept from run to run; kernels are in any case."""
    options: tuple[str, ...] = ()
    seconds: list[float] = field(default_factory=list[float])
    processor: list[float] = field(default_factory=list[float])

    def add(self) -> None:
        """Run once more."""
        if not self.is_kept:
            shutil.rmtree(self.cache / "vyre" / "programs", ignore_errors=True)
        path = make(self.example, 0).path
        code = "import sys; from vyre_dialect.runtime.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", code, "run", str(path), *self.options]
        command += ["--input", f"encoded={self.encoded}"]
        environment = os.environ | {"XDG_CACHE_HOME": str(self.cache)}
        used, start = _processor_seconds(), perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        self.seconds.append(perf_counter() - start)
        self.processor.append(_processor_seconds() - used)

    def forget(self) -> None:
        """Let what was run so far not count."""
        self.seconds.clear()
        self.processor.clear()

    def row(self, what: str) -> Row:
        """The times of all runs."""
        named = {"what": what} | milliseconds(self.seconds)
        return named | {f"processor_{k}": v for k, v in milliseconds(self.processor).items()}


def _processor_seconds() -> float:
    """What the processes that have ended took of processors."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def listed_passes(path: Path) -> Mapping[str, str]:
    """
    The plain lists of passes that a schedule comes to on the default device, with their options:
    of all that it runs, and of what changes the example. All make the same kernels.
    """
    context, device = make_context(), choose_device().info
    source = load_module(path, context)
    optimize = for_device(OptimizePass(), device)
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


def _rows() -> Iterator[Row]:
    imports = [seconds_to_import() for _ in range(ROUNDS)]
    yield {"what": "import of the universe"} | milliseconds(imports)
    with TemporaryDirectory() as folder:
        for example in MAKERS:
            yield from _example_rows(example, _encoded(Path(folder), example), Path(folder))
        yield from _list_rows(_encoded(Path(folder), EXAMPLE), Path(folder))


def _encoded(folder: Path, example: str) -> Path:
    path = folder / f"{example}.encoded"
    path.write_bytes(make(example, 4000).encoded.tobytes())
    return path


def _example_rows(example: str, encoded: Path, cache: Path) -> Iterator[Row]:
    """Runs of a program that is kept and of one that is not, by turns."""
    kept = Runs(example, encoded, cache / "kept", is_kept=True)
    compiled = Runs(example, encoded, cache / "compiled")
    _by_turns([kept, compiled])
    yield kept.row(f"vyre run {example}, kept")
    yield compiled.row(f"vyre run {example}, compiled")


def _list_rows(encoded: Path, cache: Path) -> Iterator[Row]:
    """Runs by the schedule and by its lists, by turns, as machines change their speed."""
    lists = listed_passes(make(EXAMPLE, 0).path)
    options = {"the schedule": (), **{what: ("-p", each) for what, each in lists.items()}}
    runs = {
        what: Runs(EXAMPLE, encoded, cache / "compiled", options=each)
        for what, each in options.items()
    }
    _by_turns(list(runs.values()))
    for what, each in runs.items():
        pairs = zip(runs["the schedule"].processor, each.processor, strict=True)
        ratio = median(by_schedule / by_list for by_schedule, by_list in pairs)
        row = each.row(f"vyre run {EXAMPLE}, compiled by {what}")
        yield {**row, "schedule_over_this": round(ratio, 3)}


def _by_turns(runs: list[Runs]) -> None:
    """Some rounds of runs, after one that builds kernels and is not counted."""
    for each in runs:
        each.add()
        each.forget()
    for _ in range(ROUNDS):
        for each in runs:
            each.add()


def main() -> None:
    """Measure, print a line for each figure, and write them if asked to."""
    record_rows("How long starting takes.", _rows(), ("xdsl", "pyopencl", "numpy"))


if __name__ == "__main__":
    main()
