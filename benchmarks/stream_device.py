"""
How fast a device takes an input from the memory of the host that is larger than its own, next to
the rate at which it can be sent data from pinned memory.

    python -m benchmarks.stream_device --gigabytes 64 --device gpu --output FILE.json

The text is made in memory, and once more its first part is run at once, which has to come to the
same count. `copy` sends one pinned buffer over and over, and does nothing else.

With `--ways`, the first of it is also sent, and nothing done with it, in each way there is: in
parts by threads, as streams do, with several numbers of threads and sizes of parts; copied to
pinned memory as large as a piece; by the driver, from several threads, as it lies; and by the
driver from buffers that are made on it (`CL_MEM_USE_HOST_PTR`).
"""

from __future__ import annotations

import argparse
from base64 import b64encode
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import TypeAlias, cast

import numpy as np
import pyopencl as cl

from benchmarks.records import Row, record, write
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import load_module, make_context
from vyre_dialect.runtime.streams.limits import parse_memory
from vyre_dialect.runtime.streams.sending import Sender, Sizes
from vyre_dialect.runtime.streams.staging import SentSlot
from vyre_dialect.runtime.streams.stream_run import StreamRun, run_stream

PROGRAM = Path("examples/base64_literal.mlir")
INPUT, OUTPUT = "encoded", "count"
PERIOD = 12 << 20
COPIED = 256 << 20
COPIES = 40
_PART = 8 << 20
SENT_IN_EACH_WAY = 8 << 30

Send: TypeAlias = Callable[[Sequence[Array]], None]
"""Sends pieces one after the other, and returns when they are there."""


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


def ways(device: Device, text: Array) -> Iterator[Row]:
    """A row for each way to send `text`, of the best of three rounds."""
    session = Session(device)
    pieces = [text[begin : begin + COPIED] for begin in range(0, text.size, COPIED)]
    target = cl.Buffer(session.context, cl.mem_flags.READ_WRITE, COPIED)
    for name, send in _ways(session, target):
        seconds = list[float]()
        for _ in range(4):  # the first makes buffers
            begin = perf_counter()
            send(pieces)
            seconds.append(perf_counter() - begin)
        yield {"case": name, "gb_per_s": round(text.nbytes / min(seconds[1:]) / 1e9, 2)}


def _ways(session: Session, target: cl.Buffer) -> Iterator[tuple[str, Send]]:
    for threads in (4, 8, 12, 16):
        for part in (4, 8, 16, 32):
            sizes = Sizes(threads=threads, part_bytes=part << 20)
            yield f"parts of {part} MiB, {threads} threads", _in_parts(session, target, sizes)
    yield "pinned pieces, 16 threads", _in_pinned_pieces(session, target)
    for threads in (1, 4, 8):
        yield f"as it lies, {threads} threads", _as_it_lies(session, target, threads)
    yield "buffers on it", _on_buffers(session, target)


def _in_parts(session: Session, target: cl.Buffer, sizes: Sizes) -> Send:
    sender = Sender(session, sizes)

    def send(pieces: Sequence[Array]) -> None:
        sendings = [sender.send(piece, target) for piece in pieces]
        cl.wait_for_events([event for sending in sendings for event in sending.events()])

    return send


def _in_pinned_pieces(session: Session, target: cl.Buffer) -> Send:
    copiers = ThreadPoolExecutor(16)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
    modes = cast(cl.map_flags, cl.map_flags.READ | cl.map_flags.WRITE)
    pinned = [cl.Buffer(session.context, flags, COPIED) for _ in range(2)]
    hosts: list[Array] = [
        cl.enqueue_map_buffer(session.queue, each, modes, 0, (COPIED,), np.dtype(np.uint8))[0]
        for each in pinned
    ]

    def send(pieces: Sequence[Array]) -> None:
        sent: list[cl.Event | None] = [None, None]
        for number, piece in enumerate(pieces):
            host = hosts[number % 2][: piece.size]
            if (before := sent[number % 2]) is not None:
                before.wait()
            parts = [slice(begin, begin + _PART) for begin in _begins(piece)]
            for copy in [copiers.submit(np.copyto, host[part], piece[part]) for part in parts]:
                copy.result()
            sent[number % 2] = cl.enqueue_copy(session.queue, target, host, is_blocking=False)
            session.queue.flush()
        session.queue.finish()

    return send


