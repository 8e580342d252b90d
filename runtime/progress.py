"""How work that may take long tells what it is doing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, float | None], None]
"""Told what is being done and, where that is known, which part of it has been done."""


def no_progress(doing: str, part: float | None) -> None:
    """Watch nothing."""
    del doing, part
