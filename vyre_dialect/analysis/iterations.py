"""How often loops and what stands in them run, at most."""

from __future__ import annotations

from itertools import takewhile

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT, MAX_COUNT
from vyre_dialect.ir.interfaces import ops_around


def most_iterations(loop: scf.ForOp, integers: Integers) -> int:
    """How often the body of a loop runs at most, each time; `MAX_COUNT` where that is unknown."""
    if not isinstance(loop.lb.type, IndexType):
        return MAX_COUNT
    begin, end, step = (
        integers.range_at(bound, loop.parent) for bound in (loop.lb, loop.ub, loop.step)
    )
    return min(MAX_COUNT, max(0, -((begin.low - end.high) // max(1, step.low))))


def known_iterations(loop: scf.ForOp, integers: Integers) -> range | None:
    """What the counter is in each iteration, or None where the bounds are not known."""
    if not isinstance(loop.lb.type, IndexType):
        return None
    known = list[int]()
    for bound in (loop.lb, loop.ub, loop.step):
        found = integers.range_at(bound, loop.parent)
        if found.low != found.high:
            return None
        known.append(found.low)
    begin, end, step = known
    return range(begin, end, step) if step > 0 else None


def most_runs(op: Operation, integers: Integers, loop: Operation | None = None) -> int:
    """
    How often an invocation runs `op` at most, in each iteration of a `loop` around it if there is
    one; `MAX_COUNT` where that is unknown.
    """
    runs = 1
    for parent in takewhile(lambda each: each is not loop, ops_around(op)):
        if isinstance(parent, scf.ForOp):
            runs *= most_iterations(parent, integers)
        elif isinstance(parent, scf.WhileOp):
            runs *= MAX_COUNT
    return min(MAX_COUNT, runs)


def can_count(loop: scf.ForOp, span: int, integers: Integers) -> bool:
    """Whether parts of a span of a loop's range can be counted without wrapping around."""
    begin, end = (integers.range_at(each, loop.parent) for each in (loop.lb, loop.ub))
    return end.high - min(begin.low, 0) + span < INDEX_LIMIT
