"""Notices warnings."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def counted_warnings() -> Generator[list[str]]:
    """What warnings that are shown say, which are shown all the same."""
    shown, found = warnings.showwarning, list[str]()

    def show(message: Warning | str, *where: object, **more: object) -> None:
        found.append(str(message))
        shown(message, *where, **more)  # pyright: ignore[reportArgumentType]

    warnings.showwarning = show
    try:
        yield found
    finally:
        warnings.showwarning = shown
