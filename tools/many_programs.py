"""
Compares generated programs on all devices with the interpreter, on all cores, for so many seconds.

    python -m tools.many_programs --seconds 480 --seed 300000 --output build/programs.json

Each core runs `tests/fuzz/test_devices.py` on a few programs at a time, in a process of its own:
a compiler that ends its process ends no other program's. A run is told by its seed, which draws
its programs again:

    VYRE_FUZZ_SEED=300000 VYRE_FUZZ_EXAMPLES=16 pytest -n0 tests/fuzz/test_devices.py
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain, count
from pathlib import Path

from benchmarks.records import record, write
from vyre_dialect.runtime.opencl.devices import list_devices

ROOT = Path(__file__).resolve().parent.parent
TESTS = {
    "policy": "test_many_programs_give_what_the_interpreter_says",
    "schedules": "test_many_programs_give_so_by_any_schedule",
}
SEEDS_PER_CORE = 1000


@dataclass(frozen=True)
class Run:
    """What became of a few programs, on all devices."""

    seed: int
    programs: int
    outcome: str
    """`right`, `failed`, `skipped`, `cut off` by the time, or which signal ended the process."""


@dataclass(frozen=True)
class Campaign:
    """What is asked for."""

    test: str
    programs: int
    """For each process."""
    end: float
    """By `time.monotonic()`, in seconds."""
    logs: Path
    """Where the output goes of runs that were not right."""

    def runs(self, first_seed: int) -> Iterator[Run]:
        """The runs of one core, until the time is over."""
        for seed in count(first_seed):
            if (left := self.end - time.monotonic()) <= 0:
                return
            yield self._run(seed, left)

    def _run(self, seed: int, seconds: float) -> Run:
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-n0", "-p", "no:cacheprovider"]
        command += ["tests/fuzz/test_devices.py", "-k", self.test]
        with tempfile.TemporaryDirectory() as folder:
            variables = {
                "VYRE_FUZZ_SEED": str(seed),
                "VYRE_FUZZ_EXAMPLES": str(self.programs),
                "VYRE_NO_CACHE": "1",
                "XDG_CACHE_HOME": folder,
                "POCL_CACHE_DIR": folder,
            }
            try:
                done = subprocess.run(
                    command,
                    cwd=ROOT,
                    env=os.environ | variables,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=seconds,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return Run(seed, self.programs, "cut off")
        outcome = _outcome(done.returncode, done.stdout)
        if outcome != "right":
            (self.logs / f"{seed}.log").write_bytes(done.stdout)
        return Run(seed, self.programs, outcome)


def _outcome(status: int, said: bytes) -> str:
    if status < 0:
        return signal.Signals(-status).name
    if status:
        return "failed"
    return "skipped" if b" skipped" in said else "right"  # as where a device does not work


def main() -> None:
    """Draw, compare, and write what became of each run."""
    parser = argparse.ArgumentParser(description="Compare many programs on all devices.")
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--seed", type=int, default=0, help=f"of the first of {SEEDS_PER_CORE}")
    parser.add_argument("--programs", type=int, default=16, help="in a process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--test", choices=TESTS, default="policy")
    parser.add_argument("--output", type=Path, default=ROOT / "build/programs.json")
    given = parser.parse_args()
    logs = given.output.parent / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + given.seconds
    campaign = Campaign(TESTS[given.test], given.programs, end, logs)

    def runs_of(core: int) -> list[Run]:
        return list(campaign.runs(given.seed + core * SEEDS_PER_CORE))

    with ThreadPoolExecutor(given.jobs) as pool:
        runs = list(chain.from_iterable(pool.map(runs_of, range(given.jobs))))
    totals = Counter[str]()
    for run in runs:
        totals[run.outcome] += run.programs
    devices = [each.info for each in list_devices() if not each.info.simulator]
    write(
        given.output,
        record(["xdsl", "pyopencl"], [asdict(run) for run in runs if run.outcome != "right"])
        | {"seed": given.seed, "test": given.test, "programs": totals}
        | {"devices": [f"{each.label}, {each.driver}" for each in devices]},
    )
    print(*(f"{outcome}: {programs} programs" for outcome, programs in totals.items()), sep="\n")


if __name__ == "__main__":
    main()
