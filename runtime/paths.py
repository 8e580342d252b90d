"""Paths as they are given by name."""

from __future__ import annotations

from pathlib import Path

STANDARD_STREAM = "-"
"""The path that stands for standard input or output."""


def file_path(text: str) -> Path:
    """The path that `text` names; `-` alone is a standard stream, and ./- a file of that name."""
    path = Path(text)
    return path.absolute() if str(path) == STANDARD_STREAM != text else path
