"""How errors of any kind are told to people."""

from __future__ import annotations


def first_line(error: BaseException) -> str:
    """The first line of an error's message that says something, or else the error's type."""
    if isinstance(error, RecursionError):
        return "ops are nested too deeply"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
