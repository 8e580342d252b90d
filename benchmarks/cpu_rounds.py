"""Rounds in which all ways to the answers of a workload take turns, on CPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from statistics import median
from time import perf_counter_ns, sleep
from typing import TypeAlias

import numpy as np

from benchmarks.memory_limits import HostLimits, MemoryLimits
from benchmarks.records import Row, milliseconds, ratio
from benchmarks.rivals import Answers, LeftOut, make_rival
from benchmarks.workloads import Workload
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import CompiledProgram

WARM_UP = 2
PAUSE_S = 0.001
"""After each way: threads that wait for more work spin for a while, beside the next one."""

KernelTime: TypeAlias = Callable[[], int] | None
"""Asks the device how many ns kernels took, if there are any."""


@dataclass(frozen=True)
class Way:
    """One way to the answers of a workload."""

    runtime: str
    """The OpenCL runtime, or the libraries of a rival."""
    form: str
    run: Callable[[], tuple[Answers, KernelTime]]

    def __str__(self) -> str:
        return f"{self.runtime} {self.form}"


@dataclass
class Times:
    """What the rounds took, in ns."""

    wall: list[int] = field(default_factory=list[int])
    kernel: list[int] = field(default_factory=list[int])


class Measurement:
    """One workload in all ways."""

    def __init__(self, workload: Workload, sessions: Mapping[str, Session]):
        self.workload, self._sessions = workload, sessions
        self._inputs = {name: each.put(workload.encoded) for name, each in sessions.items()}
        self._limits: dict[str, Callable[[], dict[str, int]]] = {
            name: partial(MemoryLimits(each, workload.encoded).measure, self._inputs[name])
            for name, each in sessions.items()
        }
        self._limits["host"] = HostLimits(workload.encoded).measure
        self._ways: list[Way] = []
        self.times: dict[tuple[str, str], Times] = {}
        self.left_out: dict[tuple[str, str], str] = {}

    def add_program(self, runtime: str, form: str, build: Callable[[], CompiledProgram]) -> None:
        """Add the program on a runtime, unless it or a pass refuses it."""
        try:
            executor = Executor(build(), self._sessions[runtime])
        except VyreError as error:
            self.left_out[runtime, form] = str(error)
            return
        inputs = {"encoded": self._inputs[runtime]}

        def run() -> tuple[Answers, KernelTime]:
            result = executor.run(inputs)
            return result.outputs, lambda: sum(arm.kernel_ns or 0 for arm in result.arms)

        self._ways.append(Way(runtime, form, run))

    def add_rival(self, name: str) -> None:
        """Add libraries, unless they are missing or have no form of the workload."""
        try:
            rival = make_rival(name, self.workload)
        except LeftOut as error:
            self.left_out[name, "rival"] = str(error)
            return
        self._ways.append(Way(name, "rival", lambda: (rival(), None)))

    def run(self, rounds: int) -> None:
        """Measure all ways, round by round, each time in another order: what ran before matters."""
        random = Random(0)
        for number in range(WARM_UP + rounds):
            for way in random.sample(self._ways, len(self._ways)):
                self._measure(way, is_kept=number >= WARM_UP)
            for runtime, measure in self._limits.items():
                for form, nanoseconds in measure().items() if number >= WARM_UP else ():
                    self._times(runtime, form).kernel.append(nanoseconds)

    def _measure(self, way: Way, *, is_kept: bool) -> None:
        sleep(PAUSE_S)
        begin = perf_counter_ns()
        answers, kernel_time = way.run()
        wall_ns = perf_counter_ns() - begin
        self._check(way, answers)
        if not is_kept:
            return
        times = self._times(way.runtime, way.form)
        times.wall.append(wall_ns)
        times.kernel += [] if kernel_time is None else [kernel_time()]

    def _times(self, runtime: str, form: str) -> Times:
        return self.times.setdefault((runtime, form), Times())

    def _check(self, way: Way, answers: Answers) -> None:
        for output, answer in self.workload.expected.items():
            if not np.array_equal(answers[output].view(answer.dtype), answer):
                raise SystemExit(f"{self.workload.name}: '{output}' of '{way}' is wrong")

    def rows(self, decoded: int) -> Iterator[Row]:
        """The figures of each way, `decoded` bytes by its time; of plain loops, encoded bytes."""
        for (runtime, form), times in sorted(self.times.items()):
            size = decoded if times.wall else self.workload.encoded.nbytes
            best = times.wall or times.kernel
            yield {
                "runtime": runtime,
                "form": form,
                "gb_per_s": round(size / median(best), 3),
                **({"wall": _spread(times.wall)} if times.wall else {}),
                **({"kernel": _spread(times.kernel)} if times.kernel else {}),
            }
        for (runtime, form), reason in self.left_out.items():
            yield {"runtime": runtime, "form": form, "left_out": reason}

    def ratios(self) -> Iterator[Row]:
        """
        How many times as fast the first of two is, as the median and the quartiles over the
        rounds: forms of a runtime by the time of their kernels, rivals by wall time.
        """
        runtimes = [name for name in self._sessions if (name, "fused") in self.times]
        for runtime in runtimes:
            fused = self.times[runtime, "fused"].kernel
            for form in ("unfused", "fused before", "unfused before"):
                if (runtime, form) in self.times:
                    other = self.times[runtime, form].kernel
                    yield _ratio(f"{runtime} fused", fused, f"{runtime} {form}", other)
        ours = {(name, "fused"): self.times[name, "fused"].wall for name in runtimes}
        rivals = {key: each.wall for key, each in self.times.items() if key[1] == "rival"}
        if ours and rivals:
            (fastest, _), (rival, _) = (_fastest(each) for each in (ours, rivals))
            times = self.times[fastest, "fused"].wall, self.times[rival, "rival"].wall
            yield _ratio(f"{fastest} fused", times[0], rival, times[1])


def _fastest(times: Mapping[tuple[str, str], Sequence[int]]) -> tuple[str, str]:
    return min(times, key=lambda key: median(times[key]))


def _spread(nanoseconds: Sequence[int]) -> Row:
    return milliseconds([each / 1e9 for each in nanoseconds])


def _ratio(name: str, own: Sequence[int], other_name: str, other: Sequence[int]) -> Row:
    return {"of": name, "over": other_name, **ratio(own, other)}
