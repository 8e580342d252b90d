"""Clusters of several processes, of which some die, are slow, or come late: answers are exact."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
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
    """Counts the shards that each worker has finished."""

    def __init__(self) -> None:
        self.by_worker = Counter[str]()

    def transition(self, key: Any, start: str, finish: str, *_: Any, **stimulus: Any) -> None:
        if "shard-task" in str(key) and finish == "memory" and start == "processing":
            self.by_worker[str(stimulus.get("worker"))] += 1

    def wait_for(self, count: int) -> None:
        """Return when so many shards are done."""
        while self.by_worker.total() < count:
            time.sleep(0.002)


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

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def result(self) -> RunResult:
        self._thread.join(180)
        assert self.is_over, "the run hangs"
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
def slowed(pid: int) -> Generator[None]:
    """Let a process run for a tenth of the time."""
    over = Event()

    def pause() -> None:
        while not over.wait(0.01):
            os.kill(pid, signal.SIGSTOP)
            over.wait(0.09)
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
        finished.wait_for(20)
        assert not running.is_over, "it was killed in mid-run"
        os.kill(pid, signal.SIGKILL)
        before = finished.by_worker[victim]
        verify(running.result(), text)
        assert finished.by_worker[victim] <= before + 1, "it has done no more"
        assert len(finished.by_worker) >= WORKERS


def test_a_worker_that_is_slow_gets_less_to_do(device: Device, file: tuple[Path, Array]) -> None:
    path, text = file
    with processes(WORKERS) as (_, client, finished):
        slow, pid = next(iter(pids(client).items()))
        with slowed(pid):
            running = Running(path, client, device)
            verify(running.result(), text)
        others = [count for name, count in finished.by_worker.items() if name != slow]
        assert finished.by_worker[slow] < min(others)


def test_a_worker_that_comes_late_takes_part(device: Device, file: tuple[Path, Array]) -> None:
    path, text = file
    with processes(WORKERS) as (local, client, finished):
        first = pids(client)
        with ExitStack() as slow:
            for pid in first.values():
                slow.enter_context(slowed(pid))
            running = Running(path, client, device)
            finished.wait_for(10)
            local.scale(WORKERS + 1)
            while not running.is_over and not finished.by_worker.keys() - first.keys():
                time.sleep(0.01)
        verify(running.result(), text)
        assert finished.by_worker.keys() - first.keys(), "the late one has done some"


def test_all_of_that_at_once(device: Device, file: tuple[Path, Array]) -> None:
    path, text = file
    with processes(WORKERS) as (local, client, finished):
        (_, killed), (_, slow), *_ = pids(client).items()
        with slowed(slow):
            running = Running(path, client, device)
            finished.wait_for(15)
            local.scale(WORKERS + 1)
            os.kill(killed, signal.SIGKILL)
            verify(running.result(), text)
