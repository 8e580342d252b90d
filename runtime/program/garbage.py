"""Python's collector of garbage while a program is compiled."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

RARELY = (50_000, 20)
"""Objects made, and collections of young ones, between collections of young and of older ones."""

_lock = Lock()
_before: list[tuple[int, int, int]] = []
"""The thresholds before each compilation that is under way, those of the first at the front."""


@contextmanager
def collected_rarely() -> Generator[None]:
    """
    Let Python look for garbage rarely: nearly all that a compiler makes stays in use, and to look
    at it every 700 objects takes a tenth of the time. Thresholds are those of the process, and as
    they were once no thread compiles; a collector that is off, or rarer, is left alone.
    """
    with _lock:
        young, older, old = gc.get_threshold()
        _before.append((young, older, old))
        if young:
            gc.set_threshold(max(young, RARELY[0]), max(older, RARELY[1]), old)
    try:
        yield
    finally:
        with _lock:
            first = _before[0]
            _before.pop()
            if not _before:
                gc.set_threshold(*first)
