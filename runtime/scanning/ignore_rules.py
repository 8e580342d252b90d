"""
Which files of a folder are passed over, as ripgrep has it: what `.gitignore` and
`.git/info/exclude` name in a repository, and what `.ignore` and `.rgignore` name anywhere, which
count for more. Rules of a folder also hold below it, and the nearest one decides.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.folders import place
from vyre_dialect.runtime.scanning.ignore_patterns import IgnorePatterns
from vyre_dialect.runtime.scanning.reading import read_met

_OF_ANYBODY = (".rgignore", ".ignore")
_OF_GIT = (".gitignore", ".git/info/exclude")
"""By rank; files of git count inside its repositories alone."""
_MOST_BYTES = 1 << 20


class _Level(NamedTuple):
    """The rules that stand in one folder."""

    name: str
    """Of the folder."""
    patterns: Mapping[str, IgnorePatterns]
    """By the name of the file that they stand in."""
    is_repository: bool


@dataclass(frozen=True)
class IgnoreRules:
    """The rules for what is in a folder: its own, and those of the folders around it."""

    levels: tuple[_Level, ...]
    """From the folder outwards."""

    @classmethod
    def of(cls, folder: str, descriptor: int) -> IgnoreRules:
        """The rules for what is in a folder that somebody has named."""
        try:
            path = Path(folder).resolve()
        except OSError:  # the current folder is gone, or lies too deep to have a path
            path = Path()
        around = cls(tuple(map(_rules_at, path.parents)))
        return around.below(path.name, descriptor)

    def below(self, name: str, descriptor: int) -> IgnoreRules:
        """The rules for what is in the folder `name` of this one."""
        return IgnoreRules((_rules_in(name, descriptor), *self.levels))

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether a file or folder of this folder is passed over."""
        decisions = (
            patterns.ignores(around + name, name, is_folder=is_folder)
            for patterns, around in self._by_rank
        )
        return next((each for each in decisions if each is not None), False)

    @cached_property
    def _by_rank(self) -> Sequence[tuple[IgnorePatterns, str]]:
        """The rules, those that decide first in front, and the path from their folder to this."""
        ranked: list[tuple[IgnorePatterns, str]] = []
        for kind in (*_OF_ANYBODY, *_OF_GIT):
            levels = self._git_levels if kind in _OF_GIT else self.levels
            for number, level in enumerate(levels):
                if (patterns := level.patterns.get(kind)) is not None:
                    inside = (f"{each.name}/" for each in reversed(levels[:number]))
                    ranked.append((patterns, "".join(inside)))
        return ranked

    @property
    def _git_levels(self) -> Sequence[_Level]:
        """The folders of the repository that this one is in, outwards; none outside of any."""
        for number, level in enumerate(self.levels, 1):
            if level.is_repository:
                return self.levels[:number]
        return ()


def _rules_at(folder: Path) -> _Level:
    """Of a folder around: none where it cannot be looked into."""
    try:
        with place(str(folder)) as descriptor:
            return _rules_in(folder.name, descriptor)
    except OSError:
        return _Level(folder.name, {}, is_repository=False)


def _rules_in(name: str, folder: int) -> _Level:
    is_repository = _has(folder, ".git")
    kinds = (*_OF_ANYBODY, *_OF_GIT) if is_repository else (*_OF_ANYBODY, _OF_GIT[0])
    read = ((kind, _patterns_in(kind, folder)) for kind in kinds)
    patterns = {kind: each for kind, each in read if each is not None}
    return _Level(name, patterns, is_repository)


def _has(folder: int, name: str) -> bool:
    try:
        os.lstat(name, dir_fd=folder)
    except OSError:
        return False
    return True


def _patterns_in(path: str, folder: int) -> IgnorePatterns | None:
    """The rules in a file below a folder; None where there is none, or a link on the way."""
    if not _has(folder, path.partition("/")[0]):
        return None
    try:
        contents = _contents(path, folder)
    except (FileError, OSError):
        return None
    return IgnorePatterns.of(contents.decode(errors="surrogateescape").split("\n"))


def _contents(path: str, folder: int) -> bytes:
    name, _, inner = path.partition("/")
    if not inner:
        return read_met(name, _MOST_BYTES, folder).tobytes()
    with place(name, folder) as descriptor:
        return _contents(inner, descriptor)
