"""A block that is split: into the interior, where a test holds, and the tail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.comparisons import condition_of, decide
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.overflow import conditional_proofs
from vyre_dialect.ir.cooperation import has_convergent_op
from vyre_dialect.ir.effects import is_total
from vyre_dialect.ir.interfaces import HasAccessesInterface, HasInvocationsInterface
from vyre_dialect.ir.proofs import drop_proofs
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.passes.loop.splitting.agreement import agreed_values
from vyre_dialect.passes.loop.splitting.decisions import decide_comparisons
from vyre_dialect.passes.loop.splitting.goals import (
    AccessGoal,
    Goal,
    Unproven,
    bounds_of,
    cover_of,
    deciding,
    unproven_in,
    unproven_within,
    with_decisions,
)
from vyre_dialect.passes.loop.splitting.marks import INTERIOR, MAX_OPS, TAIL
from vyre_dialect.passes.rewriting.copying import copied
from vyre_dialect.passes.rewriting.moving import move


@dataclass
class SplitBlocks(RewritePattern):
    """Splits the outermost blocks of an arm or kernel that can be, and gain by it."""

    facts: AnalysisManager

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, HasInvocationsInterface):
            return
        pending = [op.body.block]
        while pending:
            block = pending.pop()
            if not _leads_up_to_loop(block, self.facts.get(LinearForms, op)):
                interior = _split(op, block, bounds_of, self.facts, rewriter) or block
                # Apart, as most tables have fewer elements than codes of their bits can choose.
                _split(op, interior, cover_of, self.facts, rewriter)
            pending += _inner_blocks(block)


def _leads_up_to_loop(block: Block, forms: LinearForms) -> bool:
    """Whether the last op of a block with accesses that may lie outside is a loop."""
    if not any(isinstance(op, scf.ForOp) for op in block.ops):
        return False
    inside = ((op, inner) for op in reversed(list(block.ops)) for inner in ops_inside(op))
    open_ones = (
        op for op, inner in inside if inner.parent and any(bounds_of(inner, inner.parent, forms))
    )
    return isinstance(next(open_ones, None), scf.ForOp)


def _inner_blocks(block: Block) -> Iterator[Block]:
    """The blocks in those ops of `block` that are not split yet."""
    for op in block.ops:
        if INTERIOR not in op.attributes and TAIL not in op.attributes:
            yield from (inner for region in op.regions for inner in region.blocks)


def _split(
    arm: HasInvocationsInterface,
    block: Block,
    unproven: Unproven,
    facts: AnalysisManager,
    rewriter: PatternRewriter,
) -> Block | None:
    """
    Split a block from its first access that may lie outside to the last op that gains by it, if a
    few tests decide on all: on those in its branches, too, or else on those in the block itself.
    The branch in which they hold; None where it stays whole.
    """
    forms = facts.get(LinearForms, arm)
    for of in (unproven_within, unproven_in):
        goals = list(of(block, forms, unproven))
        tests = deciding(goals, block, forms)
        if not tests:
            continue
        tests = with_decisions(tests, block, forms)
        part = _part(block, goals, tests, forms)
        tested = [value for test in tests for value in test.operands]
        agreed = agreed_values(_used_behind(part), tested, arm, facts)
        if (needed := _needed_in_front(part, [*tested, *agreed])) is None:
            continue
        copies = _compute(needed, part, forms.integers, rewriter)
        inner = _branch(part, tests, copies, rewriter)
        decide_comparisons(inner, facts.get(LinearForms, arm), rewriter)
        return inner
    return None


def _needed_in_front(
    part: Sequence[Operation], values: Sequence[SSAValue]
) -> list[Operation] | None:
    """The ops of `part` that compute some values in front of it; None where it cannot be split."""
    needed = _needed(values, part)
    return needed if needed is not None and _may_be_twice(part) else None


def _compute(
    needed: Sequence[Operation],
    part: list[Operation],
    integers: Integers,
    rewriter: PatternRewriter,
) -> Mapping[SSAValue, SSAValue]:
    """
    Let the ops that are needed stand in front of `part`: those of it leave it, for those further in
    there are copies, which the result has.
    """
    copies = dict[SSAValue, SSAValue]()
    conditional = conditional_proofs(needed, part[0].parent, integers)
    for op in needed:
        if op in part:
            part.remove(op)
            move([op], InsertPoint.before(part[0]), rewriter)
        else:
            copy = op.clone(value_mapper=copies)
            if op in conditional:
                drop_proofs(copy)
            rewriter.insert(copy, InsertPoint.before(part[0]))
    return copies


def _part(
    block: Block, goals: Sequence[AccessGoal], tests: Sequence[Goal], forms: LinearForms
) -> list[Operation]:
    """The ops of a block from the first to the last that are simpler where the tests hold."""
    accesses = {goal.access for goal in goals}
    known, ops = [test.form for test in tests], list(block.ops)
    simpler = [
        place
        for place, op in enumerate(ops)
        if any(each in accesses for each in ops_inside(op))
        or ((condition := condition_of(op)) and decide(condition, block, forms, known) is not None)
    ]
    return ops[simpler[0] : simpler[-1] + 1]


def _needed(values: Sequence[SSAValue], part: Sequence[Operation]) -> list[Operation] | None:
    """The ops in `part` that compute the values, in order; None where one has to stay."""
    inside = [op for each in part for op in ops_inside(each)]
    later, needed = set(inside), set[Operation]()
    pending = [value.owner for value in values]
    while pending:
        op = pending.pop()
        if isinstance(op, Block) and op.parent_op() in later:
            return None
        if not isinstance(op, Operation) or op not in later or op in needed:
            continue
        if op.regions or isinstance(op, HasAccessesInterface) or not is_total(op):
            return None
        needed.add(op)
        pending += [operand.owner for operand in op.operands]
    return [op for op in inside if op in needed]


def _may_be_twice(rest: Sequence[Operation]) -> bool:
    """Whether invocations may run one of two copies: few ops, and nothing done by all together."""
    count = sum(1 for each in rest for _ in ops_inside(each))
    return count <= MAX_OPS and not any(map(has_convergent_op, rest))


def _branch(
    part: Sequence[Operation],
    tests: Sequence[Goal],
    copies: Mapping[SSAValue, SSAValue],
    rewriter: PatternRewriter,
) -> Block:
    """Put `part` into both branches of a test, where it stands; the first branch."""
    inside_of, used = set(part), _used_behind(part)
    rewriter.insertion_point = InsertPoint.before(part[0])
    with ImplicitBuilder(rewriter):
        inside = tests[0].test(copies)
        for test in tests[1:]:
            inside = inside & test.test(copies)
        inside.named("inside")
    mapped = dict[SSAValue, SSAValue]()
    inner = Block([copied(op, mapped) for op in part])
    inner.add_op(scf.YieldOp(*(mapped[value] for value in used)))
    branch = scf.IfOp(inside.ssa, [value.type for value in used], [inner], [tail := Block()])
    branch.attributes[INTERIOR] = UnitAttr()
    rewriter.insert(branch)
    for value, result in zip(used, branch.results, strict=True):
        result.name_hint = value.name_hint
        rewriter.replace_uses_with_if(
            value,
            result,
            lambda use: _ancestor_in(use.operation, branch.parent) not in inside_of,
        )
    move(part, InsertPoint.at_end(tail), rewriter)
    rewriter.insert(scf.YieldOp(*used), InsertPoint.at_end(tail))
    return inner


def _used_behind(part: Sequence[Operation]) -> list[SSAValue]:
    """The results of `part` that other ops use."""
    inside = set(part)
    return [
        result
        for op in part
        for result in op.results
        if any(_ancestor_in(use.operation, op.parent) not in inside for use in result.uses)
    ]


def _ancestor_in(op: Operation, block: Block | None) -> Operation | None:
    """The op of `block` that `op` is, or is inside of."""
    return None if block is None else block.find_ancestor_op_in_block(op)
