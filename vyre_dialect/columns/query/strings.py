"""Tests of strings, done by the host for each string of a dictionary."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

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
    parts, characters = list[str](), iter(pattern)
    for character in characters:
        if character == escape:
            if (character := next(characters, None)) is None:
                raise ValueError("expected a character behind the one that escapes")
            parts.append(re.escape(character))
        else:
            parts.append({"%": ".*", "_": "."}.get(character) or re.escape(character))
    flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
    compiled = re.compile("".join(parts), flags)
    return lambda text: compiled.fullmatch(text) is not None
