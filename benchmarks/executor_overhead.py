"""
What `Executor.run` costs over the same launches written by hand in pyopencl.

    python -m benchmarks.executor_overhead --output overhead.json

Programs of one and of several arms, each a kernel of about 20 µs on inputs that stay on the device,
are run by turns by the executor and by hand: enqueue every kernel, then wait. Kernels of memory
stream through the caches, so that the host finds nothing there afterwards; those of arithmetic
leave them alone. The launches by hand write to the same outputs each time, whereas every run has
outputs of its own. Figures are medians of wall time.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from typing import NamedTuple

import numpy as np

from benchmarks.records import record, write
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_build import build_kernels
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import (
    CompiledProgram,
    compile_module,
    make_context,
    parse_module,
)
from vyre_dialect.runtime.program.results import RunResult

KERNEL_NS = 20_000
ARMS = (1, 4)
_MOST_WORK = 1 << 26


class Work(NamedTuple):
    """What a kernel does."""

    elements: int
    """Elements of the buffers it reads and writes."""
    steps: int
    """What it computes for each: so many multiplications, one after another."""


GROWING: dict[str, Callable[[int], Work]] = {
    "memory": lambda size: Work(elements=1024 * size, steps=1),
    "arithmetic": lambda size: Work(elements=1024, steps=size),
}
"""Kernels, by a size that is to be found."""


def program_text(arms: int, work: Work) -> str:
    """A program of so many arms, each with an output of its own."""
    type = f"!vyre.buffer<{work.elements}xi32, "
    lines = [f"vyre.program @p workgroup_size [64] {{\n %in = vyre.buffer @in : {type}read_only>"]
    for n in range(arms):
        declared = f"vyre.buffer @out{n} live_out initial undefined : {type}read_write>"
        lines.append(f" %out{n} = {declared}")
    for n in range(arms):
        lines.append(
            f' vyre.region "arm{n}" invocations [{work.elements}] {{\n'
            f"  %i = vyre.invocation_id x\n  %odd = arith.constant {2 * n + 3} : i32\n"
            f"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
            f"  %steps = arith.constant {work.steps} : index\n"
            f"  %x = vyre.load %in[%i] : {type}read_only> -> i32\n"
            f"  %y = scf.for %s = %c0 to %steps step %c1 iter_args(%v = %x) -> (i32) {{\n"
            f"   %w = arith.muli %v, %odd : i32\n   %u = arith.xori %w, %x : i32\n"
            f"   scf.yield %u : i32\n  }}\n"
            f"  vyre.store %y, %out{n}[%i] : i32, {type}read_write>\n }}"
        )
    return "\n".join([*lines, "}\n"])


class Pair:
    """A program on the executor, and its launches by hand."""

    def __init__(self, session: Session, arms: int, work: Work):
        context = make_context()
        compiled = compile_module(
            parse_module(program_text(arms, work), context),
            optimize=OptimizePass(profile="dataflow"),  # each arm a kernel of its own
            context=context,
            device=session.device.info,
        )
        self._session, self._elements = session, work.elements
        self._executor = Executor(compiled, session)
        self._inputs = {"in": session.put(np.arange(work.elements, dtype=np.int32))}
        self._resident = [f"out{n}" for n in range(arms)]
        self._by_hand = self._launches(compiled, arms)

    def _launches(self, compiled: CompiledProgram, arms: int) -> Callable[[], None]:
        import pyopencl as cl

        built = build_kernels(self._session.context, self._session.device, compiled.source)
        grids = [_grid(compiled, op) for op in compiled.program.walk() if isinstance(op, LaunchOp)]
        assert len(grids) == arms, "every arm is a kernel"
        kernels = [cl.Kernel(built, name) for name, _, _ in grids]
        queue, size = self._session.queue, 4 * self._elements
        # A kernel does not keep its arguments alive.
        self._outputs = outputs = [
            cl.Buffer(self._session.context, cl.mem_flags.READ_WRITE, size) for _ in kernels
        ]
        for kernel, output in zip(kernels, outputs, strict=True):
            kernel.set_args(self._inputs["in"].buffer.handle, output)

        launches = [
            (kernel, total, workgroup)
            for kernel, (_, total, workgroup) in zip(kernels, grids, strict=True)
        ]

        def launch() -> None:
            for kernel, total, workgroup in launches:
                cl.enqueue_nd_range_kernel(queue, kernel, total, workgroup)
            queue.finish()

        return launch

    def run(self) -> RunResult:
        """Run by the executor."""
        return self._executor.run(self._inputs, resident=self._resident)

    def kernel_ns(self) -> int:
        """The longest time of a kernel in a run by the executor."""
        return max(arm.kernel_ns or 0 for arm in self.run().arms)

    def times(self, rounds: int) -> tuple[float, float]:
        """Median wall times in ns: by the executor, and by hand."""
        found = dict[Callable[[], object], list[int]]()
        ways: tuple[Callable[[], object], ...] = (self.run, self._by_hand)
        for _ in range(rounds):
            for way in ways:
                begin = perf_counter_ns()
                way()
                found.setdefault(way, []).append(perf_counter_ns() - begin)
        executor, by_hand = (median(times) for times in found.values())
        return executor, by_hand


def _grid(compiled: CompiledProgram, op: LaunchOp) -> tuple[str, tuple[int], tuple[int]]:
    """The kernel of a launch along one axis, its invocations, and those of a workgroup."""
    name, (groups, *_) = op.kernel.string_value(), op.static_grid.get_values()
    size = compiled.kernels[name].workgroup[0]
    return name, (groups * size,), (size,)


def fitting(session: Session, work_of: Callable[[int], Work]) -> Work:
    """The work that takes a kernel about KERNEL_NS."""
    size = 1
    while size < _MOST_WORK:
        pair = Pair(session, 1, work_of(size))
        if median([pair.kernel_ns() for _ in range(50)]) >= KERNEL_NS:
            break
        size += 1 + size // 4
    return work_of(size)


def compared(pair: Pair, arms: int, rounds: int) -> dict[str, object]:
    """The figures of a program."""
    pair.times(20)
    executor, by_hand = pair.times(rounds)
    return {
        "kernel_us": round(median([pair.kernel_ns() for _ in range(50)]) / 1e3, 1),
        "executor_us": round(executor / 1e3, 1),
        "by_hand_us": round(by_hand / 1e3, 1),
        "ratio": round(executor / by_hand, 3),
        "more_per_arm_us": round((executor - by_hand) / arms / 1e3, 2),
    }


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description="The executor next to launches by hand.")
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    session = Session(choose_device(arguments.device))
    rows = list[dict[str, object]]()
    for kind, work_of in GROWING.items():
        work = fitting(session, work_of)
        for arms in ARMS:
            rows.append(
                {"kernels": kind, "arms": arms, **work._asdict()}
                | compared(Pair(session, arms, work), arms, arguments.rounds)
            )
            print(rows[-1], flush=True)
    recorded = record(("pyopencl", "numpy"), rows) | {"device": session.device.info.label}
    write(arguments.output, recorded)


if __name__ == "__main__":
    main()
