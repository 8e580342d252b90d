"""
The tuner next to an exhaustive sweep of the same choices, in one process on the same buffers.

    python -m benchmarks.tuning_quality --output tuning.json

For each example, its program is tuned twice, within a share of the evaluations, and then swept:
every configuration is built, checked, warmed up, and gives five samples of at least 1 ms, none
given up. What the tuner chose, the three fastest of the sweep and the default then run by turns.
Device time is the sum of the event times of all kernels that the tuner ran, checks and finals
included, and of those of the sweep. Where the axes have too many combinations, the space is a
sample of them, always the same for a seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.records import record, write
from benchmarks.workloads import MAKERS, make
from vyre_dialect.ir.tuning import Choice, changed
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import load_module, make_context
from vyre_dialect.runtime.tuning.configuration import Configurations
from vyre_dialect.runtime.tuning.device_bench import DeviceBench
from vyre_dialect.runtime.tuning.measurement import ROUNDS, Run, measure
from vyre_dialect.runtime.tuning.search import ListedSpace, Space
from vyre_dialect.runtime.tuning.tuner import Bench, Candidate, CandidateError, Limits, Tuner

AXES = (
    "vyre.program.workgroup_size",
    "vyre-decode-scan-fuse",
    "vyre-coarsen.items",
    "vyre-coarsen.groups",
    "vyre-privatize-reductions.scope",
)
COMPARED_ROUNDS = 14
FASTEST = 3
"""Configurations of the sweep that are compared with what was tuned."""


class BuiltOnce(Bench):
    """A bench that builds each configuration once, for the tuner and the sweep."""

    def __init__(self, bench: DeviceBench):
        self._bench = bench
        self._built: dict[tuple[Choice, ...], tuple[str, Run] | CandidateError] = {}
        self._by_kernels: dict[str, Run] = {}

    @property
    def device_ns(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._bench.device_ns

    def build(self, choices: Mapping[str, Choice]) -> tuple[str, Run]:
        key = tuple(choices.values())
        if key not in self._built:
            self._built[key] = self._build(choices)
        built = self._built[key]
        if isinstance(built, CandidateError):
            raise built
        return built

    def _build(self, choices: Mapping[str, Choice]) -> tuple[str, Run] | CandidateError:
        try:
            kernels, run = self._bench.build(choices)
        except CandidateError as error:
            return error
        return kernels, self._by_kernels.setdefault(kernels, run)

    def check(self, run: Run) -> int:
        return self._bench.check(run)

    def move(self) -> None:
        self._bench.move()


def some_of(space: Space, count: int, seed: int) -> Space:
    """So many points of a space, the first one among them, or all where it has no more."""
    if len(space) <= count:
        return space
    random = np.random.default_rng(seed)
    points = {space.first: None}
    while len(points) < count:
        points[tuple(map(int, space.some(1, random)[0]))] = None
    return ListedSpace(space.sizes, space.first, np.array(list(points)), space.expert)


def swept(bench: Bench, every: Sequence[Mapping[str, Choice]]) -> list[tuple[float, Run]]:
    """The times of all configurations that run, the fastest first, and what runs them."""
    runs = dict[str, Run]()
    for choices in every:
        try:
            kernels, run = bench.build(choices)
            if kernels not in runs:
                bench.check(run)
                runs[kernels] = run
        except CandidateError as error:
            print(f"{choices}: {error}")
    timings = measure(list(runs.values()), rounds=ROUNDS, races=False)
    timed = zip((timing.ns for timing in timings), runs.values(), strict=True)
    return sorted(((ns, run) for ns, run in timed if ns is not None), key=lambda each: each[0])


class Example:
    """An example on a device, with the configurations that are compared."""

    def __init__(self, name: str, device: Device, arguments: argparse.Namespace):
        context = make_context()
        workload = make(name, arguments.kib << 10)
        every = Configurations.of(load_module(workload.path, context), device.info)
        chosen = tuple(axis for axis in every.axes if axis.name in arguments.axes)
        self._name = name
        self._configurations = Configurations(every.module, every.optimize, chosen)
        self._space = some_of(self._configurations.space, arguments.configurations, arguments.seed)
        self._evaluations = max(1, round(arguments.share * len(self._space)))
        inputs = {"encoded": workload.encoded}
        session = Session(device)
        self._bench = BuiltOnce(DeviceBench(self._configurations, session, inputs, context))

    def figures(self) -> dict[str, object]:
        """What the tuner found next to the best."""
        choices, default = self._configurations.choices, self._configurations.default
        first, second = self._tuned(self._evaluations), self._tuned(self._evaluations)
        begin_ns = self._bench.device_ns
        ranking = swept(self._bench, [choices(tuple(map(int, row))) for row in self._space.all()])
        sweep_ns = self._bench.device_ns - begin_ns
        raced = self._tuned(len(self._space))
        runs = [self._run(each) for each in (default, first.choices, second.choices)]
        runs += [run for _, run in ranking[:FASTEST]]
        apart = list(dict.fromkeys(runs))  # what is the same takes the same
        timings = measure(apart, rounds=COMPARED_ROUNDS, races=False)
        ns = {run: timing.ns or 0.0 for run, timing in zip(apart, timings, strict=True)}
        default_ns, first_ns, second_ns = (ns[run] for run in runs[:3])
        best_ns = min(ns.values())
        return {
            "workload": self._name,
            "combinations": len(self._configurations.space),
            "configurations": len(self._space),
            "kernels": len(ranking),
            "evaluations": self._evaluations,
            "tuned_us": round(first_ns / 1e3, 1),
            "best_us": round(best_ns / 1e3, 1),
            "default_us": round(default_ns / 1e3, 1),
            "worst_us": round(ranking[-1][0] / 1e3, 1),
            "tuned_over_best": round(first_ns / best_ns, 3),
            "tuned_over_default": round(first_ns / default_ns, 3),
            "second_over_first": round(second_ns / first_ns, 3),
            "noise": [round(each.noise, 3) for each in (first, second)],
            "device_ms": [round(each.device_ns / 1e6, 1) for each in (first, second)],
            "sweep_ms": round(sweep_ns / 1e6, 1),
            "share_of_sweep": round(first.device_ns / sweep_ns, 3),
            "share_of_raced_sweep": round(first.device_ns / raced.device_ns, 3),
            "choices": [changed(each.choices, default) for each in (first, second)],
        }

    def _tuned(self, evaluations: int):
        choices, limits = self._configurations.choices, Limits(evaluations)
        return Tuner(self._space, choices, self._bench, limits, _watch).tune()

    def _run(self, choices: Mapping[str, Choice]) -> Run:
        return self._bench.build(choices)[1]


def _watch(candidate: Candidate, number: int, count: int) -> None:
    print(f"\r{number} of {count} ", end="", flush=True)


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description="The tuner next to an exhaustive sweep.")
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--kib", type=int, default=4096, help="encoded input, in KiB")
    parser.add_argument("--only", nargs="*", choices=list(MAKERS), default=list(MAKERS))
    parser.add_argument("--axes", nargs="*", default=list(AXES), help="what may be chosen")
    parser.add_argument("--configurations", type=int, default=16, help="how many are swept at most")
    parser.add_argument("--seed", type=int, default=0, help="of the sample that is swept")
    parser.add_argument("--share", type=float, default=0.34, help="of the sweep's evaluations")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    rows = list[dict[str, object]]()
    for name in arguments.only:
        rows.append(Example(name, device, arguments).figures())
        print(rows[-1], flush=True)
    recorded = record(("pyopencl", "numpy"), rows) | {"device": device.info.label}
    recorded |= {"axes": arguments.axes, "seed": arguments.seed, "kib": arguments.kib}
    write(arguments.output, recorded)


if __name__ == "__main__":
    main()
