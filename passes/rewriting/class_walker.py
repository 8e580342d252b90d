"""Drives patterns over the ops of a few classes, which is several times as fast as over all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriteWalker

from vyre_dialect.ir.traversal import ops_of_classes


@dataclass(eq=False, repr=False)
class ClassWalker(PatternRewriteWalker):
    """
    Begins each walk with the ops of some classes alone, in the order of a `PatternRewriteWalker`.

    For patterns that match no others: what they insert or modify is offered to them in any case.
    """

    op_classes: tuple[type[object], ...] = ()

    def _populate_worklist(self, op: Operation | Region | Block) -> None:
        for each in self._last_first(op):
            self._worklist.push(each)

    def _last_first(self, root: Operation | Region | Block) -> Iterable[Operation]:
        """The ops that are offered, the one that comes first at the end, from where it is taken."""
        if self.walk_reverse or self.walk_regions_first:
            forwards, regions_last = not self.walk_reverse, not self.walk_regions_first
            every = root.walk(reverse=forwards, region_first=regions_last)
            return (each for each in every if isinstance(each, self.op_classes))
        return reversed(ops_of_classes(root, self.op_classes))
