"""What a program consists of, listed in one walk for all that look at every op of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from vyre_dialect.ir.parts import op_behind, operands_of, parent_of, regions_of, results_of


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
        ops = _in_order(root)
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


def _in_order(root: Operation) -> list[Operation]:
    """
    As `ops_inside`, along the links between the ops of a block, which is twice as fast where
    nothing has to be yielded.
    """
    order = [root]
    pending = _first_ops(root)
    while pending:
        op = _with_regions(pending.pop(), order)
        if op is None:
            continue
        if (following := op_behind(op)) is not None:
            pending.append(following)
        pending += _first_ops(op)
    return order


def _with_regions(op: Operation | None, order: list[Operation]) -> Operation | None:
    """The first op of a block, from `op` on, that has regions; `order` takes all up to it."""
    while op is not None:
        order.append(op)
        if op.regions:
            return op
        op = op_behind(op)
    return None


def _first_ops(op: Operation) -> list[Operation]:
    """The first op of each block of an op, the first block last."""
    firsts = (block.first_op for region in op.regions for block in region.blocks)
    return [each for each in firsts if each is not None][::-1]
