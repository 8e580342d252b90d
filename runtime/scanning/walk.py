"""The files that paths stand for: themselves, or what is in their folders and below."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.reading import STANDARD_INPUT

if TYPE_CHECKING:
    from vyre_dialect.runtime.scanning.ignore_rules import IgnoreRules


@dataclass(frozen=True)
class Source:
    """Something to scan."""

    name: str
    """Its path, as somebody has named it or the folder that it was met in."""
    is_named: bool
    """Whether somebody has named it; it is scanned whatever it is."""


@dataclass(frozen=True)
class Problem:
    """Something that cannot be scanned."""

    name: str
    error: FileError


@dataclass(frozen=True)
class Walker:
    """How folders are gone through, in the order of names; links in them are not followed."""

    hidden: bool = False
    """Whether to go into what has a name that begins with a dot."""
    no_ignore: bool = False
    """Whether to go into what ignore files name."""

    def sources(self, paths: Iterable[str]) -> Iterator[Source | Problem]:
        """What is to be scanned, and what cannot be."""
        for path in paths:
            if path == STANDARD_INPUT or not os.path.isdir(path):
                yield Source(path, is_named=True)
            else:
                yield from self._below(path)

    def _below(self, folder: str) -> Iterator[Source | Problem]:
        left: list[tuple[str, IgnoreRules | None]] = [(folder, self._rules(folder))]
        while left:
            folder, rules = left.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                yield Problem(folder, FileError(f"cannot read it: {error.strerror}"))
                continue
            entries = [entry for entry in entries if self._is_wanted(entry, rules)]
            yield from (
                Source(entry.path, is_named=False)
                for entry in entries
                if entry.is_file(follow_symlinks=False)
            )
            left += [
                (entry.path, None if rules is None else rules.below(entry.name))
                for entry in reversed(entries)
                if entry.is_dir(follow_symlinks=False)
            ]

    def _rules(self, folder: str) -> IgnoreRules | None:
        if self.no_ignore:
            return None
        from vyre_dialect.runtime.scanning.ignore_rules import IgnoreRules

        return IgnoreRules.of(Path(folder))

    def _is_wanted(self, entry: os.DirEntry[str], rules: IgnoreRules | None) -> bool:
        if not self.hidden and entry.name.startswith("."):
            return False
        is_folder = entry.is_dir(follow_symlinks=False)
        return rules is None or not rules.ignores(entry.name, is_folder=is_folder)
