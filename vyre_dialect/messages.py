"""How errors of any kind are told to people."""

from __future__ import annotations

from collections.abc import Iterable


def first_line(error: BaseException) -> str:
    """The first line of an error's message that says something, or else the error's type."""
    if isinstance(error, RecursionError):
        return "ops are nested too deeply"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """What the user may have meant by `name`, or else the advice `otherwise`."""
    from difflib import get_close_matches  # takes longer to load than most of what runs

    close = get_close_matches(name, list(known), 1)
    return f"did you mean '{close[0]}'?" if close else otherwise
