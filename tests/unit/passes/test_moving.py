"""What takes ops out of an arm, or puts them there, tells the listeners of its rewriter."""

from __future__ import annotations

from typing import Self

import pytest
from support.arms import arm
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, Operation

from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.builder import constant
from vyre_dialect.passes.rewriting.invocation_body import detached, replaced_body
from vyre_dialect.passes.rewriting.moving import take_out_all
from vyre_dialect.passes.rewriting.rewriters import rewriter_of


class Known(Analysis):
    """A fact that rests on everything."""

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        return cls()


def test_no_fact_outlives_what_is_taken_out():
    owner, facts = arm(""), AnalysisManager()
    known = facts.get(Known, owner)
    ops = take_out_all(owner.body.block, rewriter_of(owner, facts))
    assert ops and owner.body.block.is_empty
    assert facts.get(Known, owner) is not known


def test_no_fact_outlives_a_body_that_is_replaced():
    owner, facts = arm(""), AnalysisManager()
    before, known = list(owner.body.block.ops), facts.get(Known, owner)
    with replaced_body(owner.body.block, rewriter_of(owner, facts)) as (built, ops):
        while_empty = facts.get(Known, owner)
        assert ops == before and while_empty is not known
        with ImplicitBuilder(built):
            number = constant(1).ssa.owner
    assert list(owner.body.block.ops) == [number]
    assert facts.get(Known, owner) is not while_empty


def test_what_stands_in_an_arm_is_not_taken_out_unheard():
    with pytest.raises(AssertionError, match="taken out by a rewriter"):
        detached(arm("").body.block)
    assert detached(Block()) == []
