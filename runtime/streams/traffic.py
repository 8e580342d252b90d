"""Tells how far a stream has come, how fast it is, and how long the rest takes."""

from __future__ import annotations

from time import perf_counter

from vyre_dialect.runtime.progress import Progress


class Traffic:
    """Counts bytes."""

    def __init__(self, name: str, total: int | None, progress: Progress):
        self._name = name
        self._total = total
        self._progress = progress
        self._begin = perf_counter()
        self._bytes = 0

    def add(self, bytes_: int) -> None:
        """So many more are done."""
        self._bytes += bytes_
        rate = self._bytes / max(perf_counter() - self._begin, 1e-9)
        text = f"running '{self._name}': {self._bytes / 1e9:.1f} GB at {rate / 1e9:.2f} GB/s"
        if self._total is None:
            self._progress(text, None)
            return
        left = max(0, self._total - self._bytes)
        part = min(1.0, self._bytes / max(1, self._total))
        self._progress(f"{text}, {left / max(rate, 1.0):.0f} s left", part)
