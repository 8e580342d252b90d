"""How large buffers can get whose sizes the host computes from what arms have written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vyre_dialect.analysis.forward_analysis import Rule
from vyre_dialect.analysis.integers import Integer, Integers, Place
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.interpreter.host_plan import Declaration, HostPlan, Sizing
from vyre_dialect.runtime.interpreter.machine import Key

LOOSEST = 8
"""
A range counts where it is at most one part in eight of its upper end: base64's padding is two bytes
of all, whereas of what a filter may keep, little may be left.
"""


def counts_of(plan: HostPlan[Any], sizing: Sizing) -> dict[Key, Range]:
    """
    The number of elements of each global buffer where that follows from the sizes of the inputs,
    and its range where the host computes it from contents, but can be off by little.
    """
    counts = _known_counts(sizing)
    ranges = host_integers(plan, sizing)
    for each in plan.declarations.values():
        if each.key not in counts and (found := _close_range(each, ranges)) is not None:
            counts[each.key] = found
    return counts


def host_integers(plan: HostPlan[Any], sizing: Sizing) -> Integers:
    """What is known of the integers that the host computes in runs of these sizes."""
    counts = _known_counts(sizing)
    return _SizedIntegers({each.op: counts.get(each.key) for each in plan.declarations.values()})


def _known_counts(sizing: Sizing) -> dict[Key, Range]:
    return {key: Range(count, count) for key, count in sizing.counts.items()}


def _close_range(declaration: Declaration, ranges: Integers) -> Range | None:
    if (size := declaration.op.size) is None:
        return None
    found = ranges.range_at(size, declaration.op.parent)
    return found if is_close(found) else None


def is_close(found: Range) -> bool:
    """Whether the upper end of a range of sizes is as good as the size itself."""
    return found.is_non_negative and found.high - found.low <= found.high // LOOSEST


class _SizedIntegers(Integers):
    """What is known of the host's values in a run, of which the sizes of some buffers are known."""

    def __init__(self, counts: Mapping[BufferOp, Range | None]):
        super().__init__()
        self._counts = counts

    def rule(self, node: Place) -> Rule[Place, Integer]:
        """The length of a buffer is its count, or what its size may be."""
        op = node[0].owner
        if not isinstance(op, BufLenOp) or not isinstance(op.buffer.owner, BufferOp):
            return super().rule(node)
        buffer = op.buffer.owner
        if (count := self._counts.get(buffer)) is not None:
            return Rule((), lambda _: Integer(count))
        if buffer.size is None:
            return super().rule(node)
        return Rule([self.place(buffer.size, buffer.parent)], lambda facts: facts[0])
