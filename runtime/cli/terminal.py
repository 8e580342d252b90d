"""What the commands print: rich on a terminal, plain through a pipe, JSON for machines."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vyre_dialect.messages import printable

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

PATIENCE_SECONDS = 1.0
"""How long something may take before a progress bar shows it."""


def print_json(value: object) -> None:
    """Print `value` as JSON."""
    print(json.dumps(value, indent=2))


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1
) -> None:
    """
    Print a table; all columns but the first, or the first `left`, are aligned to the right. What no
    terminal shows, as names from a program may hold, is a space: it could be a command to one.
    """
    title, columns = printable(title), list(map(printable, columns))
    rows = [list(map(printable, row)) for row in rows]
    if sys.stdout.isatty():
        _print_rich_table(title, columns, rows, left)
        return
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    print(title)
    for row in (columns, *rows):
        cells = [
            text.ljust(width) if number < left else text.rjust(width)
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join(cells).rstrip())


def _print_rich_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], left: int
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Texts, as rich takes brackets in anything else for its own commands.
    table = Table(title=Text(title), title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(Text(column), justify="left" if number < left else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def print_source(source: str, language: str = "c") -> None:
    """Print a text, by default OpenCL C, with colours on a terminal."""
    if not sys.stdout.isatty():
        print(source, end="")
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console().print(Syntax(source, language, background_color="default"))


class ProgressBar:
    """A bar on the terminal's error stream that shows after a second; nothing through a pipe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._state: tuple[str, float | None] = ("", None)

    def __call__(self, doing: str, part: float | None) -> None:
        """Say what is being done and, where known, which part of it has been done."""
        with self._lock:
            self._state = (doing, part)
            self._update()

    def show(self) -> None:
        """Start to show it."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with self._lock:
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task("", total=None)
            self._update()
            self._bar.start()

    def hide(self) -> None:
        """Leave nothing of it on the terminal."""
        with self._lock:
            if self._bar is not None:
                self._bar.stop()

    def _update(self) -> None:
        if self._bar is None or self._task is None:
            return
        doing, part = self._state
        settings: dict[str, Any] = {"description": printable(doing), "total": None}
        if part is not None:
            settings |= {"total": 1.0, "completed": part}
        self._bar.update(self._task, **settings)


@contextmanager
def progress_bar() -> Generator[ProgressBar]:
    """A ProgressBar that shows itself if what is done under it takes more than a second."""
    progress = ProgressBar()
    if not sys.stderr.isatty():
        yield progress
        return
    timer = threading.Timer(PATIENCE_SECONDS, progress.show)
    timer.daemon = True
    timer.start()
    try:
        yield progress
    finally:
        timer.cancel()
        timer.join()
        progress.hide()
