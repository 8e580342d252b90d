"""What is looked for: literals from the command line and from files with one on each line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from vyre_dialect.runtime.errors import UsageError


def literals_of(texts: Sequence[str], files: Sequence[Path]) -> tuple[bytes, ...]:
    """
    The literals that are given as texts, and those that stand in files, each once.

    Raises a UsageError for none, for an empty one, and for a file that cannot be read.
    """
    given = [os.fsencode(text) for text in texts]
    if not all(given):
        raise UsageError("argument --literal: expected at least one byte, got none")
    for file in files:
        given += _literals_in(file)
    if not given:
        raise UsageError("expected --literal TEXT or --patterns FILE with a literal, got none")
    return tuple(dict.fromkeys(given))


def _literals_in(file: Path) -> list[bytes]:
    """The lines of a file, of any bytes, but for empty ones."""
    try:
        lines = file.read_bytes().split(b"\n")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"argument --patterns: cannot read '{file}': {reason}") from error
    return [line for each in lines if (line := each.removesuffix(b"\r"))]
