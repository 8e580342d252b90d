"""
Keeps xDSL from looking for dialects in the current folder, which may be anybody's.

Wherever Python has no module of a name, xDSL reads a file of that name and `.irdl` from there, and
writes another one beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.importlib import MetaPathFinderProtocol

_OF_DIALECT_FILES = "xdsl.utils.dialect_loader"


def look_for_dialects_in_packages_only() -> None:
    """Let it look in packages alone, from now on."""
    _ask_for_packages_only()
    sys.meta_path.append(_BeforeDialectFiles())


def _ask_for_packages_only() -> None:
    for place, finder in enumerate(sys.meta_path):
        if type(finder).__module__ == _OF_DIALECT_FILES:
            sys.meta_path[place] = _InPackagesOnly(finder)


class _BeforeDialectFiles(MetaPathFinder):
    """Is asked for a module right before xDSL, which is imported later, and finds none."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        _ask_for_packages_only()
        return None


class _InPackagesOnly(MetaPathFinder):
    """Another finder, which is asked for no module but those of packages."""

    def __init__(self, other: MetaPathFinderProtocol):
        self._other = other

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        return None if path is None else self._other.find_spec(fullname, path, target)
