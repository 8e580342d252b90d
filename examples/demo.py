"""`python -m examples.demo`: the examples on real data, checked and timed.

Takes the sources of Python's standard library, encodes them as each example expects, runs the
examples on the default device, and compares every answer with Python's own. Each example whose arms
fuse there runs also fused, the two taking turns, as machines change their speed; of the others, the
compiler says why they do not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from examples.data import Example, load_examples, standard_library_tar
from vyre_dialect.ir.scheduling import Family
from vyre_dialect.passes.fusion.tiling.refusal import RefusedHandoff
from vyre_dialect.passes.schedule.instrumentation import Edits
from vyre_dialect.passes.schedule.registry import passes_of
from vyre_dialect.runtime.cli.terminal import print_table, progress_bar
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.results import RunResult, median_run
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.records import FusionRecord
from vyre_dialect.runtime.progress import Progress

VARIANTS = ("unfused", "fused")
"""What is compared: the standard schedule without the passes that fuse, and with them."""

ROUNDS = 9
"""Runs of each variant, after one that is not counted."""

COLUMNS = ("example, arm", "ms", "MB", "GB/s", "encoded GB/s", "speedup")


@dataclass(frozen=True)
class Measured:
    """An example with the median of its runs, by variant."""

    example: Example
    runs: Mapping[str, RunResult]
    refusals: Sequence[RefusedHandoff] = ()
    """Why nothing of it is fused, where that is so."""


def main() -> int:
    """Run the demo; the exit status is 0 only when every answer is right."""
    start = perf_counter()
    try:
        device = choose_device()
        with progress_bar() as progress:
            measured = list(_measure_all(device, progress))
    except VyreError as error:
        print(f"vyre: error: {error}", file=sys.stderr)
        return error.exit_status
    table = [row for item in measured for row in rows(item)]
    size = measured[0].example.encoded.nbytes / 1e6
    print_table(f"{size:.1f} MB and more of input on {device.info.label}", COLUMNS, table)
    for refusal, names in _refusals(measured).items():
        print(f"not fused: {', '.join(names)}: {refusal}")
    if slower := [item.example.name for item in measured if _is_slower_fused(item)]:
        print(
            f"slower fused this time: {', '.join(slower)}; where others use the machine, times "
            "vary by more than that: 'make bench' has their spread"
        )
    wrong = [line for item in measured for line in _differences(item)]
    for line in wrong:
        print(line)
    if not wrong:
        print(f"all {len(measured)} answers equal Python's own ({perf_counter() - start:.1f} s)")
    return 1 if wrong else 0


def _measure_all(device: Device, progress: Progress) -> Iterator[Measured]:
    progress("packing the standard library", None)
    examples = load_examples(standard_library_tar())
    for number, example in enumerate(examples):
        progress(f"running {example.name}", number / len(examples))
        yield measure(example, device, ROUNDS)


def measure(example: Example, device: Device, rounds: int) -> Measured:
    """The median run of each variant of an example, which take turns; only what fuses is fused."""
    session, record = Session(device), FusionRecord()
    unfused = Edits(left_out=passes_of(Family.FUSION))
    compiled = {
        "unfused": compile_module(example.module, edits=unfused, device=device.info),
        "fused": compile_module(example.module, observers=[record], device=device.info),
    }
    if not record.fused:
        del compiled["fused"]
    executors = {variant: Executor(each, session) for variant, each in compiled.items()}
    encoded = session.put(example.encoded)
    runs = {variant: list[RunResult]() for variant in executors}
    for _ in range(1 + rounds):
        for variant, executor in executors.items():
            runs[variant].append(executor.run({"encoded": encoded}))
    medians = {variant: median_run(all_runs[1:]) for variant, all_runs in runs.items()}
    return Measured(example, medians, () if record.fused else tuple(record.refusals.values()))


def _refusals(measured: Iterable[Measured]) -> dict[str, list[str]]:
    """Why handoffs did not fuse, as the compiler says it, and in which examples."""
    reasons = dict[str, list[str]]()
    for item in measured:
        for refusal in item.refusals:
            names = reasons.setdefault(f"{refusal.reason}: {refusal.detail}", [])
            names.append(item.example.name)
    return reasons


def _is_slower_fused(measured: Measured) -> bool:
    runs = measured.runs
    return "fused" in runs and _kernel_ns(runs["fused"]) > _kernel_ns(runs["unfused"])


def rows(measured: Measured) -> Iterator[tuple[str, ...]]:
    """A line for each variant, and one below it for each of its arms."""
    encoded = measured.example.encoded.nbytes
    times = {name: _kernel_ns(run) for name, run in measured.runs.items()}
    unfused = times["unfused"]
    for name, run in measured.runs.items():
        time = times[name]
        speedup = f"{unfused / time:.2f}" if time and name != "unfused" else ""
        title = f"{measured.example.name}, {name}"
        yield title, f"{time / 1e6:.3f}", f"{encoded / 1e6:.1f}", "", _rate(encoded, time), speedup
        for arm in run.arms:
            ns = arm.kernel_ns or 0
            size = f"{arm.bytes / 1e6:.1f}"
            yield f"  {arm.generator}", f"{ns / 1e6:.3f}", size, _rate(arm.bytes, ns), "", ""
    if "fused" not in measured.runs:
        reasons = ", ".join(dict.fromkeys(str(each.reason) for each in measured.refusals))
        yield f"{measured.example.name}, not fused: {reasons}", "", "", "", "", ""


def _kernel_ns(run: RunResult) -> int:
    return sum(arm.kernel_ns or 0 for arm in run.arms)


def _rate(size: int, ns: int) -> str:
    return f"{size / ns:.2f}" if ns else "-"


def _differences(measured: Measured) -> Iterator[str]:
    """A line for each answer that is not Python's."""
    for variant, run in measured.runs.items():
        for name, expected in measured.example.expected.items():
            if not np.array_equal(run.outputs[name], expected):
                yield (
                    f"{measured.example.name}, {variant}: '{name}' is "
                    f"{_shown(run.outputs[name])}, expected {_shown(expected)}"
                )


def _shown(array: Array) -> str:
    return np.array2string(array, threshold=8)


if __name__ == "__main__":
    sys.exit(main())
