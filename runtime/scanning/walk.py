"""The files that paths stand for: themselves, or what is in their folders and below."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from vyre_dialect.runtime.scanning.errors import FileError, unreadable
from vyre_dialect.runtime.scanning.folders import Folders
from vyre_dialect.runtime.scanning.reading import STANDARD_INPUT

if TYPE_CHECKING:
    from vyre_dialect.runtime.scanning.ignore_rules import IgnoreRules


@dataclass(frozen=True)
class Source:
    """Something to scan."""

    name: str
    """Its path, as somebody has named it or the folder that it was met in."""
    root: str | None = None
    """The folder that somebody has named, below which links are not followed; None where it is the
    file itself."""

    @property
    def is_named(self) -> bool:
        """Whether somebody has named it; it is scanned whatever it is."""
        return self.root is None


@dataclass(frozen=True)
class Problem:
    """Something that cannot be scanned."""

    name: str
    error: FileError


class _Listed(NamedTuple):
    """What is to be scanned of a folder: paths, in the order of names."""

    files: list[str]
    folders: list[str]
    rules: IgnoreRules | None
    """For what is in it."""


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
                yield Source(path)
            else:
                yield from self._below(path)

    def _below(self, root: str) -> Iterator[Source | Problem]:
        left: list[tuple[str, IgnoreRules | None]] = [(root, None)]
        with Folders() as folders:
            while left:
                folder, around = left.pop()
                try:
                    listed = self._listed(folders.open(root, folder), folder, around)
                except OSError as error:
                    yield Problem(folder, unreadable(error))
                    continue
                yield from (Source(path, root) for path in listed.files)
                left += [(path, listed.rules) for path in reversed(listed.folders)]

    def _listed(self, descriptor: int, folder: str, around: IgnoreRules | None) -> _Listed:
        """What is in a folder, with the rules around it. Raises an OSError."""
        with os.scandir(descriptor) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        rules = self._rules(descriptor, folder, around)
        wanted = [entry for entry in entries if self._is_wanted(entry, rules)]
        files = [each.name for each in wanted if each.is_file(follow_symlinks=False)]
        folders = [each.name for each in wanted if each.is_dir(follow_symlinks=False)]
        within = partial(os.path.join, folder)
        return _Listed(list(map(within, files)), list(map(within, folders)), rules)

    def _rules(
        self, descriptor: int, folder: str, around: IgnoreRules | None
    ) -> IgnoreRules | None:
        if self.no_ignore:
            return None
        if around is not None:
            return around.below(os.path.basename(folder), descriptor)
        from vyre_dialect.runtime.scanning.ignore_rules import IgnoreRules

        return IgnoreRules.of(folder, descriptor)

    def _is_wanted(self, entry: os.DirEntry[str], rules: IgnoreRules | None) -> bool:
        if not self.hidden and entry.name.startswith("."):
            return False
        is_folder = entry.is_dir(follow_symlinks=False)
        return rules is None or not rules.ignores(entry.name, is_folder=is_folder)
