"""Lines for people, in which nothing is a command to a terminal."""

from __future__ import annotations

from typing import TextIO

from vyre_dialect.messages import printable


def print_line(text: object, file: TextIO | None = None) -> None:
    """Print one line, to standard output unless a `file` is named."""
    print(printable(str(text)), file=file)
