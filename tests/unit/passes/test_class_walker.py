"""Patterns for ops of a few classes see the ops that they would see in a walk over all."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from benchmarks.compile_time import expanded_examples
from vyre_dialect.passes.rewriting.class_walker import ClassWalker


@dataclass
class Note(RewritePattern):
    """Notes the constants and comparisons that it is offered."""

    seen: list[Operation] = field(default_factory=list[Operation])

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.ConstantOp | arith.CmpiOp, rewriter: PatternRewriter, /
    ) -> None:
        self.seen.append(op)


class CountDown(RewritePattern):
    """Replaces a number by the next smaller one, down to zero."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /) -> None:
        assert isinstance(op.value, IntegerAttr)
        if number := op.value.value.data:
            rewriter.replace(op, arith.ConstantOp(IntegerAttr(number - 1, i32)))


@pytest.mark.parametrize("regions_first", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_order_is_that_of_a_walk_over_all(regions_first: bool, reverse: bool) -> None:
    module = expanded_examples()["base64_literal"]
    some, all_ops = Note(), Note()
    ClassWalker(
        some,
        walk_regions_first=regions_first,
        walk_reverse=reverse,
        op_classes=(arith.ConstantOp, arith.CmpiOp),
    ).rewrite_module(module)
    PatternRewriteWalker(
        all_ops, walk_regions_first=regions_first, walk_reverse=reverse
    ).rewrite_module(module)
    assert len(some.seen) > 10
    assert some.seen == all_ops.seen


def test_what_a_pattern_inserts_is_offered_to_it() -> None:
    module = ModuleOp([arith.ConstantOp(IntegerAttr(5, i32))])
    assert ClassWalker(CountDown(), op_classes=(arith.ConstantOp,)).rewrite_module(module)
    op = module.body.block.first_op
    assert isinstance(op, arith.ConstantOp)
    assert op.value == IntegerAttr(0, i32)


def test_ops_of_other_classes_are_passed_over() -> None:
    module, note = ModuleOp([arith.ConstantOp(IntegerAttr(5, i32))]), Note()
    assert not ClassWalker(note, op_classes=(arith.CmpiOp,)).rewrite_module(module)
    assert not note.seen
