"""
`vyre-tighten-bounds`: a loop runs only the iterations in which its guards let it do something.

    for k in 0 .. n { if (base + k < m) { store } }    becomes
    for k in 0 .. min(n, m - base) { store }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Block, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.analysis.counter_bounds import CounterBound, CounterBounds, Number
from vyre_dialect.analysis.guards import (
    Comparison,
    block_around,
    guards_at,
)
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.iterations import most_iterations
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.cooperation import has_convergent_op
from vyre_dialect.ir.effects import is_effect_free, states_effects
from vyre_dialect.ir.interfaces import HasInvocationsInterface, accesses_of, arm_of, arms_in
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import UNROLL
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive

FEW_ITERATIONS = 128
"""
A loop of so many iterations at most gets no bound but numbers: device compilers write it out,
unless it says that far fewer are to stand side by side (`vyre.unroll`).
"""
MANY_TURNS = 16
"""Times as many iterations as stand side by side from which on a loop surely stays one."""


@dataclass
class TightenBounds(RewritePattern):
    """
    Shrinks the bounds of a loop to the iterations in which comparisons hold under which alone it
    writes anything or changes what it carries, and lets these comparisons be true.

    They compare sums of multiples of the counter, by powers of two, and of values from outside of
    the loop, none of which wraps around. A loop in which a workgroup does something together is
    left alone.
    """

    integers: Integers
    """Those of loops that are tightened meanwhile still hold."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op.lb.type, IndexType) or arm_of(op) is None:
            return
        if not (guards := _guards_of_change(op)):
            return
        if has_convergent_op(op.body):
            return
        bounds = _Bounds(op, self.integers)
        # What is compared in front of the loop stays, and would be taken again and again.
        inside = [guard for guard in guards if any(_comparisons(op, guard))]
        tightened = [guard for guard in inside if bounds.take(guard)]
        if not tightened:
            return
        with ImplicitBuilder(rewriter):
            begin, end = bounds.emit_begin(), bounds.emit_end()
        op.operands[0], op.operands[1] = begin, end
        for guard in tightened:
            _decide(op, guard, rewriter)
        rewriter.notify_op_modified(op)


def _guards_of_change(loop: scf.ForOp) -> Sequence[Comparison]:
    """The comparisons that hold, inside of a loop, wherever it has a lasting effect."""
    common: list[Comparison] | None = None
    seen = set[Block]()
    for block in _places_of_change(loop):
        if block in seen:
            continue
        seen.add(block)
        here = list(_guards_within(block, loop))
        common = here if common is None else [guard for guard in common if guard in here]
        if not common:
            break
    return list(dict.fromkeys(common or ()))


def _guards_within(block: Block | None, loop: scf.ForOp) -> Iterator[Comparison]:
    while block is not None and block is not loop.body.block:
        yield from guards_at(block)
        block = block_around(block)


def _places_of_change(loop: scf.ForOp) -> Iterator[Block]:
    """The blocks in which something is written, or that give a carried value another value."""
    for op in ops_inside(loop.body):
        if is_effect_free(type(op)):
            continue
        if not states_effects(op) or any(access.writes for access in accesses_of(op)):
            assert op.parent is not None
            yield op.parent
    body = loop.body.block
    assert body.last_op is not None
    pending = [
        (value, carried, body)
        for value, carried in zip(body.last_op.operands, body.args[1:], strict=True)
    ]
    while pending:
        value, carried, block = pending.pop()
        branch = value.owner
        if isinstance(branch, scf.IfOp) and branch.parent is block:
            assert isinstance(value, OpResult)
            for inner in (branch.true_region.block, branch.false_region.block):
                assert inner.last_op is not None
                pending.append((inner.last_op.operands[value.index], carried, inner))
        elif value is not carried:
            yield block


def _decide(loop: scf.ForOp, guard: Comparison, rewriter: PatternRewriter) -> None:
    """Replace the comparisons of a loop that say of its counter what now always holds."""
    for op in list(_comparisons(loop, guard)):
        holds = Comparison.of(op) == guard
        rewriter.replace(op, arith.ConstantOp(BoolAttr.from_bool(holds)))


def _comparisons(loop: scf.ForOp, guard: Comparison) -> Iterator[arith.CmpiOp]:
    """The comparisons in a loop that are true where a guard holds, or false."""
    for op in loop.body.walk():
        if isinstance(op, arith.CmpiOp) and Comparison.of(op) in (guard, guard.negated):
            yield op


