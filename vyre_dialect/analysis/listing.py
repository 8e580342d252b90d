"""What a program consists of, listed in one walk for all that look at every op of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from vyre_dialect.ir.parts import operands_of, parent_of, regions_of, results_of
from vyre_dialect.ir.traversal import ops_inside


@dataclass(frozen=True)
class Listing:
    """
    An op and all ops inside of it, each before those in its regions, and what they consist of: a
    column for each kind of part, in the same order. It stays as it is when the ops change.
    """

    ops: Sequence[Operation]
    parents: Sequence[Block | None]
    """Of each op."""
    operands: Sequence[tuple[SSAValue, ...]]
    """Of each op."""
    results: Sequence[tuple[OpResult[Any], ...]]
    """Of each op."""
    regions: Sequence[tuple[Region, ...]]
    """Of each op."""
    blocks: Sequence[tuple[Block, ...]]
    """Of each region."""
    arguments: Sequence[tuple[BlockArgument[Any], ...]]
    """Of each block."""

    @staticmethod
    def of(root: Operation) -> Listing:
        """List `root`. Linear, without recursion, as programs may be nested deeply."""
        ops = ops_inside(root)
        regions = list(map(regions_of, ops))
        blocks = [tuple(region.blocks) for each in regions if each for region in each]
        return Listing(
            ops,
            list(map(parent_of, ops)),
            list(map(operands_of, ops)),
            list(map(results_of, ops)),
            regions,
            blocks,
            [block.args for each in blocks for block in each],
        )