def _as_it_lies(session: Session, target: cl.Buffer, threads: int) -> Send:
    queues = SimpleQueue[cl.CommandQueue]()
    for _ in range(threads):
        queues.put(cl.CommandQueue(session.context, session.device.handle))
    senders = ThreadPoolExecutor(threads)

    def send_part(part: Array, offset: int) -> None:
        queue = queues.get()
        cl.enqueue_copy(queue, target, part, dst_offset=offset, is_blocking=True)
        queues.put(queue)

    def send(pieces: Sequence[Array]) -> None:
        parts = [(piece[at : at + _PART], at) for piece in pieces for at in _begins(piece)]
        for sent in [senders.submit(send_part, *part) for part in parts]:
            sent.result()

    return send


def _on_buffers(session: Session, target: cl.Buffer) -> Send:
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR

    def send(pieces: Sequence[Array]) -> None:
        for piece in pieces:
            for at in _begins(piece):
                part = piece[at : at + _PART]
                source = cl.Buffer(session.context, flags, hostbuf=part)
                cl.enqueue_copy(session.queue, target, source, byte_count=part.size, dst_offset=at)
        session.queue.finish()

    return send


def _begins(piece: Array) -> range:
    return range(0, piece.size, _PART)


@contextmanager
def host_times() -> Generator[dict[str, float]]:
    """
    Seconds of the thread that leads a stream, by what it does: begins to send pieces, waits until
    they are there, starts runs (compiling included, and the waiting), and finishes them.
    """
    times = dict[str, float]()
    with ExitStack() as patches:
        for name, (owner, method) in _STEPS.items():
            times[name] = 0.0
            patches.enter_context(_timed(owner, method, times, name))
        yield times


@contextmanager
def _timed(owner: type, method: str, times: dict[str, float], name: str) -> Generator[None]:
    known = getattr(owner, method)

    def timed(*given: object) -> object:
        begin = perf_counter()
        try:
            return known(*given)
        finally:
            times[name] += perf_counter() - begin

    setattr(owner, method, timed)
    try:
        yield
    finally:
        setattr(owner, method, known)


_STEPS: dict[str, tuple[type, str]] = {
    "begin to send": (SentSlot, "send"),
    "wait for what is sent": (SentSlot, "taken"),
    "start, waiting included": (StreamRun, "start"),
    "finish": (StreamRun, "finish"),
}


def measure(
    device: Device, size: int, memory: str, rounds: int, *, in_all_ways: bool
) -> Iterator[Row]:
    """A row for the copy, one for each way to send if wanted, and one for each run."""
    context = make_context()
    module, text = load_module(PROGRAM, context), text_of(size)
    part = text[:PERIOD]
    expected = run_module(module, {INPUT: part}, device=device, context=context)
    rate = copy_rate(device)
    yield {"case": "copy", "device": device.info.label, "gb_per_s": round(rate, 2)}
    if in_all_ways:
        yield from ways(device, text[:SENT_IN_EACH_WAY])
    for number in range(rounds):
        with host_times() as times:
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
            "total_ms": round(run.total_ns / 1e6, 1),
            "host_ms": {name: round(each * 1e3, 1) for name, each in times.items()},
        }


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=64)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--device")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", action="store_true", help="compare ways to send data, too")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    rows = list[Row]()
    size = int(arguments.gigabytes * 1e9)
    measured = measure(
        *(device, size, arguments.memory, arguments.rounds), in_all_ways=arguments.ways
    )
    for row in measured:
        rows.append(row)
        print(*(f"{key}={value}" for key, value in row.items()), flush=True)
    write(arguments.output, record(["numpy", "pyopencl"], rows))


if __name__ == "__main__":
    main()