class _Limits:
    """One bound of a loop, and what else bounds the counter on that side."""

    def __init__(self, value: SSAValue, known: Range, *, is_end: bool):
        self.value, self.is_end = value, is_end
        self.own = Number.of(value, known)
        self.others = list[Number]()

    def add(self, number: Number) -> None:
        """Bound the counter by a number, unless that is known to bound nothing."""
        if not self._is_at_least_as_tight(self.own, number):
            self.others.append(number)

    def _is_at_least_as_tight(self, one: Number, other: Number) -> bool:
        if self.is_end:
            return one.range.high <= other.range.low
        return one.range.low >= other.range.high

    def emit(self) -> SSAValue:
        """The tightest of all, computed at the current place."""
        if not self.others:
            return self.value
        first, *others = self.others
        total = first.emit()
        if not self._is_at_least_as_tight(first, self.own):
            total = _tighter(total, Value(self.value), is_end=self.is_end)
        for other in others:
            total = _tighter(total, other.emit(), is_end=self.is_end)
        return total.ssa


def _tighter(one: Value, other: Value, *, is_end: bool) -> Value:
    return one.min(other) if is_end else one.max(other)


class _Bounds:
    """The bounds of a loop, to be tightened."""

    def __init__(self, loop: scf.ForOp, integers: Integers):
        self._loop, self._said = loop, CounterBounds(loop, integers)
        begin, end, step = (integers.range_at(each, loop.parent) for each in loop.operands[:3])
        self._step = step.low if step.low == step.high else None
        self._begin = _Limits(loop.lb, begin, is_end=False)
        self._end = _Limits(loop.ub, end, is_end=True)
        most, factor = most_iterations(loop, integers), loop.attributes.get(UNROLL)
        is_kept = isinstance(factor, IntegerAttr) and MANY_TURNS * factor.value.data <= most
        self._has_few_iterations = most <= FEW_ITERATIONS and not is_kept

    def take(self, guard: Comparison) -> bool:
        """Let a comparison hold in every iteration; whether bounds can say that."""
        bounds = self._said.of(guard)
        if bounds is None or not all(map(self._is_worth_it, bounds)):
            return False
        for bound in bounds:
            (self._end if bound.is_end else self._begin).add(bound.number)
        return True

    def _is_worth_it(self, bound: CounterBound) -> bool:
        """Whether a bound is computed fast enough, and the loop can begin there."""
        number = bound.number
        is_lost = self._has_few_iterations and not number.is_known
        is_cheap = number.divisor.bit_count() == 1
        return is_cheap and not is_lost and (bound.is_end or self._can_begin_at(number))

    def _can_begin_at(self, number: Number) -> bool:
        """Whether the first iteration from a number on can be computed."""
        if self._step is None or self._step.bit_count() != 1:
            return False
        past = Number(number.form.plus(self._begin.own.form, -1).shifted(2 * self._step))
        return self._step == 1 or past.fits

    def emit_begin(self) -> SSAValue:
        """The first iteration, computed at the current place: some steps from what it was."""
        begin = self._begin.emit()
        if begin is self._loop.lb or self._step == 1:
            return begin
        assert self._step is not None
        old = Value(self._loop.lb)
        return (((Value(begin) - old + (self._step - 1)) & -self._step) + old).ssa

    def emit_end(self) -> SSAValue:
        """What the counter stays below, computed at the current place."""
        return self._end.emit()


@dataclass(frozen=True)
class TightenBoundsPass(RewritePass):
    """
    Shrinks the bounds of loops whose guards let only some iterations write anything or change what
    is carried, so that the others do not run, and the guards are always true.

    A loop that has few iterations in any case gets no bounds that are not numbers.
    """

    name = "vyre-tighten-bounds"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.LOOP,
        requires=("licm",),
        invalidates=(
            *("canonicalize", "licm", "vyre-cse", "vyre-hoist-loads"),
            *("vyre-prove-accesses", "vyre-forward-stores", "vyre-optimize-integers"),
        ),
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        changed = False
        for arm in arms_in(module):
            while _tighten(arm, facts):
                changed = True  # and of fewer iterations more is known
        return changed


def _tighten(arm: HasInvocationsInterface, facts: AnalysisManager) -> bool:
    """Tighten the bounds in an arm by what is known now; whether any are."""
    return drive(TightenBounds(facts.get(Integers, arm)), arm.body, facts, scf.ForOp)
