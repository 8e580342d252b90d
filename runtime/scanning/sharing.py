"""
Batches shared among devices. Each device takes the next batch when it is done with the last, so
that each gets as many as it is fast. One that fails gives its batch to the others; and where no
other may be taken, a device that is idle does what a slower one has not finished: whoever is first
counts.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Condition, Thread

from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.opencl.waiting import leave
from vyre_dialect.runtime.scanning.batches import Batch
from vyre_dialect.runtime.scanning.scanner import Found, Scanner

WINDOW = 3
"""Batches for each device that may be read, being scanned or waiting for those in front of them."""


@dataclass(eq=False)
class _Shard:
    """A batch and what becomes of it."""

    batch: Batch
    takers: set[str] = field(default_factory=set[str])
    """Who is scanning it."""
    found: list[Found] | None = None


class Shards:
    """The batches, as they are read, taken, done and given back; all of it by one lock."""

    def __init__(self, batches: Iterator[Batch], workers: Sequence[str]):
        self._batches, self._workers = batches, set(workers)
        self._changed = Condition()
        self._open = deque[_Shard]()
        """In order, those that nobody has asked the results of yet."""
        self._is_read = False
        self._window = WINDOW * len(workers)
        self._failure: BaseException | None = None

    def take(self, worker: str) -> _Shard | None:
        """The next batch for a worker; None where there is nothing left for it to do."""
        with self._changed:
            while self._failure is None:
                if (shard := self._next(worker)) is not None:
                    shard.takers.add(worker)
                    return shard
                if self._is_read and all(each.found is not None for each in self._open):
                    return None
                self._changed.wait()
            return None

    def _next(self, worker: str) -> _Shard | None:
        left = [each for each in self._open if each.found is None and worker not in each.takers]
        if (shard := next((each for each in left if not each.takers), None)) is not None:
            return shard
        if not self._is_read and len(self._open) < self._window:
            batch = next(self._batches, None)
            if batch is not None:
                self._open.append(_Shard(batch))
                return self._open[-1]
            self._is_read = True
            self._changed.notify_all()
        return left[0] if left else None

    def done(self, shard: _Shard, found: list[Found]) -> None:
        """Note what was found in a batch, unless another worker has."""
        with self._changed:
            if shard.found is None:
                shard.found = found
            self._changed.notify_all()

    def give_back(self, worker: str, shard: _Shard | None, error: VyreError) -> None:
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

    def results(self) -> Iterator[tuple[Batch, list[Found]]]:
        """
        Each batch with what was found in it, in order.

        Raises the last worker's error where all have failed.
        """
        while (shard := self._first_done()) is not None:
            assert shard.found is not None
            yield shard.batch, shard.found

    def _first_done(self) -> _Shard | None:
        """The first batch, once it is done; None behind the last."""
        with self._changed:
            while True:
                if self._open and self._open[0].found is not None:
                    self._changed.notify_all()
                    return self._open.popleft()
                if self._failure is not None:
                    raise self._failure
                if self._is_read and not self._open:
                    return None
                self._changed.wait()


def shared(
    batches: Iterator[Batch], scanners: Sequence[Callable[[], Scanner]], names: Sequence[str]
) -> Iterator[tuple[Batch, list[Found]]]:
    """
    Each of `batches` with what was found in it, in their order, by scanners that threads of their
    own make and use.

    Raises a VyreError where every one of them has failed.
    """
    shards = Shards(batches, names)
    threads = [
        Thread(target=_work, args=(shards, name, make), daemon=True)
        for name, make in zip(names, scanners, strict=True)
    ]
    for thread in threads:
        thread.start()
    try:
        yield from shards.results()
    finally:
        # Who is still at work does what others have done, or compiles what nobody needs any more.
        leave.calls += [thread for thread in threads if thread.is_alive()]


def _work(shards: Shards, name: str, make: Callable[[], Scanner]) -> None:
    shard = None
    try:
        scanner = make()
        while (shard := shards.take(name)) is not None:
            shards.done(shard, scanner.scan(shard.batch.contents))
    except VyreError as error:
        warnings.warn(f"{name} failed, others go on: {error}", stacklevel=1)
        shards.give_back(name, shard, error)
    except BaseException as error:
        shards.abandon(error)
