"""What a scan gives: of each file its matches, or why it could not be scanned, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from vyre_dialect.runtime.scanning.batches import Batch
from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.scanner import Found, Matches
from vyre_dialect.runtime.scanning.walk import Problem, Source

_NEWLINE = b"\n"


class Match(NamedTuple):
    """One occurrence of a literal."""

    decoded: int
    """Where it begins in what was decoded."""
    encoded: int
    """Where its first digit stands in the file."""
    literal: int
    """The number of the literal."""
    number: int
    """The number of the occurrence in its file, from 0."""
    line_begin: int
    line_end: int
    """Where the line that it begins in begins and ends, without its end of line."""


@dataclass(frozen=True)
class FileMatches:
    """What was found in a file."""

    source: Source
    found: Matches

    @property
    def count(self) -> int:
        """How many occurrences there are."""
        return len(self.found.decoded)

    @property
    def line_count(self) -> int:
        """How many lines there are in which one begins."""
        return len(set(self._lines()))

    @cached_property
    def line_numbers(self) -> Sequence[int]:
        """The number of the line that each occurrence begins in, from 1."""
        numbers, line, counted = list[int](), 1, 0
        for begin, _ in self._lines():
            line += self.found.text.count(_NEWLINE, counted, begin)
            counted = begin
            numbers.append(line)
        return numbers

    def _lines(self) -> Iterator[tuple[int, int]]:
        """
        Where the line of each occurrence begins and ends; a newline belongs to the line that it
        ends. What lies between is gone through once, however long lines are.
        """
        text, begin, end = self.found.text, 0, -1
        places: list[int] = self.found.decoded.tolist()
        for place in places:
            if place > end:
                before = text.rfind(_NEWLINE, max(end, 0), place)
                begin, end = before + 1, text.find(_NEWLINE, place)
                end = len(text) if end < 0 else end
            yield begin, end

    def matches(self) -> Iterator[Match]:
        """The occurrences, in the order in which they begin."""
        found = self.found
        columns: list[list[int]] = [
            each.tolist() for each in (found.decoded, found.encoded, found.which)
        ]
        for number, (decoded, encoded, literal, line) in enumerate(
            zip(*columns, self._lines(), strict=True)
        ):
            yield Match(decoded, encoded, literal, number, *line)


Result: TypeAlias = FileMatches | Problem


def results_of(batch: Batch, found: Sequence[Found]) -> Iterator[Result]:
    """What was found in each file of a batch, with what could not be scanned."""
    in_order = iter(found)
    for item in batch.items:
        if isinstance(item, Problem):
            yield item
            continue
        of_file = next(in_order)
        if isinstance(of_file, FileError):
            yield Problem(item.name, of_file)
        else:
            yield FileMatches(item, of_file)
