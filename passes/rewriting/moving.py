"""Ops that go elsewhere, as listeners of a rewriter are told."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint


def move(ops: Iterable[Operation], place: InsertPoint, rewriter: PatternRewriter) -> None:
    """Let ops stand at `place`, in their order."""
    for op in ops:
        take_out(op, rewriter)
        rewriter.insert(op, place)


def take_out(op: Operation, rewriter: PatternRewriter) -> None:
    """Let an op stand nowhere, for now."""
    if (parent := op.parent_op()) is not None:
        rewriter.notify_op_modified(parent)
    op.detach()


def take_out_all(block: Block, rewriter: PatternRewriter) -> list[Operation]:
    """The ops of a block, which stand nowhere, for now."""
    ops = list(block.ops)
    if (parent := block.parent_op()) is not None:
        rewriter.notify_op_modified(parent)
    for op in ops:
        op.detach()
    return ops
