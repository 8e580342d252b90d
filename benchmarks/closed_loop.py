"""
The loop of timings that steer: cold, then compiled by the hot-path table, then tuned.

    XDG_CACHE_HOME=$(mktemp -d) python -m benchmarks.closed_loop --output loop.json

A program runs with the default first, which fills the table of its device; then with the passes
that the table selects; then it is tuned, if the table says that it is hot. In the end all forms run
by turns, on the same buffers. Every answer is compared with Python's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import StringAttr

from benchmarks.records import record, write
from benchmarks.workloads import MAKERS, Workload, make
from vyre_dialect.ir.tuning import changed
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import DeviceArray, Session
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.program.programs import find_program
from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile
from vyre_dialect.runtime.tuning.hot_programs import is_hot
from vyre_dialect.runtime.tuning.measurement import measure
from vyre_dialect.runtime.tuning.recording import keep_times
from vyre_dialect.runtime.tuning.tuned import Tuning
from vyre_dialect.runtime.tuning.tuner import Candidate, Limits

PROGRAMS = Path(__file__).resolve().parent / "programs"
SAMPLED = "sampled_words"
ROUNDS = 14


def sampled_words(size: int) -> Workload:
    """Random words, and how many of them the program samples."""
    words = np.random.default_rng(0).integers(0, 1 << 32, size // 4, dtype=np.uint32)
    hashes = words.copy()
    for _ in range(16):
        hashes ^= hashes << np.uint32(13)
        hashes ^= hashes >> np.uint32(17)
        hashes ^= hashes << np.uint32(5)
    count = np.count_nonzero(hashes & np.uint32(0xFFF) == 0)
    return Workload(SAMPLED, words.view(np.int32), {"count": np.array([count], np.int32)})


class Loop:
    """A program on a device, in the forms that it takes one after another."""

    def __init__(self, name: str, device: Device, size: int):
        self._name, self._context = name, make_context()
        self._workload = sampled_words(size) if name == SAMPLED else make(name, size)
        path = PROGRAMS / f"{name}.mlir" if name == SAMPLED else self._workload.path
        self._module = load_module(path, self._context)
        find_program(self._module).entry_op_id = StringAttr(name)
        self._source = find_program(self._module)
        self._session = Session(device)
        (input_name,) = (b.sym_name.data for b in self._source.buffers() if not b.type.writable)
        self._inputs = {input_name: self._workload.encoded}
        self._resident = {k: self._session.put(v) for k, v in self._inputs.items()}

    def figures(self, repeat: int, evaluations: int) -> dict[str, object]:
        """The kernel times, in µs, each time around."""
        device = self._session.device
        cold = self._executor()
        self._run(cold, self._inputs, repeat)
        kept = HotPathFile.of(device.info)
        assert kept is not None, "what is measured is kept"
        hot = is_hot(self._module, device)
        profiled = self._executor(OptimizePass(hints=str(kept.file.path)))
        tuning = Tuning.of(self._module, device, self._inputs, self._context)
        outcome = tuning.tune(Limits(evaluations), _watch)
        tuned = self._executor(tuned_by=(tuning, outcome.choices))
        runs = [self._timed(each) for each in (cold, profiled, tuned)]
        times = [timing.ns or 0.0 for timing in measure(runs, rounds=ROUNDS, races=False)]
        return {
            "program": self._name,
            "hot": hot,
            "cold_us": round(times[0] / 1e3, 1),
            "profiled_us": round(times[1] / 1e3, 1),
            "tuned_us": round(times[2] / 1e3, 1),
            "same_kernels_by_profile": cold.compiled.source == profiled.compiled.source,
            "noise": round(outcome.noise, 3),
            "device_ms": round(outcome.device_ns / 1e6, 1),
            "choices": changed(outcome.choices, tuning.configurations.default),
        }

    def _executor(
        self,
        optimize: OptimizePass | None = None,
        tuned_by: tuple[Tuning, Mapping[str, int | str | bool]] | None = None,
    ) -> Executor:
        module = self._module
        if tuned_by is not None:
            tuning, choices = tuned_by
            module, optimize = tuning.configurations.apply(choices)
        info = self._session.device.info
        compiled = compile_module(module, optimize=optimize, context=self._context, device=info)
        executor = Executor(compiled, self._session)
        self._check(executor)
        return executor

    def _run(self, executor: Executor, inputs: Mapping[str, np.ndarray], repeat: int) -> None:
        """Let the hot-path table know, as `vyre run` does."""
        runs = [executor.run(inputs) for _ in range(repeat)]
        keep_times(self._session.device.info, self._source, executor.compiled, runs)

    def _check(self, executor: Executor) -> None:
        outputs = executor.run(self._resident).outputs
        for output, answer in self._workload.expected.items():
            if not np.array_equal(outputs[output].view(answer.dtype), answer):
                raise SystemExit(f"{self._name}: '{output}' is wrong")

    def _timed(self, executor: Executor) -> Callable[[], int]:
        live = [each.sym_name.data for each in executor.compiled.program.buffers() if each.live_out]
        resident: Mapping[str, DeviceArray] = self._resident
        return lambda: sum(arm.kernel_ns or 0 for arm in executor.run(resident, resident=live).arms)


def _watch(candidate: Candidate, number: int, count: int) -> None:
    print(f"\r{number} of {count} ", end="", flush=True)


def main() -> None:
    """Run it from the command line."""
    known = [SAMPLED, *MAKERS]
    parser = argparse.ArgumentParser(description="Cold, profiled, tuned.")
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--mib", type=int, default=4, help="encoded input, in MiB")
    parser.add_argument("--repeat", type=int, default=15, help="runs that fill the table")
    parser.add_argument("--evaluations", type=int, default=40)
    parser.add_argument("--only", nargs="*", choices=known, default=[SAMPLED])
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    device = choose_device(arguments.device)
    rows = list[dict[str, object]]()
    for name in arguments.only:
        loop = Loop(name, device, arguments.mib << 20)
        rows.append(loop.figures(arguments.repeat, arguments.evaluations))
        print(rows[-1], flush=True)
    write(arguments.output, record(("pyopencl", "numpy"), rows) | {"device": device.info.label})


if __name__ == "__main__":
    main()
