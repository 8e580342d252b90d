"""
What a cluster of Dask costs, and how it scales: on this machine, measured, and on 1000 workers,
simulated with what was measured and a network that is injected.

    python -m benchmarks.distributed --megabytes 768 --output benchmarks/results/distributed.json

Each worker is a process that is held to one core, so that one worker does not use all of them;
workers beyond the cores share these. A round starts a cluster of each size, in an order of its own.
The rows:

- `scaling`: wall-clock time from handing out shards to the answer, the time before that in which
  the program is cut, the speedup over one worker, and the efficiency, which is the speedup by the
  cores that workers have. Others who use the machine make that worse, so there is the processor
  time of the busiest worker, too, and by that the efficiency that they would have on cores of their
  own.
- `overhead`: what a task takes that does nothing, and what a shard takes on a worker, a merge, and
  a part that travels.
- `simulated`: `benchmarks.cluster_model` with these constants, on so many workers of which each has
  the same number of shards. The sizes that were measured come first, to compare.
"""

from __future__ import annotations

import argparse
import os
import pickle
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, LocalCluster, Worker, WorkerPlugin

from benchmarks.cluster_model import Costs, simulate
from benchmarks.records import Row, milliseconds, record, write
from benchmarks.streams import make_text
from vyre_dialect import distributed
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.runtime.distributed.cluster import ARITY, Cluster, connected
from vyre_dialect.runtime.distributed.parts import Part, merged
from vyre_dialect.runtime.distributed.worker import Wishes
from vyre_dialect.runtime.opencl.results import RunResult

PROGRAM = "examples/base64_patterns.mlir"
INPUT = "encoded"
MEASURED = (1, 2, 4)
SIMULATED = (1, 2, 4, 16, 64, 256, 1000)
SHARDS_PER_WORKER = 16
SHARDS_BYTES = 64 << 20, 512 << 20
"""About what shards have with the default `--memory`, and with 2GiB."""
WARM_UP = 3
"""Runs before: shards of every kind are to come to every worker."""
TASKS = 2000
"""That do nothing."""
LATENCY_S = 0.5e-3
LINE_BYTES_PER_S = 1.25e9
"""Of each worker: 10 Gbit/s."""


class OneCore(WorkerPlugin):
    """Holds each worker to a core, by its number, before it starts a thread of a device."""

    name = "one-core"

    def setup(self, worker: Worker) -> None:
        """Hold the process, and all that it starts."""
        cores = sorted(os.sched_getaffinity(0))
        mine = {cores[int(str(worker.name)) % len(cores)]}
        for thread in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(thread), mine)


@contextmanager
def cluster(workers: int) -> Generator[Any]:
    """A client of so many workers, each a process of one thread on one core."""
    make: Any = LocalCluster
    with (
        make(n_workers=workers, threads_per_worker=1, dashboard_address=None) as local,
        Client(local, set_as_default=False) as client,
    ):
        client.register_plugin(OneCore())
        yield client


def run(path: Path, client: Any, device: str | None) -> RunResult:
    """One run on all workers."""
    return distributed.run(PROGRAM, {INPUT: path}, scheduler=client, device=device)


class Timed(NamedTuple):
    """What a run has taken, in seconds."""

    planning: float
    total: float
    """From handing out its shards to the answer."""
    processor: float
    """Processor time of the worker that has had the most to do."""


def time_runs(path: Path, client: Any, device: str | None, runs: int) -> list[Timed]:
    """Runs behind those in which all is compiled. Exits where an answer differs."""
    expected = run(path, client, device).outputs
    for _ in range(WARM_UP - 1):
        run(path, client, device)
    timed = list[Timed]()
    for _ in range(runs):
        before = client.run(process_time)
        found = run(path, client, device)
        after = client.run(process_time)
        for name, array in expected.items():
            if not np.array_equal(found.outputs[name], array):
                raise SystemExit("two runs have other answers")
        busiest = max(after[worker] - before[worker] for worker in before)
        timed.append(Timed((found.compile_ns or 0) / 1e9, found.total_ns / 1e9, busiest))
    return timed


def scaling(path: Path, device: str | None, rounds: int, runs: int) -> dict[int, list[Timed]]:
    """For each number of workers, all runs."""
    found: dict[int, list[Timed]] = {workers: [] for workers in MEASURED}
    random = Random(0)
    for _ in range(rounds):
        for workers in random.sample(MEASURED, len(MEASURED)):
            with cluster(workers) as client:
                found[workers] += time_runs(path, client, device, runs)
    return found


