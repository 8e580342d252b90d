"""What the ops inside arms mean, on arrays with an element for each invocation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tape.ops import AtOp, TallyOp
from vyre_dialect.ir.implementations import Implementations
from vyre_dialect.runtime.interpreter import (
    Array,
    Compile,
    Compiler,
    Elements,
    Frame,
    Meaning,
    Step,
)

COMPUTATIONS = Implementations[Meaning]()
ACTIONS = Implementations[Compile]()


@COMPUTATIONS.impl(AtOp)
def at(op: AtOp) -> Callable[[Array], Array]:
    """The place of an element, for each invocation."""
    return lambda position: position * op.tracks.value.data + op.track.value.data


@ACTIONS.impl(TallyOp)
def tally(op: TallyOp, compiler: Compiler) -> Step:
    """Counts up to the limit."""
    element, limit = Elements(op, op.get_accesses()[0], compiler), op.limit.value.data

    def one_more(old: Array) -> Array:
        return np.where(old < limit, old + 1, old)

    def step(frame: Frame) -> None:
        element.update(frame, one_more)

    return step
