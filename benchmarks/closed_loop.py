"""
The loop of timings that steer: cold, then compiled by the hot-path table, then tuned.

    XDG_CACHE_HOME=$(mktemp -d) python -m benchmarks.closed_loop --mib 16 --output loop.json

Each example runs with the default first, which fills the table of its device; then with the passes
that the table selects; then with what the tuner decides. Every answer is compared with Python's.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import StringAttr

from benchmarks.records import record, write
from benchmarks.workloads import MAKERS, make
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.program.compilation import load_module, make_context
from vyre_dialect.runtime.program.execute import run_module
from vyre_dialect.runtime.program.programs import find_program
from vyre_dialect.runtime.program.results import RunResult
from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile
from vyre_dialect.runtime.tuning.tuned import Mode, Tuning
from vyre_dialect.runtime.tuning.tuner import Candidate, Limits
from vyre_dialect.tuning import changed


def _watch(candidate: Candidate, number: int, count: int) -> None:
    print(f"\r{number} of {count} ", end="", flush=True)


def loop(name: str, device: Device, size: int, repeat: int, evaluations: int) -> dict[str, object]:
    """The kernel times of one example, in µs, each time around."""
    context = make_context()
    workload = make(name, size)
    module = load_module(workload.path, context)
    find_program(module).entry_op_id = StringAttr(name)
    inputs = {"encoded": workload.encoded}

    def run(optimize: OptimizePass | None, mode: Mode) -> float:
        result = run_module(
            module,
            inputs,
            device=device,
            optimize=optimize,
            repeat=repeat,
            keep_times=True,
            tuner=mode,
            context=context,
        )
        for output, answer in workload.expected.items():
            if not np.array_equal(result.outputs[output].view(answer.dtype), answer):
                raise SystemExit(f"{name}: '{output}' is wrong")
        return _kernel_us(result)

    cold = run(None, Mode.OFF)
    kept = HotPathFile.of(device.info)
    assert kept is not None, "what is measured is kept"
    hinted = OptimizePass(hints=str(kept.file.path))
    profiled = run(hinted, Mode.OFF)
    tuning = Tuning.of(module, device, inputs, context)
    outcome = tuning.tune(Limits(evaluations), _watch)
    return {
        "workload": name,
        "cold_us": cold,
        "profiled_us": profiled,
        "tuned_us": run(None, Mode.CACHED),
        "noise": round(outcome.noise, 3),
        "choices": changed(outcome.choices, tuning.configurations.default),
    }


def _kernel_us(result: RunResult) -> float:
    return round(sum(arm.kernel_ns or 0 for arm in result.arms) / 1e3, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Cold, profiled, tuned.")
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--mib", type=int, default=16, help="encoded input, in MiB")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--evaluations", type=int, default=60)
    parser.add_argument("--only", nargs="*", choices=list(MAKERS), default=list(MAKERS))
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    rows = list[dict[str, object]]()
    for name in arguments.only:
        size = arguments.mib << 20
        row = loop(name, device, size, arguments.repeat, arguments.evaluations)
        rows.append(row)
        print(row, flush=True)
    write(arguments.output, record(("pyopencl", "numpy"), rows) | {"device": device.info.label})


if __name__ == "__main__":
    main()
