"""Clusters of several processes, of which some die, are slow, or come late: answers are exact."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from distributed import Client, SchedulerPlugin
from support.clusters import expected_peaks, local_cluster, peaks

from vyre_dialect import distributed
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.results import RunResult

pytestmark = pytest.mark.slow
WORKERS = 4
BYTES = 48_000_000
LITTLE = 4 << 20
"""Of this memory, a shard gets a quarter: there are some hundreds."""


class Finished(SchedulerPlugin):
    """Counts the shards that each worker has finished, also of those that had left by then."""

    def __init__(self) -> None:
        self.by_worker = Counter[str]()
        self.of_the_gone = dict[str, int]()

    def remove_worker(self, scheduler: Any, worker: str, **stimulus: Any) -> None:
        self.of_the_gone[worker] = self.by_worker[worker]

    def transition(self, key: Any, start: str, finish: str, *_: Any, **stimulus: Any) -> None:
        if "shard-task" in str(key) and finish == "memory" and start == "processing":
            self.by_worker[str(stimulus.get("worker"))] += 1


@contextmanager
def processes(count: int) -> Generator[tuple[Any, Any, Finished]]:
    """A cluster of so many processes, with a client of it and what its workers have finished."""
    with local_cluster(count) as local, Client(local, set_as_default=False) as client:
        finished = Finished()
        local.scheduler.add_plugin(finished)
        yield local, client, finished


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Array]:
    text = np.random.default_rng(11).integers(0, 256, BYTES, np.uint8)
    text.tofile(path := tmp_path_factory.mktemp("cluster") / "text")
    return path, text


class Running:
    """A run in a thread of its own, while something happens to its workers."""

    def __init__(self, path: Path, client: Any, device: Device):
        self._found = list[RunResult | BaseException]()
        self._arguments = path, client, device
        self._thread = Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        path, client, device = self._arguments
        try:
            self._found.append(
                distributed.run(
                    *(peaks(), {"text": path}),
                    scheduler=client,
                    device=device.info.platform,
                    memory=LITTLE,
                )
            )
        except BaseException as error:
            self._found.append(error)

    def until(self, holds: Callable[[], object]) -> None:
        """Return in mid-run, as soon as that holds."""
        while not holds():
            assert self._thread.is_alive(), "the run has ended before"
            time.sleep(0.002)

    def result(self) -> RunResult:
        self._thread.join(600)
        assert not self._thread.is_alive(), "the run hangs"
        (found,) = self._found
        if isinstance(found, BaseException):
            raise found
        return found


def verify(run: RunResult, text: Array) -> None:
    for name, array in expected_peaks(text).items():
        np.testing.assert_array_equal(run.outputs[name], array)


def pids(client: Any) -> dict[str, int]:
    return client.run(os.getpid)


@contextmanager
def slowed(*pids: int, rest: float = 0.09) -> Generator[None]:
    """Let processes run for 10 ms between rests of so many seconds."""
    over = Event()

    def pause() -> None:
        while not over.wait(0.01):
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            over.wait(rest)
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    thread = Thread(target=pause)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_worker_that_is_killed_loses_nothing(device: Device, file: tuple[Path, Array]) -> None:
    path, text = file
    with processes(WORKERS) as (_, client, finished):
        victim, pid = next(iter(pids(client).items()))
        running = Running(path, client, device)
        running.until(lambda: finished.by_worker.total() >= 20)
        os.kill(pid, signal.SIGKILL)
        running.until(lambda: victim in finished.of_the_gone)
        verify(running.result(), text)
        assert finished.by_worker[victim] == finished.of_the_gone[victim], "it has done no more"


def test_a_worker_that_is_slow_gets_less_to_do(device: Device, file: tuple[Path, Array]) -> None:
    path, text = file
    with processes(WORKERS) as (_, client, finished):
        slow, pid = next(iter(pids(client).items()))
        with slowed(pid):
            running = Running(path, client, device)
            verify(running.result(), text)
        assert finished.by_worker[slow] < finished.by_worker.total() / WORKERS


def test_a_worker_that_comes_late_takes_part(device: Device, file: tuple[Path, Array]) -> None:
    path, text = file
    with processes(WORKERS) as (local, client, finished):
        first = pids(client)
        running = Running(path, client, device)
        running.until(lambda: finished.by_worker.total() >= 10)
        with slowed(*first.values(), rest=1):
            local.scale(WORKERS + 1)
            running.until(lambda: finished.by_worker.keys() - first.keys())
        verify(running.result(), text)


def test_all_of_that_at_once(device: Device, file: tuple[Path, Array]) -> None:
    path, text = file
    with processes(WORKERS) as (local, client, finished):
        (_, killed), (_, slow), *_ = pids(client).items()
        with slowed(slow):
            running = Running(path, client, device)
            running.until(lambda: finished.by_worker.total() >= 15)
            local.scale(WORKERS + 1)
            os.kill(killed, signal.SIGKILL)
            verify(running.result(), text)
