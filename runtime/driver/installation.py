"""Everything that is installed and may have a say in what a program is compiled to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, EntryPoint, distribution, distributions, version
from importlib.util import find_spec

from blake3 import blake3

GROUPS = ("xdsl.universe", "vyre.")
"""The beginnings of the groups under which packages name what compilers look for."""

OWN = ("vyre_dialect", "vyre_dialect.passes", "vyre_dialect.lowering", "vyre_dialect.runtime")
"""Vyre's own folders, which need not lie in one another."""

LIBRARIES = ("xdsl", "islpy")
"""What passes are made from."""


def fingerprint() -> str:
    """
    A digest of the versions of Python, vyre, xDSL, islpy and every package that brings dialects,
    passes or meanings of ops, and of names, sizes and times of their files, which change where
    sources are edited in place. No file is opened; some milliseconds.
    """
    digest = blake3(sys.version.encode())
    for line in sorted({*_versions(), *_files()}):  # one may be found in several places
        digest.update(line.encode(errors="surrogateescape") + b"\0")
    return digest.hexdigest()


def _versions() -> Iterator[str]:
    yield from (f"{name} {version(name)}" for name in ("vyre", *LIBRARIES))
    for each, entries in _taking_part():
        yield f"{each.name} {each.version} {' '.join(map(str, entries))}"


def _taking_part() -> tuple[tuple[Distribution, tuple[EntryPoint, ...]], ...]:
    """The installed packages that bring something for compilers, each with what it names."""
    found = list[tuple[Distribution, tuple[EntryPoint, ...]]]()
    for each in distributions():
        if entries := tuple(entry for entry in each.entry_points if entry.group.startswith(GROUPS)):
            found.append((each, entries))
    return tuple(found)


def _files() -> Iterator[str]:
    edited = {*OWN, *(name for name in LIBRARIES if _is_editable(name))}
    for each, entries in _taking_part():
        if each.name not in ("vyre", *LIBRARIES):
            edited.update(entry.module.partition(".")[0] for entry in entries)
            edited.update((each.read_text("top_level.txt") or "").split())
    for name in sorted({*edited, *LIBRARIES}):
        if (spec := _spec(name)) is not None:
            yield from _described(_paths(spec) if name in edited else [spec.origin or ""])


def _is_editable(library: str) -> bool:
    """Whether a package is installed in place; what others have is known by version and date."""
    return "editable" in (distribution(library).read_text("direct_url.json") or "")


def _spec(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except (ImportError, ValueError):  # a broken package takes no part
        return None


def _paths(spec: ModuleSpec) -> Iterator[str]:
    if spec.submodule_search_locations is None:
        return iter([spec.origin or ""])
    return (path for root in spec.submodule_search_locations for path in _below(root))


def _described(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:  # it went meanwhile
            continue
        yield f"{path} {status.st_size} {status.st_mtime_ns}"


def _below(root: str) -> Iterator[str]:
    """The files in a folder and those in it, but for compiled ones; links are not followed."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if each != "__pycache__")
        yield from (os.path.join(folder, name) for name in sorted(files))
