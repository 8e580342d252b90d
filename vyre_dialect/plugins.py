"""The dialects, passes and targets that are installed, as `xdsl-opt` finds them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from xdsl.universe import Universe

from vyre_dialect.ir.broken_packages import warned_if_broken

GROUP = "xdsl.universe"


@cache
def installed() -> Universe:
    """
    What every installed package has. A package that cannot be loaded, or defines again what another
    has, is left out with a warning that names it: `xdsl-opt` would end there.
    """
    # Vyre's and xDSL's own come first, so that the other package is the one that is left out.
    entries = sorted(entry_points(group=GROUP), key=lambda entry: (_is_foreign(entry), entry.name))
    everything = Universe()
    for entry in entries:
        with warned_if_broken(entry):
            _add(everything, entry.load())
    return everything


def _is_foreign(entry: EntryPoint) -> bool:
    return entry.value.partition(".")[0] not in ("vyre_dialect", "xdsl")


def _add(everything: Universe, found: object) -> None:
    if not isinstance(found, Universe):
        raise TypeError(f"expected a Universe, got {type(found).__name__}")
    for known, new in (
        (everything.all_dialects, found.all_dialects),
        (everything.all_passes, found.all_passes),
        (everything.all_targets, found.all_targets),
    ):
        if twice := known.keys() & new.keys():
            raise ValueError(f"'{min(twice)}' is defined already")
    everything.all_dialects.update(found.all_dialects)
    everything.all_passes.update(found.all_passes)
    everything.all_targets.update(found.all_targets)
