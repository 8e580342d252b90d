"""
How much faster several devices are than one where they share the pieces of an input.

    python -m benchmarks.shared_devices --output benchmarks/results/shared-devices.json
    python -m benchmarks.shared_devices --devices all --gigabytes 32 --output FILE.json
    python -m benchmarks.shared_devices --devices all --mixed 1024 --output FILE.json

Without `--devices`, they are simulated, as a machine seldom has two that are alike: each piece is
run on the CPU, and takes as long as a device would that works on `RATE` bytes in a second, the rest
of which is slept. So the figure is about sharing, not about devices, as long as the CPU itself is
faster than all of them together; the row `alone` says how fast that is. With it, devices share the
input that are there, next to the first of them that takes it as a stream of its own; what bounds
them is how fast the host copies (`copied`), and what all take at once from pinned memory (`sent`).
With `--mixed`, each byte is mixed so often that computing takes longer than any copy.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, i8, i32

from benchmarks.records import Row, record, write
from benchmarks.stream_device import INPUT, OUTPUT, PROGRAM, copy_rate, text_of
from vyre_dialect.builder import arm, for_, if_, program
from vyre_dialect.ir.types import Access, AtomicKind
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device, choose_device, choose_devices
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.compilation import load_module, make_context
from vyre_dialect.runtime.streams.limits import parse_memory
from vyre_dialect.runtime.streams.shared_run import run_shared
from vyre_dialect.runtime.streams.stream_run import run_stream

RATE = 200e6
SIZE = 1 << 30
ROUNDS = 3
COPIED_PART = 8 << 20
DEFAULT_MEMORY = "2GiB"


def mixing(times: int) -> ModuleOp:
    """A program that mixes each byte so often, and counts those that come to a multiple of 8."""
    with program("mixing") as p:
        text = p.buffer(INPUT, i8, access=Access.READ_ONLY)
        count = p.buffer(OUTPUT, i32, 1, live_out=True)
        with arm("mix", text.length) as i:
            with for_(0, times, carry=[text[i].to(i32) & 255]) as loop:
                word = loop.carried[0]
                loop.yields((word * 1664525 + 1013904223) ^ (word >> 15))
            with if_((loop.results[0] & 7) == 0):
                count.atomic(AtomicKind.ADDI, 1)
    return p.module


def run_by(
    run: Callable[..., RunResult], text: Array, memory: str = DEFAULT_MEMORY, mixed: int = 0
) -> RunResult:
    """A run by `run_stream` or `run_shared`, which know their devices."""
    context = make_context()
    module = mixing(mixed) if mixed else load_module(PROGRAM, context)
    return run(module, {INPUT: text}, memory=parse_memory(memory), context=context)


def by(devices: Sequence[Device]) -> Callable[..., RunResult]:
    """What lets devices share a run."""
    return partial(run_shared, devices=devices)


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


def simulated() -> list[Row]:
    """A row for the CPU as it is, and one for each number of simulated devices."""
    text, device = text_of(SIZE), choose_device()
    run = Executor.run
    alone = [run_by(by([device]), text) for _ in range(ROUNDS)]
    try:
        Executor.run = slowed(1 / RATE)
        times = _by_turns(
            {
                f"{count} simulated": partial(run_by, by([device] * count), text)
                for count in (1, 2, 4)
            },
            alone[0],
        )
    finally:
        Executor.run = run
    rows = _rows(text, times, "1 simulated")
    return [_row("alone", text, [each.total_ns for each in alone]), *rows]


def real(names: str, size: int, memory: str, mixed: int) -> list[Row]:
    """A row for the first of these devices by a stream, and one for each number of them."""
    text, devices = text_of(size), choose_devices(names)
    first = devices[0]
    forms = {
        f"{first.info.label} by a stream": partial(
            run_by, partial(run_stream, device=first), text, memory, mixed
        )
    }
    for count in range(1, len(devices) + 1):
        label = ", ".join(each.info.label for each in devices[:count])
        forms[f"shared by {count}: {label}"] = partial(
            run_by, by(devices[:count]), text, memory, mixed
        )
    warm = [form() for form in forms.values()]
    rows = _rows(text, _by_turns(forms, warm[0]), next(iter(forms)))
    return [*_bounds(text, devices), *rows]


def _bounds(text: Array, devices: Sequence[Device]) -> list[Row]:
    """GB/s at which threads copy the text to memory that stays in caches, and devices are sent."""
    with ThreadPoolExecutor(len(devices)) as threads:
        rates = list(threads.map(copy_rate, devices))
    threads = max(1, (os.cpu_count() or 1) * 3 // 4)
    parts = [np.empty(COPIED_PART, np.uint8) for _ in range(threads)]

    def copy(number: int) -> None:
        for begin in range(number * COPIED_PART, text.size, threads * COPIED_PART):
            part = text[begin : begin + COPIED_PART]
            np.copyto(parts[number][: part.size], part)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(copy, range(threads)))
        begin = perf_counter()
        list(pool.map(copy, range(threads)))
        copied = text.nbytes / (perf_counter() - begin) / 1e9
    return [
        {"case": f"copied by {threads} threads", "gb_per_s": round(copied, 2)},
        {"case": "sent to all at once", "gb_per_s": round(sum(rates), 2)},
    ]


def _by_turns(
    forms: Mapping[str, Callable[[], RunResult]], expected: RunResult
) -> dict[str, list[int]]:
    """Ns of each form in each round, all of which have to come to the same."""
    times: dict[str, list[int]] = {name: [] for name in forms}
    for _ in range(ROUNDS):
        for name, form in forms.items():
            result = form()
            np.testing.assert_array_equal(result.outputs[OUTPUT], expected.outputs[OUTPUT])
            times[name].append(result.total_ns)
    return times


def _rows(text: Array, times: Mapping[str, list[int]], one: str) -> list[Row]:
    base = float(np.median(times[one]))
    return [
        {**_row(name, text, each), "of_one": round(base / float(np.median(each)), 2)}
        for name, each in times.items()
    ]


def _row(case: str, text: Array, times: list[int]) -> Row:
    seconds = float(np.median(times)) / 1e9
    return {"case": case, "bytes": text.nbytes, "gb_per_s": round(text.nbytes / seconds / 1e9, 3)}


def main() -> None:
    """Measure, and write the record where the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", help="as for 'vyre run'; else they are simulated")
    parser.add_argument("--gigabytes", type=float, default=32, help="of real devices")
    parser.add_argument("--memory", default=DEFAULT_MEMORY, help="of real devices")
    parser.add_argument("--mixed", type=int, default=0, help="times, on real devices")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    size = int(arguments.gigabytes * 1e9)
    names = arguments.devices
    found = real(names, size, arguments.memory, arguments.mixed) if names else simulated()
    for row in found:
        print(*(f"{key}={value}" for key, value in row.items()))
    write(arguments.output, record(["numpy", "pyopencl"], found))


if __name__ == "__main__":
    main()
