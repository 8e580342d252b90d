"""
Which files of a folder are passed over, as ripgrep has it: what `.gitignore` and
`.git/info/exclude` name in a repository, and what `.ignore` and `.rgignore` name anywhere, which
count for more. Rules of a folder also hold below it, and the nearest one decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.reading import read_regular

_OF_ANYBODY = (".rgignore", ".ignore")
_OF_GIT = (".gitignore", ".git/info/exclude")
"""By rank; files of git count inside its repositories alone."""
_MOST_BYTES = 1 << 20
_MOST_STARS = 4
"""A rule with more can be tried in too many ways on a name that was made for it."""


@dataclass(frozen=True)
class IgnoreRules:
    """The rules of a folder, and of those around it."""

    folder: Path
    around: IgnoreRules | None
    specs: dict[str, GitIgnoreSpec]
    """By the name of the file that they stand in."""
    is_repository: bool

    @classmethod
    def of(cls, folder: Path) -> IgnoreRules:
        """The rules for what is in `folder`, with those of the folders around it."""
        folder = folder.resolve()
        rules: IgnoreRules | None = None
        for each in (*reversed(folder.parents), folder):
            rules = cls(each, rules, *_rules_in(each))
        assert rules is not None
        return rules

    def below(self, name: str) -> IgnoreRules:
        """The rules for what is in the folder `name` of this one."""
        folder = self.folder / name
        return IgnoreRules(folder, self, *_rules_in(folder))

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether a file or folder of this folder is passed over."""
        path = f"{name}/" if is_folder else name
        for kind in (*_OF_ANYBODY, *_OF_GIT):
            for decided in self._decisions(kind, path):
                return decided
        return False

    def _decisions(self, kind: str, path: str) -> Iterator[bool]:
        """What rules of one kind say, from the nearest on."""
        rules: IgnoreRules | None = self
        is_left = kind in _OF_GIT and not self._is_in_repository
        while rules is not None and not is_left:
            spec = rules.specs.get(kind)
            decided = None if spec is None else spec.check_file(path).include
            if decided is not None:
                yield decided
            is_left = kind in _OF_GIT and rules.is_repository
            path = f"{rules.folder.name}/{path}"
            rules = rules.around

    @property
    def _is_in_repository(self) -> bool:
        rules: IgnoreRules | None = self
        while rules is not None and not rules.is_repository:
            rules = rules.around
        return rules is not None


def _rules_in(folder: Path) -> tuple[dict[str, GitIgnoreSpec], bool]:
    is_repository = (folder / ".git").exists()
    kinds = (*_OF_ANYBODY, *_OF_GIT) if is_repository else (*_OF_ANYBODY, _OF_GIT[0])
    read = ((kind, _spec(folder / kind)) for kind in kinds)
    return {kind: spec for kind, spec in read if spec is not None}, is_repository


def _spec(path: Path) -> GitIgnoreSpec | None:
    """The rules in a file; None where there is none that can be read."""
    try:
        text = read_regular(path, _MOST_BYTES).decode(errors="surrogateescape")
        return GitIgnoreSpec.from_lines(filter(_is_harmless, text.splitlines()))
    except (FileError, ValueError):
        return None


def _is_harmless(rule: str) -> bool:
    return len(re.findall(r"\*+", rule)) <= _MOST_STARS
