"""A loop that is split: into the iterations of the interior, and the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.counter_bounds import CounterBounds, Number
from vyre_dialect.analysis.guards import conjunction
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.cooperation import has_convergent_op
from vyre_dialect.ir.interfaces import arm_of, ops_around
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import ALL_LANES
from vyre_dialect.passes.loop.splitting.agreement import agreed_values
from vyre_dialect.passes.loop.splitting.decisions import decide_comparisons
from vyre_dialect.passes.loop.splitting.marks import INTERIOR, MAX_OPS, TAIL


class _Interior(NamedTuple):
    """A branch of a loop that its first iterations take."""

    branch: scf.IfOp
    around: scf.IfOp | None
    """The branch that it stands in, which they take, too; None where it stands in the loop."""
    ends: Sequence[Number]
    """They are those with a counter below all of these."""


@dataclass
class SplitLoop(RewritePattern):
    """
    Cuts a loop in two where the test of a branch with a `mark`, `vyre.interior` or
    `vyre.all_lanes`, ceases to hold, if that is a bound on the counter from above; other branches
    by the same test go, too. A loop in which a workgroup does something together stays as it is:
    its invocations need not agree on where to cut.
    """

    facts: AnalysisManager
    mark: str = INTERIOR

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        arm, found = arm_of(op), _interior_of(op, self.mark, self.facts)
        if arm is None or found is None or (self.mark == ALL_LANES and self._waits(op)):
            return
        with ImplicitBuilder(rewriter):
            end = Value(op.ub)
            for number in found.ends:
                end = end.min(number.emit())
            end = end.named("interior_end")
            begin = _first_from(end, op).named("tail_begin")
        interior = op.clone()
        interior.operands[1] = end.ssa
        op.attributes.pop(INTERIOR, None)
        interior.attributes[INTERIOR] = op.attributes[TAIL] = UnitAttr()
        rewriter.insert(interior)
        _take_interior(found, op, interior, rewriter)
        op.operands = [begin.ssa, op.ub, op.step, *interior.results]
        rewriter.notify_op_modified(op)
        decide_comparisons(interior.body.block, self.facts.get(LinearForms, arm), rewriter)

    def _waits(self, loop: scf.ForOp) -> bool:
        """Whether a loop around is yet to be split, where the interior may decide how many run."""
        around = (op for op in ops_around(loop) if isinstance(op, scf.ForOp))
        return any(_interior_of(each, INTERIOR, self.facts) is not None for each in around)


def _interior_of(loop: scf.ForOp, mark: str, facts: AnalysisManager) -> _Interior | None:
    """The interior that a loop may be cut by; None for a loop that stays whole."""
    arm = arm_of(loop)
    if not isinstance(loop.lb.type, IndexType) or arm is None or TAIL in loop.attributes:
        return None
    integers = facts.get(Integers, arm)
    found = next(_interiors(loop, mark, integers), None)
    if found is None or not _may_be_twice(loop, found.branch) or not _can_count(loop, integers):
        return None
    return None if agreed_values(loop.results, [found.branch.cond], arm, facts) else found


def _interiors(loop: scf.ForOp, mark: str, integers: Integers) -> Iterator[_Interior]:
    bounds = CounterBounds(loop, integers)
    for branch, around in _branches(loop.body.block, mark):
        if mark not in branch.attributes or not branch.false_region.blocks:  # not by this pass
            continue
        tests = [each.cond for each in (around, branch) if each is not None]
        ends = [_ends(test, bounds) for test in tests]
        if ends and all(ends):
            yield _Interior(branch, around, [end for each in ends for end in each])


def _branches(block: Block, mark: str) -> Iterator[tuple[scf.IfOp, scf.IfOp | None]]:
    """
    The branches of a block. If it is a single one, and those of all lanes are looked for, which
    stand behind what asks whether there is any, then with it those right where it is taken, too.
    """
    branches = [op for op in block.ops if isinstance(op, scf.IfOp)]
    yield from ((op, None) for op in branches)
    if mark == ALL_LANES and len(branches) == 1:
        (around,) = branches
        inner = around.true_region.block.ops
        yield from ((op, around) for op in inner if isinstance(op, scf.IfOp))


def _ends(test: SSAValue, bounds: CounterBounds) -> Sequence[Number]:
    """The numbers below all of which a counter is where a test holds; none if that is not all."""
    said = [bounds.of(each) for each in conjunction(test) or ()]
    known = [bound for each in said if each is not None for bound in each]
    is_all = None not in said and all(bound.is_end for bound in known)
    return [bound.number for bound in known] if is_all else ()


def _can_count(loop: scf.ForOp, integers: Integers) -> bool:
    """Whether iterations can be counted without wrapping around."""
    begin, end, step = (integers.range_at(each, loop.parent) for each in loop.operands[:3])
    return step.low >= 1 and end.high - begin.low + step.high < INDEX_LIMIT


def _may_be_twice(loop: scf.ForOp, branch: scf.IfOp) -> bool:
    """Whether a loop may fall apart: few ops are not of the branch, none is of a workgroup."""
    inside, all_ops = (sum(1 for _ in ops_inside(each)) for each in (branch, loop.body))
    return all_ops - inside <= MAX_OPS and not has_convergent_op(loop.body)


def _first_from(end: Value, loop: scf.ForOp) -> Value:
    """What the counter is in the first iteration that is not below `end`."""
    begin = Value(loop.lb)
    if integer_of(loop.step) == 1:
        return begin.max(end)
    left = (end.max(begin) - begin).max(0)  # as ranges do not tell that it is not negative
    return begin + left.ceildiv(loop.step) * loop.step


def _take_interior(
    found: _Interior, tail: scf.ForOp, interior: scf.ForOp, rewriter: PatternRewriter
) -> None:
    """Let all branches by the test be taken in one copy of a loop, and not in the other."""
    copies = dict(zip(_branches_inside(tail), _branches_inside(interior), strict=True))
    block, test = found.branch.parent, found.branch.cond
    for branch in [each for each in copies if each.parent is block and each.cond is test]:
        _take(copies[branch], copies[branch].true_region, rewriter)
        _take(branch, branch.false_region, rewriter)
    if found.around is not None:
        _take(copies[found.around], copies[found.around].true_region, rewriter)


def _branches_inside(loop: scf.ForOp) -> list[scf.IfOp]:
    return [op for op in ops_inside(loop.body) if isinstance(op, scf.IfOp)]


def _take(branch: scf.IfOp, region: Region, rewriter: PatternRewriter) -> None:
    """Let one region of a branch, if it has a block, stand in its place."""
    if not region.blocks:
        rewriter.erase(branch)
        return
    last = region.block.last_op
    assert last is not None
    rewriter.inline_block(region.block, InsertPoint.before(branch))
    rewriter.replace(branch, [], last.operands)
    rewriter.erase(last)
