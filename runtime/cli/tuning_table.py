"""The candidates while a program is tuned: a table that grows on a terminal, elsewhere lines."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from vyre_dialect.ir.tuning import changes_text
from vyre_dialect.runtime.tuning.tuner import Candidate, Watcher

if TYPE_CHECKING:
    from rich.console import Group

    from vyre_dialect.ir.tuning import Choice

SHOWN = 20
"""Candidates that are shown at once: the default, and the fastest of the others."""
COLUMNS = ("parameters", "built", "checked", "µs", "GB/s", "verdict")


class TuningTable:
    """The default first, then the fastest; below, how far the search is."""

    def __init__(self, default: Mapping[str, Choice], touched_bytes: int):
        self._default, self._bytes = default, touched_bytes
        self._candidates: list[Candidate] = []
        self._begin = monotonic()
        self._number, self._count = 0, 0

    def add(self, candidate: Candidate, number: int, count: int) -> None:
        """Take in a candidate, the `number`th of `count`."""
        self._candidates.append(candidate)
        self._number, self._count = number, count

    def rows(self) -> list[tuple[str, ...]]:
        """The cells of the candidates that are shown."""
        first, *others = self._candidates
        ranked = sorted(others, key=lambda each: each.ratio or float("inf"))
        return [self._cells(each) for each in (first, *ranked[: SHOWN - 1])]

    def line(self) -> str:
        """The last candidate, and how far the search is."""
        choices, _, _, us, _, verdict = self._cells(self._candidates[-1])
        time = "" if us == "-" else f"{us} µs, "
        return f"{self._number} of {self._count}: {choices}: {time}{verdict}"

    def remaining_seconds(self) -> float:
        """By what the candidates took until now, on average; those to come may take longer."""
        elapsed = monotonic() - self._begin
        return elapsed / max(1, self._number) * (self._count - self._number)

    def render(self) -> Group:
        """As rich shows it."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for number, column in enumerate(COLUMNS):
            table.add_column(column, justify="right" if number in (3, 4) else "left")
        for row in self.rows() if self._candidates else []:
            table.add_row(*map(Text, row))
        bar = ProgressBar(total=max(1, self._count), completed=self._number, width=40)
        left = f"{self._number} of {self._count}, about {self.remaining_seconds():.0f} s left"
        return Group(table, bar, Text(left))

    def _cells(self, candidate: Candidate) -> tuple[str, ...]:
        ns = candidate.ns
        return (
            changes_text(candidate.choices, self._default) or "default",
            "yes" if candidate.is_built else "no",
            "yes" if candidate.is_checked else "no",
            "-" if ns is None else f"{ns / 1e3:.1f}",
            "-" if ns is None else f"{self._bytes / ns:.2f}",
            candidate.verdict,
        )


@contextmanager
def tuning_table(default: Mapping[str, Choice], touched_bytes: int) -> Generator[Watcher]:
    """What is to be told of candidates, which it shows on the error stream."""
    table = TuningTable(default, touched_bytes)

    def say(candidate: Candidate, number: int, count: int) -> None:
        table.add(candidate, number, count)
        print(table.line(), file=sys.stderr, flush=True)

    if not sys.stderr.isatty():
        yield say
        return
    from rich.console import Console
    from rich.live import Live

    with Live(table.render(), console=Console(stderr=True), refresh_per_second=4) as live:

        def watch(candidate: Candidate, number: int, count: int) -> None:
            table.add(candidate, number, count)
            live.update(table.render())

        yield watch
