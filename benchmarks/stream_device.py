"""
How fast a device takes an input from the memory of the host that is larger than its own, next to
the rate at which it can be sent data from pinned memory.

    python -m benchmarks.stream_device --gigabytes 64 --device gpu --output FILE.json

The text is made in memory, and once more its first part is run at once, which has to come to the
same count. `copy` sends one pinned buffer over and over, and does nothing else.
"""

from __future__ import annotations

import argparse
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import cast

import numpy as np
import pyopencl as cl

from benchmarks.records import Row, record, write
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import load_module, make_context
from vyre_dialect.runtime.streams.limits import parse_memory
from vyre_dialect.runtime.streams.stream_run import run_stream

PROGRAM = Path("examples/base64_literal.mlir")
INPUT, OUTPUT = "encoded", "count"
PERIOD = 12 << 20
COPIED = 256 << 20
COPIES = 40


def text_of(size: int) -> Array:
    """So many characters of base64, rounded to whole periods."""
    words = np.random.default_rng(1).choice(["self", "None", "x", "the", "return"], PERIOD // 4)
    period = np.frombuffer(b64encode(" ".join(words).encode()[: PERIOD // 4 * 3]), np.uint8)
    text = np.empty((max(1, size // PERIOD), PERIOD), np.uint8)
    text[:] = period
    return text.reshape(-1)


def copy_rate(device: Device) -> float:
    """GB/s from pinned memory of the host to the device."""
    session = Session(device)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
    pinned = cl.Buffer(session.context, flags, COPIED)
    modes = cast(cl.map_flags, cl.map_flags.READ | cl.map_flags.WRITE)
    host, _ = cl.enqueue_map_buffer(session.queue, pinned, modes, 0, (COPIED,), np.dtype(np.uint8))
    host[:] = 1
    target = cl.Buffer(session.context, cl.mem_flags.READ_WRITE, COPIED)
    cl.enqueue_copy(session.queue, target, host, is_blocking=False).wait()
    begin = perf_counter()
    for _ in range(COPIES):
        cl.enqueue_copy(session.queue, target, host, is_blocking=False)
    session.queue.finish()
    return COPIES * COPIED / (perf_counter() - begin) / 1e9


def measure(device: Device, size: int, memory: str, rounds: int) -> Iterator[Row]:
    """A row for the copy, and one for each run."""
    context = make_context()
    module, text = load_module(PROGRAM, context), text_of(size)
    part = text[:PERIOD]
    expected = run_module(module, {INPUT: part}, device=device, context=context)
    rate = copy_rate(device)
    yield {"case": "copy", "device": device.info.label, "gb_per_s": round(rate, 2)}
    for number in range(rounds):
        run = run_stream(
            module, {INPUT: text}, device=device, memory=parse_memory(memory), context=context
        )
        own = text.nbytes / run.total_ns
        least = int(expected.outputs[OUTPUT].view(np.uint32)[0]) * (text.size // PERIOD)
        # Literals may stand across the ends of periods, too.
        most = least + text.size // PERIOD
        assert least <= int(run.outputs[OUTPUT].view(np.uint32)[0]) <= most, "the answer is right"
        yield {
            "case": f"stream, round {number + 1}",
            "bytes": text.nbytes,
            "memory": memory,
            "gb_per_s": round(own, 2),
            "of_copy": round(own / rate, 3),
            "kernels_ms": round(sum(arm.kernel_ns or 0 for arm in run.arms) / 1e6, 1),
        }


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=64)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--device")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    rows = list[Row]()
    size = int(arguments.gigabytes * 1e9)
    for row in measure(device, size, arguments.memory, arguments.rounds):
        rows.append(row)
        print(*(f"{key}={value}" for key, value in row.items()), flush=True)
    write(arguments.output, record(["numpy", "pyopencl"], rows))


if __name__ == "__main__":
    main()
