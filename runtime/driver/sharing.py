"""
Work shared among devices: batches of files, pieces of an input, parts of a table. Each device takes
the next shard when it is done with the last, so that each gets as many as it is fast. One that
fails gives its shard to the others; and where no other may be taken, a device that is idle does
what a slower one has not finished: whoever is first counts.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Generic, TypeVar

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.waiting import leave

WINDOW = 3
"""Shards for each device that may be read, worked on or waiting for those in front of them."""

WorkT = TypeVar("WorkT")
ResultT = TypeVar("ResultT")


@dataclass(eq=False)
class _Shard(Generic[WorkT, ResultT]):
    """Some work and what becomes of it."""

    work: WorkT
    takers: set[int] = field(default_factory=set[int])
    """Who is at it."""
    result: ResultT | None = None


class Shards(Generic[WorkT, ResultT]):
    """The shards, as they are read, taken, done and given back; all of it by one lock."""

    def __init__(self, works: Iterator[WorkT], workers: int):
        self._works, self._workers = works, set(range(workers))
        self._changed = Condition()
        self._open = deque[_Shard[WorkT, ResultT]]()
        """In order, those that nobody has asked the results of yet."""
        self._is_read = False
        self._window = WINDOW * workers
        self._failure: BaseException | None = None
        self._failed = set[object]()
        """Devices that have failed."""

    def take(self, worker: int) -> _Shard[WorkT, ResultT] | None:
        """The next shard for a worker; None where there is nothing left for it to do."""
        with self._changed:
            while self._failure is None:
                if (shard := self._next(worker)) is not None:
                    shard.takers.add(worker)
                    return shard
                if self._is_read and all(each.result is not None for each in self._open):
                    return None
                self._changed.wait()
            return None

    def _next(self, worker: int) -> _Shard[WorkT, ResultT] | None:
        left = [each for each in self._open if each.result is None and worker not in each.takers]
        if (shard := next((each for each in left if not each.takers), None)) is not None:
            return shard
        if not self._is_read and len(self._open) < self._window:
            work = next(self._works, None)
            if work is not None:
                self._open.append(_Shard(work))
                return self._open[-1]
            self._is_read = True
            self._changed.notify_all()
        return left[0] if left else None

    def done(self, shard: _Shard[WorkT, ResultT], result: ResultT) -> None:
        """Note what a shard has come to, unless another worker has."""
        with self._changed:
            if shard.result is None:
                shard.result = result
            self._changed.notify_all()

    def is_first_failure(self, device: object) -> bool:
        """Whether no other worker of a device has failed."""
        with self._changed:
            is_first = device not in self._failed
            self._failed.add(device)
            return is_first

    def give_back(
        self, worker: int, shard: _Shard[WorkT, ResultT] | None, error: DeviceError
    ) -> None:
        """Let others do what a worker that has failed has taken; it takes no more."""
        with self._changed:
            self._workers.discard(worker)
            if shard is not None:
                shard.takers.discard(worker)
            if not self._workers:
                self._failure = error
            self._changed.notify_all()

    def abandon(self, error: BaseException) -> None:
        """End all work, for an error that is nobody's device's."""
        with self._changed:
            self._failure = error
            self._changed.notify_all()

    def results(self) -> Iterator[tuple[WorkT, ResultT]]:
        """
        All work with what it has come to, in order.

        Raises the last worker's error where all have failed.
        """
        while (shard := self._first_done()) is not None:
            assert shard.result is not None
            yield shard.work, shard.result

    def _first_done(self) -> _Shard[WorkT, ResultT] | None:
        """The first shard, once it is done; None behind the last."""
        with self._changed:
            while True:
                if self._open and self._open[0].result is not None:
                    self._changed.notify_all()
                    return self._open.popleft()
                if self._failure is not None:
                    raise self._failure
                if self._is_read and not self._open:
                    return None
                self._changed.wait()


def shared(
    works: Iterator[WorkT],
    makers: Sequence[Callable[[], Callable[[WorkT], ResultT]]],
    names: Sequence[str],
) -> Iterator[tuple[WorkT, ResultT]]:
    """
    All of `works` with what they come to, in their order, by what threads of their own make, and
    then call with one after the other. Of a device that several threads use, the same maker is
    there as often, and so is its name.

    Raises a DeviceError where every one of them has failed by one, and any other at once.
    """
    shards = Shards[WorkT, ResultT](works, len(names))
    threads = [
        Thread(target=_work, args=(shards, worker, name, make), daemon=True)
        for worker, (name, make) in enumerate(zip(names, makers, strict=True))
    ]
    for thread in threads:
        thread.start()
    try:
        yield from shards.results()
    finally:
        # Who is still at work does what others have done, or compiles what nobody needs any more.
        leave.calls += [thread for thread in threads if thread.is_alive()]


def _work(
    shards: Shards[WorkT, ResultT],
    worker: int,
    name: str,
    make: Callable[[], Callable[[WorkT], ResultT]],
) -> None:
    shard = None
    try:
        run = make()
        while (shard := shards.take(worker)) is not None:
            shards.done(shard, run(shard.work))
    except DeviceError as error:
        if shards.is_first_failure(make):
            warnings.warn(f"{name} failed, others go on: {error}", stacklevel=1)
        shards.give_back(worker, shard, error)
    except BaseException as error:
        shards.abandon(error)
