"""What all reports have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TextIO

from vyre_dialect.runtime.scanning.results import FileMatches, Match
from vyre_dialect.runtime.scanning.walk import Problem

CONTEXT = 60
"""Bytes of its line that are shown on either side of an occurrence."""


class Wanted(Enum):
    """What is to be told of files."""

    MATCHES = "matches"
    COUNTS = "counts"
    NAMES = "names"


@dataclass(frozen=True)
class Report(ABC):
    """Told of one file after the other, and of each occurrence in it."""

    literals: Sequence[bytes]
    out: TextIO

    def end(self) -> None:
        """Write what stands behind all files."""
        self.out.flush()

    def add(self, file: FileMatches) -> None:
        """Write what is wanted of a file."""
        for match in file.matches():
            self.match(file, match)

    @abstractmethod
    def match(self, file: FileMatches, match: Match) -> None:
        """Write an occurrence."""

    @abstractmethod
    def problem(self, problem: Problem) -> None:
        """Write what could not be scanned, and why."""

    def shown_text(self, file: FileMatches, match: Match) -> str:
        """An occurrence in its line, of which a long one is cut, for people."""
        end = match.decoded + len(self.literals[match.literal])
        begin = max(match.line_begin, match.decoded - CONTEXT)
        last = max(min(match.line_end, end + CONTEXT), end)
        before = "…" if begin > match.line_begin else ""
        after = "…" if last < match.line_end else ""
        return f"{before}{escaped(file.found.text[begin:last])}{after}"


@dataclass(frozen=True)
class LinesReport(Report):
    """A line for each thing that is wanted: occurrences, counts or names."""

    wanted: Wanted

    def add(self, file: FileMatches) -> None:
        match self.wanted:
            case Wanted.MATCHES:
                super().add(file)
            case Wanted.COUNTS if file.count or file.source.is_named:
                self.count(file)
            case Wanted.NAMES if file.count:
                self.name(file)
            case _:
                pass

    @abstractmethod
    def count(self, file: FileMatches) -> None:
        """Write in how many lines something was found."""

    @abstractmethod
    def name(self, file: FileMatches) -> None:
        """Write the name of a file in which something was found."""


def escaped(data: bytes) -> str:
    """Bytes as UTF-8 in one line; a backslash, and what is none or not to be shown, written out."""
    text = data.decode("utf-8", "surrogateescape")
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(map(_escaped_character, text))


def escaped_name(name: str) -> str:
    """The name of a file in one line."""
    return name if name.isprintable() else "".join(map(_escaped_character, name))


def _escaped_character(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if character.isprintable():
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
