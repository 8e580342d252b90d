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
from vyre_dialect.runtime.scanning.ignore_patterns import IgnorePatterns
from vyre_dialect.runtime.scanning.reading import read_regular

_OF_ANYBODY = (".rgignore", ".ignore")
_OF_GIT = (".gitignore", ".git/info/exclude")
"""By rank; files of git count inside its repositories alone."""
_MOST_BYTES = 1 << 20


class _Level(NamedTuple):
    """The rules that stand in one folder."""

    folder: Path
    patterns: Mapping[str, IgnorePatterns]
    """By the name of the file that they stand in."""
    is_repository: bool


@dataclass(frozen=True)
class IgnoreRules:
    """The rules for what is in a folder: its own, and those of the folders around it."""

    levels: tuple[_Level, ...]
    """From the folder outwards."""

    @classmethod
    def of(cls, folder: Path) -> IgnoreRules:
        """The rules for what is in `folder`."""
        folder = folder.resolve()
        return cls(tuple(map(_rules_in, (folder, *folder.parents))))

    def below(self, name: str) -> IgnoreRules:
        """The rules for what is in the folder `name` of this one."""
        return IgnoreRules((_rules_in(self.levels[0].folder / name), *self.levels))

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
        folder = self.levels[0].folder
        for kind in (*_OF_ANYBODY, *_OF_GIT):
            for level in self._git_levels if kind in _OF_GIT else self.levels:
                if (patterns := level.patterns.get(kind)) is not None:
                    around = "".join(f"{part}/" for part in folder.relative_to(level.folder).parts)
                    ranked.append((patterns, around))
        return ranked

    @property
    def _git_levels(self) -> Sequence[_Level]:
        """The folders of the repository that this one is in, outwards; none outside of any."""
        for number, level in enumerate(self.levels, 1):
            if level.is_repository:
                return self.levels[:number]
        return ()


def _rules_in(folder: Path) -> _Level:
    is_repository = os.path.exists(folder / ".git")  # false for a path that is too long, too
    kinds = (*_OF_ANYBODY, *_OF_GIT) if is_repository else (*_OF_ANYBODY, _OF_GIT[0])
    read = ((kind, _patterns_in(folder / kind)) for kind in kinds)
    patterns = {kind: each for kind, each in read if each is not None}
    return _Level(folder, patterns, is_repository)


def _patterns_in(path: Path) -> IgnorePatterns | None:
    """The rules in a file; None where there is none that can be read."""
    try:
        text = read_regular(path, _MOST_BYTES).decode(errors="surrogateescape")
    except FileError:
        return None
    return IgnorePatterns.of(text.split("\n"))
