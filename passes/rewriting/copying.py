"""Copies of ops, in half of the time that xDSL's `clone` takes."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue


def copied(op: Operation, values: dict[SSAValue, SSAValue]) -> Operation:
    """
    A copy of `op`, and of what is in it, that uses what `values` has in place of values; all that
    it defines is added to `values`.

    As `clone`, which goes over everything a second time, for operands that are defined behind their
    users: there are none where each region is one block, in which xDSL's verifier wants values
    defined first.
    """
    if any(region.first_block is not region.last_block for region in op.regions):
        return op.clone(value_mapper=values)
    copy = op.clone_without_regions(values)
    for region, other in zip(op.regions, copy.regions, strict=True):
        if (block := region.first_block) is not None:
            other.add_block(_copied_block(block, values))
    return copy


def _copied_block(block: Block, values: dict[SSAValue, SSAValue]) -> Block:
    copy = Block(arg_types=block.arg_types)
    for argument, other in zip(block.args, copy.args, strict=True):
        other.name_hint, other.location = argument.name_hint, argument.location
        values[argument] = other
    copy.add_ops(copied(op, values) for op in block.ops)
    return copy
