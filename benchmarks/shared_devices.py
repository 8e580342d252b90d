"""
How much faster several devices are than one where they share the pieces of an input.

    python -m benchmarks.shared_devices --output benchmarks/results/shared-devices.json

The devices are simulated, as a machine seldom has two that are alike: each piece is run on the CPU,
and takes as long as a device would that works on `RATE` bytes in a second, the rest of which is
slept. So the figure is about sharing, not about devices, as long as the CPU itself is faster than
all of them together; the row `alone` says how fast that is.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np

from benchmarks.records import Row, record, write
from benchmarks.stream_device import INPUT, OUTPUT, PROGRAM, text_of
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.compilation import load_module, make_context
from vyre_dialect.runtime.streams.shared_run import run_shared

RATE = 200e6
SIZE = 1 << 30
ROUNDS = 3


def timed(text: Array, count: int) -> RunResult:
    """A run by so many devices."""
    context = make_context()
    return run_shared(
        load_module(PROGRAM, context),
        {INPUT: text},
        devices=[choose_device()] * count,
        context=context,
    )


def slowed(seconds_per_byte: float) -> Any:
    """`Executor.run` as a device does it that takes so long."""
    run = Executor.run

    def slow(self: Executor, inputs: Any, **more: Any) -> RunResult:
        begin = perf_counter()
        result = run(self, inputs, **more)
        nbytes = max(each.nbytes for each in inputs.values())
        sleep(max(0.0, begin + nbytes * seconds_per_byte - perf_counter()))
        return result

    return slow


def rows() -> list[Row]:
    """A row for the CPU as it is, and one for each number of simulated devices."""
    text = text_of(SIZE)
    run = Executor.run
    expected = timed(text, 1)
    found: list[Row] = [_row("alone", text, [timed(text, 1).total_ns for _ in range(ROUNDS)])]
    times = dict[int, list[int]]()
    try:
        Executor.run = slowed(1 / RATE)
        for _ in range(ROUNDS):
            for count in (1, 2, 4):
                result = timed(text, count)
                np.testing.assert_array_equal(result.outputs[OUTPUT], expected.outputs[OUTPUT])
                times.setdefault(count, []).append(result.total_ns)
    finally:
        Executor.run = run
    one = float(np.median(times[1]))
    for count, each in times.items():
        row = _row(f"{count} simulated", text, each)
        found.append({**row, "of_one": round(one / float(np.median(each)), 2)})
    return found


def _row(case: str, text: Array, times: list[int]) -> Row:
    seconds = float(np.median(times)) / 1e9
    return {"case": case, "bytes": text.nbytes, "gb_per_s": round(text.nbytes / seconds / 1e9, 3)}


def main() -> None:
    """Measure, and write the record where the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    found = rows()
    for row in found:
        print(*(f"{key}={value}" for key, value in row.items()))
    write(arguments.output, record(["numpy", "pyopencl"], found))


if __name__ == "__main__":
    main()
