"""What fusion may know of the ops inside arms: where an index is an affine function of others."""

from __future__ import annotations

import islpy as isl

from tape.ops import AtOp
from vyre_dialect.analysis.affine_values import AffineValues, Function
from vyre_dialect.ir.implementations import Implementations

FUNCTIONS = Implementations[Function]()


@FUNCTIONS.impl(AtOp)
def at(values: AffineValues, op: AtOp) -> isl.PwAff | None:
    """The place of an element, as a function of the ids."""
    position = values.of(op.position)
    if position is None:
        return None
    tracks, track = op.tracks.value.data, op.track.value.data
    return position * values.constant(tracks) + values.constant(track)
