"""A scan of files, in batches, on the workers of a cluster."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vyre_dialect.runtime.distributed.cluster import Cluster
from vyre_dialect.runtime.distributed.worker import plugin_of
from vyre_dialect.runtime.scanning.batches import BATCH_BYTES, BATCH_FILES, Reader
from vyre_dialect.runtime.scanning.chain import Stage
from vyre_dialect.runtime.scanning.results import Result, results_of
from vyre_dialect.runtime.scanning.walk import Problem, Source

if TYPE_CHECKING:
    from distributed import Future

BATCHES_PER_SLOT = 3
"""Batches that are handed out for each worker: their results are taken in order."""


@dataclass(frozen=True)
class Search:
    """What is looked for, in files of which encoding."""

    chain: tuple[Stage, ...]
    literals: tuple[bytes, ...]
    skips_binary: bool


def scan_on_cluster(
    found: Iterable[Source | Problem], search: Search, cluster: Cluster
) -> Iterator[Result]:
    """
    What is in the files that were found, in their order; workers read them. Raises a VyreError
    where a device fails.
    """
    common, folder = cluster.shared(search), os.getcwd()
    waiting = deque["Future[list[Result]]"]()
    for batch in _batches(found):
        if len(waiting) >= cluster.slots * BATCHES_PER_SLOT:
            yield from cluster.result(waiting.popleft())
        waiting.append(cluster.submit(scan_task, batch, folder, common, cluster.plugin))
    while waiting:
        yield from cluster.result(waiting.popleft())


def _batches(found: Iterable[Source | Problem]) -> Iterator[list[Source | Problem]]:
    """As many as a run is worth, by the sizes of files as they are now."""
    batch, size = list[Source | Problem](), 0
    for each in found:
        batch.append(each)
        size += _size(each)
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _size(found: Source | Problem) -> int:
    """What is wrong with a file is said by who reads it."""
    try:
        return os.stat(found.name).st_size if isinstance(found, Source) else 0
    except (OSError, ValueError):
        return 0


# A task: a function of values that travel.


def scan_task(
    batch: Sequence[Source | Problem], folder: str, search: Search, plugin: str
) -> list[Result]:
    """What is in files, whose names are those in a folder. Raises a DeviceError."""
    held, results = plugin_of(plugin), list[Result]()
    with held.lock:
        scanner = held.scanner(search.chain, search.literals)
        reader = Reader(scanner.runs.most_bytes, search.skips_binary, waits=False)
        for read in reader.batches(_moved(each, folder) for each in batch):
            results += results_of(read, scanner.scan(read.contents))
    named = {os.path.join(folder, each.name): each.name for each in batch}
    return [_named(result, named) for result in results]


def _moved(found: Source | Problem, folder: str) -> Source | Problem:
    name = os.path.join(folder, found.name)
    if isinstance(found, Problem) or found.root is None:
        return replace(found, name=name)
    return Source(name, os.path.join(folder, found.root))


def _named(result: Result, names: dict[str, str]) -> Result:
    """A result under the name that the file has where it was looked for."""
    if isinstance(result, Problem):
        return replace(result, name=names[result.name])
    return replace(result, source=replace(result.source, name=names[result.source.name]))
