"""
The tuner next to an exhaustive sweep of the same choices, in one process on the same buffers.

    python -m benchmarks.tuning_quality --mib 4 --output tuning.json

For each example: the choices that the tuner found within a share of the evaluations, and the best
of all, run by turns with the default; and how long the device was busy for either.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.records import record, write
from benchmarks.workloads import MAKERS, make
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import load_module, make_context
from vyre_dialect.runtime.tuning.configuration import Configurations
from vyre_dialect.runtime.tuning.device_bench import DeviceBench
from vyre_dialect.runtime.tuning.measurement import measure
from vyre_dialect.runtime.tuning.tuner import Candidate, Limits, Tuner

AXES = ("vyre.program.workgroup_size", "vyre-coarsen.items", "vyre-aggregate-atomics.scope")
ROUNDS = 15


def _watch(candidate: Candidate, number: int, count: int) -> None:
    print(f"\r{number} of {count} ", end="", flush=True)


def compare(
    name: str, device: Device, size: int, axes: list[str], share: float
) -> dict[str, object]:
    """The figures of one example."""
    context = make_context()
    workload = make(name, size)
    module = load_module(workload.path, context)
    every = Configurations.of(module, device.info)
    chosen = tuple(axis for axis in every.axes if axis.name in axes)
    configurations = Configurations(every.module, every.optimize, chosen)
    inputs = {"encoded": workload.encoded}
    bench = DeviceBench(configurations, Session(device), inputs, context)
    space = configurations.space
    evaluations = max(1, round(share * len(space)))
    tuned, swept = (
        Tuner(space, configurations.choices, bench, Limits(limit), _watch).tune()
        for limit in (evaluations, len(space))
    )
    runs = [bench.build(each)[1] for each in (tuned.choices, swept.choices, configurations.default)]
    tuned_ns, best_ns, default_ns = (
        timing.ns or 0 for timing in measure(runs, rounds=ROUNDS, races=False)
    )
    return {
        "workload": name,
        "configurations": len(space),
        "evaluations": evaluations,
        "tuned_us": round(tuned_ns / 1e3, 1),
        "best_us": round(best_ns / 1e3, 1),
        "default_us": round(default_ns / 1e3, 1),
        "tuned_over_best": round(tuned_ns / best_ns, 3),
        "share_of_device_time": round(tuned.device_ns / swept.device_ns, 3),
        "noise": round(tuned.noise, 3),
        "choices": dict(tuned.choices),
        "best_choices": dict(swept.choices),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The tuner next to an exhaustive sweep.")
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--mib", type=int, default=4, help="encoded input, in MiB")
    parser.add_argument("--only", nargs="*", choices=list(MAKERS), default=list(MAKERS))
    parser.add_argument("--axes", nargs="*", default=list(AXES), help="what may be chosen")
    parser.add_argument("--share", type=float, default=0.1, help="of the sweep's evaluations")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    rows = list[dict[str, object]]()
    for name in arguments.only:
        row = compare(name, device, arguments.mib << 20, arguments.axes, arguments.share)
        rows.append(row)
        print(row, flush=True)
    write(arguments.output, record(("pyopencl", "numpy"), rows) | {"device": device.info.label})


if __name__ == "__main__":
    main()
