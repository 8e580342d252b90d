"""How errors of any kind are told to people."""

from __future__ import annotations

import re
from collections.abc import Iterable


def first_line(error: BaseException) -> str:
    """The first line of an error's message that says something, or else the error's type."""
    if isinstance(error, RecursionError):
        return "ops are nested too deeply"
    # Some errors of xDSL have their message in several arguments, which Python shows as a tuple.
    is_shown_so = type(error).__str__ is BaseException.__str__ and len(error.args) > 1
    said = " ".join(map(str, error.args)) if is_shown_so else str(error)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    # xDSL says below what does not verify why that is.
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]


def printable(text: str) -> str:
    """`text` with a space for what no terminal shows, as names from programs and files may hold."""
    return "".join(char if char.isprintable() else " " for char in text)


def printable_lines(text: str) -> str:
    """The same of a text of several lines, which stay."""
    return "\n".join(map(printable, text.split("\n")))


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """
    What the user may have meant by `name`, or else the advice `otherwise`: a name that has all its
    words, or else a similar one. What is in front of a first separator, as `vyre-`, is no likeness.
    """
    meant = _meant(name, list(known))
    return f"did you mean '{meant}'?" if meant else otherwise


_HEAD = re.compile(r"-+|\w+[.-]")
_WORD = re.compile(r"[^\W_]+")


def _meant(name: str, known: list[str]) -> str | None:
    from difflib import get_close_matches  # takes longer to load than most of what runs

    head, tail = _split(name)
    by_tail = dict[str, str]()
    for each in sorted(known, key=lambda each: (_split(each)[0] != head, len(each))):
        by_tail.setdefault(_split(each)[1], each)
    words = set(_WORD.findall(tail))
    holding = [each for each in by_tail if words and words <= set(_WORD.findall(each))]
    close = holding[:1] or get_close_matches(tail, list(by_tail), 1)
    return by_tail[close[0]] if close else None


def _split(name: str) -> tuple[str, str]:
    """What a name shares with those of its family, and the rest, in lower case."""
    match = _HEAD.match(name)
    end = match.end() if match else 0
    return name[:end].lower(), name[end:].lower()


def in_lower_case(message: str) -> str:
    """A message that begins as errors do: in lower case, but for what is written in capitals."""
    return message if message[1:2].isupper() else message[:1].lower() + message[1:]
