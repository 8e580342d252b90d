"""What `xdsl-opt` and `vyre` find of this package; nothing is imported before it is asked for."""

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe


def _dialect() -> Dialect:
    from tape.ops import TAPE

    return TAPE


def _lower_at() -> type[ModulePass]:
    from tape.lower_at import LowerAtPass

    return LowerAtPass


UNIVERSE = Universe(
    all_dialects={"tape": _dialect},
    all_passes={"tape-lower-at": _lower_at},
)