def scaling_rows(found: dict[int, list[Timed]], size: int) -> Iterator[Row]:
    """What a table shows of them."""
    cores = len(os.sched_getaffinity(0))
    one = median(each.total for each in found[1])
    busy = median(each.processor for each in found[1])
    for workers, runs in found.items():
        seconds = [each.total for each in runs]
        busiest = median(each.processor for each in runs)
        yield {
            "case": "scaling",
            "workers": workers,
            "cores": min(workers, cores),
            **milliseconds(seconds),
            "planning_ms": round(median(each.planning for each in runs) * 1e3, 1),
            "gb_per_s": round(size / median(seconds) / 1e9, 2),
            "speedup": round(one / median(seconds), 2),
            "efficiency": round(one / median(seconds) / min(workers, cores), 2),
            "busiest_processor_ms": round(busiest * 1e3, 1),
            "processor_efficiency": round(busy / busiest / workers, 2),
        }


def nothing(number: int) -> int:
    """A task without work."""
    return number


def task_seconds(device: str | None) -> float:
    """What the scheduler takes for a task, and the workers for handing it in and out."""
    with cluster(2) as client, connected(client, Wishes.of(device)) as found:
        _many(found, TASKS // 10)
        return median(_many(found, TASKS) for _ in range(3)) / TASKS


def _many(found: Cluster, tasks: int) -> float:
    begin = perf_counter()
    found.client.gather(found.map(nothing, range(tasks)))
    return perf_counter() - begin


def part(number: int) -> Part:
    """What a shard of the program gives: as large as it is."""
    kept = {"matches": np.arange(8, dtype=np.int32), "more": np.arange(8, dtype=np.int64)}
    return Part(number, number + 1, kept, {}, {}, (), "device")


def merge_seconds() -> float:
    """What a merge of parts takes."""
    parts = [part(number) for number in range(ARITY)]
    kinds = dict.fromkeys(parts[0].kept, AtomicKind.ADDI)
    times = list[float]()
    for _ in range(100):
        begin = perf_counter()
        merged(kinds, *parts)
        times.append(perf_counter() - begin)
    return median(times)


def simulated_rows(costs: Costs, sizes: Sequence[int]) -> Iterator[Row]:
    """Weak scaling: each worker has the same number of shards, of one size after the other."""
    for size in sizes:
        grown = replace(
            costs, shard_bytes=size, run_s=costs.run_s * size / max(1, costs.shard_bytes)
        )
        alone = simulate(1, SHARDS_PER_WORKER, grown, ARITY).seconds
        for workers in SIMULATED:
            outcome = simulate(workers, SHARDS_PER_WORKER * workers, grown, ARITY)
            yield {
                "case": "simulated",
                "workers": workers,
                "shards": outcome.shards,
                "merges": outcome.merges,
                "shard_mib": size >> 20,
                "seconds": round(outcome.seconds, 3),
                "gb_per_s": round(outcome.shards * size / outcome.seconds / 1e9, 2),
                "efficiency": round(alone / outcome.seconds, 3),
            }


def measure(path: Path, device: str | None, rounds: int, runs: int) -> Iterator[Row]:
    """All rows."""
    size = path.stat().st_size
    found = scaling(path, device, rounds, runs)
    yield from scaling_rows(found, size)
    costs = Costs(
        scheduler_s=task_seconds(device),
        run_s=median(each.processor for each in found[1]) * SHARDS_BYTES[0] / size,
        merge_s=merge_seconds(),
        shard_bytes=SHARDS_BYTES[0],
        part_bytes=len(pickle.dumps(part(0))),
        latency_s=LATENCY_S,
        bytes_per_s=LINE_BYTES_PER_S,
    )
    yield {
        "case": "overhead",
        "task_us": round(costs.scheduler_s * 1e6, 1),
        "shard_ms": round(costs.run_s * 1e3, 2),
        "shard_mib": costs.shard_bytes >> 20,
        "merge_us": round(costs.merge_s * 1e6, 1),
        "part_bytes": costs.part_bytes,
        "injected_latency_us": LATENCY_S * 1e6,
        "injected_line_gb_per_s": LINE_BYTES_PER_S / 1e9,
    }
    yield from simulated_rows(costs, SHARDS_BYTES)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=768)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=3, help="of each cluster of a round")
    parser.add_argument("--device")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rows = list[Row]()
    with TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder, "text.b64")
        make_text(path, arguments.megabytes * 10**6)
        for row in measure(path, arguments.device, arguments.rounds, arguments.runs):
            rows.append(row)
            print(*(f"{key}={value}" for key, value in row.items()), flush=True)
    write(arguments.output, record(["distributed", "numpy", "pyopencl"], rows))


if __name__ == "__main__":
    main()
