"""The passes that take part in schedules: those of vyre, of xDSL, and of any installed package."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache

from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.universe import XDSL_UNIVERSE

from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.plugins import installed

_KERNELS = (
    *("vyre-cse", "licm", "vyre-hoist-loads", "vyre-merge-barriers"),
    *("vyre-simplify-comparisons", "vyre-tighten-bounds"),
    *("vyre-prove-accesses", "vyre-forward-stores", "vyre-optimize-integers"),
)

XDSL_PASSES: dict[str, PassMetadata] = {
    "dce": PassMetadata(Phase.ARMS, Family.SCALAR, invalidates=("vyre-drop-dead-arms",)),
    "licm": PassMetadata(
        Phase.KERNELS,
        Family.LOOP,
        requires=("canonicalize",),
        invalidates=(
            *("vyre-cse", "vyre-hoist-loads", "vyre-tighten-bounds", "vyre-prove-accesses"),
        ),
    ),
    "canonicalize": PassMetadata(
        Phase.KERNELS, Family.SCALAR, requires=("vyre-simplify-comparisons",), invalidates=_KERNELS
    ),
}
"""
The passes of xDSL that take part. Its `cse` does not: it takes ops for equal whose regions differ
in the types of results only, and its time is quadratic in loads; `vyre-cse` is in its place.
"""


def installed_passes() -> Mapping[str, Callable[[], type[ModulePass]]]:
    """
    Factories of every pass that is installed, by name; of `canonicalize` a faster form that does
    the same.
    """
    return _installed()


@cache
def _installed() -> Mapping[str, Callable[[], type[ModulePass]]]:
    return {**installed().all_passes, CanonicalizePass.name: _canonicalize}


def _canonicalize() -> type[ModulePass]:
    from vyre_dialect.passes.scalar.canonicalize import ScheduledCanonicalizePass

    return ScheduledCanonicalizePass


def scheduled_passes() -> dict[str, PassMetadata]:
    """
    What the passes that take part say about themselves, by name.

    A package of its own takes part by passes with `metadata`, in a `Universe` that it names under
    the entry point group `xdsl.universe`. One that cannot be imported is left out with a warning.
    """
    found = dict[str, PassMetadata]()
    for name in sorted(installed_passes()):
        if (metadata := metadata_of(name)) is not None:
            found[name] = metadata
    return found


def passes_of(family: Family) -> frozenset[str]:
    """The names of the passes of a family that take part."""
    return frozenset(name for name, each in scheduled_passes().items() if each.family == family)


def metadata_of(name: str) -> PassMetadata | None:
    """What an installed pass says about itself; None for one that takes no part, or is none."""
    if name in XDSL_UNIVERSE.all_passes:  # not imported to be asked, there are many
        return XDSL_PASSES.get(name)
    factory = installed_passes().get(name)
    if factory is None:
        return None
    try:
        said = getattr(factory(), "metadata", None)
    except Exception as error:
        message = f"pass '{name}' takes no part in schedules: {error}"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
        return None
    return said if isinstance(said, PassMetadata) else None


def why_apart(name: str) -> str:
    """Why there is no metadata of a pass."""
    if name in installed_passes():
        return "which takes no part in schedules"
    return "which is not installed"
