"""What plain `xdsl-opt` finds of vyre. Nothing heavy is imported before it is asked for."""

from collections.abc import Callable

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target


def _vyre() -> Dialect:
    from vyre_dialect.dialect import Vyre

    return Vyre


PASSES: dict[str, Callable[[], type[ModulePass]]] = {}
TARGETS: dict[str, Callable[[], type[Target]]] = {}

VYRE_UNIVERSE = Universe(
    all_dialects={"vyre": _vyre},
    all_passes=PASSES,
    all_targets=TARGETS,
)
