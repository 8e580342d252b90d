"""The ops inside of others, without recursion and several times as fast as xDSL's `walk`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import cast

from xdsl.ir import Block, Operation, Region, SSAValue

operands_of = cast(Callable[[Operation], tuple[SSAValue, ...]], attrgetter("_operands"))
"""The operands of an op; `op.operands` is a view, which takes several times as long to go over."""


def ops_inside(root: Operation | Region | Block) -> Iterator[Operation]:
    """
    All ops of a region or block, or an op and all in it, each before those in its own regions.

    As in `Operation.walk`; but nothing may be changed on the way.
    """
    pending = list[Operation]()
    match root:
        case Operation():
            pending.append(root)
        case Region():
            _push_region(root, pending)
        case Block():
            _push_block(root, pending)
    while pending:
        op = pending.pop()
        yield op
        for region in reversed(op.regions):
            _push_region(region, pending)


def _push_region(region: Region, pending: list[Operation]) -> None:
    """Put the ops of a region on a stack, the first one on top."""
    for block in reversed(region.blocks):
        _push_block(block, pending)


def _push_block(block: Block, pending: list[Operation]) -> None:
    op = block.last_op
    while op is not None:
        pending.append(op)
        op = op.prev_op


def children_of(op: Operation) -> Iterator[Operation]:
    """The ops right in the regions of `op`."""
    return (child for region in op.regions for block in region.blocks for child in block.ops)


def free_operands(root: Operation | Region | Block) -> list[SSAValue]:
    """What `root`, and what stands in it, uses of what is defined outside, each once."""
    operands = (operand for inner in ops_inside(root) for operand in inner.operands)
    return [value for value in dict.fromkeys(operands) if not root.is_ancestor(value.owner)]
