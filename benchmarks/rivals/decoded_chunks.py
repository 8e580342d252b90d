"""
pybase64 and hyperscan: chunks that stay in the caches are decoded, then scanned, by threads.

Hyperscan calls Python for each match, under the interpreter's lock, which is what bounds it where
there are many. Its wheels export no function of C that could be called in place of that.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.rivals import Answers, Rival
from benchmarks.workloads import Workload, patterns

pybase64: Any = import_module("pybase64")
hyperscan: Any = import_module("hyperscan")

WHY_NOT = "it decodes base64 only"
CHUNK = 1 << 18
"""Characters of a chunk."""


class Worker:
    """What one thread has for itself."""

    def __init__(self, literals: Sequence[bytes]):
        self._counts = [0] * len(literals)
        self._overlap = max(map(len, literals)) - 1
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=list(literals),
            ids=list(range(len(literals))),
            elements=len(literals),
            flags=[0] * len(literals),
            literal=True,
        )

    def count(self, text: memoryview, begin: int, end: int) -> list[int]:
        """How often each literal ends in what the characters from `begin` to `end` stand for."""
        self._counts = [0] * len(self._counts)
        for chunk in range(begin, end, CHUNK):
            self._scan(text, chunk, min(chunk + CHUNK, end))
        return self._counts

    def _scan(self, text: memoryview, begin: int, end: int) -> None:
        start = max(0, begin - (self._overlap + 2) // 3 * 4)
        before, counts = (begin - start) // 4 * 3, self._counts

        def add(literal: int, _begin: int, end: int, _flags: int, _context: object) -> None:
            if end > before:
                counts[literal] += 1

        decoded = pybase64.b64decode(text[start:end], validate=True)
        self._database.scan(decoded, match_event_handler=add)


def _make(workload: Workload, literals: Sequence[bytes], output: str) -> Rival:
    threads = len(os.sched_getaffinity(0))
    text, workers = workload.encoded.data, [Worker(literals) for _ in range(threads)]
    chunks = -(-len(text) // CHUNK)
    bounds = [min(chunks * each // threads * CHUNK, len(text)) for each in range(threads + 1)]
    pool = ThreadPoolExecutor(threads)

    def run() -> Answers:
        parts = pool.map(Worker.count, workers, [text] * threads, bounds[:-1], bounds[1:])
        return {output: np.array(list(parts), np.int32).sum(axis=0, dtype=np.int32)}

    return run


def _make_base64_literal(workload: Workload) -> Rival:
    return _make(workload, [workload.literal], "count")


def _make_base64_patterns(workload: Workload) -> Rival:
    return _make(workload, patterns(), "matches")


FORMS = {
    "base64_literal": _make_base64_literal,
    "base64_patterns": _make_base64_patterns,
}
