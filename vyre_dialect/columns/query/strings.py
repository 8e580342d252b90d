"""Tests of strings, done by the host for each string of a dictionary."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""Comparisons in the order of code points, which is that of the bytes of UTF-8."""


def like(
    pattern: str, escape: str | None = None, *, any_case: bool = False
) -> Callable[[str], bool]:
    """
    SQL's LIKE: `%` stands for anything, `_` for any character, each for itself behind `escape`.
    Raises a ValueError for a pattern that ends with that.
    """
    parts, characters = [""], iter(pattern)
    for character in characters:
        if character == escape:
            if (character := next(characters, None)) is None:
                raise ValueError("expected a character behind the one that escapes")
            parts[-1] += re.escape(character)
        elif character == "%":
            parts.append("")
        else:
            parts[-1] += "." if character == "_" else re.escape(character)
    flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
    compiled = re.compile(_in_order(parts), flags)
    return lambda text: compiled.fullmatch(text) is not None


def _in_order(parts: Sequence[str]) -> str:
    """
    The parts one behind another, anything between them. Each is taken where it comes first, once
    for all, as nothing is won by a later place: a search that tried all would not end.
    """
    first, *inner = parts
    if not inner:
        return first
    *inner, last = inner
    return "".join([first, *(f"(?>.*?{part})" for part in inner), f".*{last}"])
