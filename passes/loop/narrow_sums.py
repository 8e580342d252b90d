"""
`vyre-narrow-sums`: lanes that sum up small numbers do so in few bits, for as long as these hold
the sum.

    for k in 0 .. n { sum += extui(x) : i8 to i32 }    becomes

    for c in 0 .. n step 255 {
      few = 0 : i8
      for k in c .. min(c + 255, n) { few += x }
      sum += extui(few)
    }

where `x` is at most 1. Vectors of bytes then stay bytes: nothing is widened in the inner loop, and
what is summed up fills a quarter of the registers. A loop that is known to be short enough stays
one. The method is that of programs that count bytes by SIMD, such as W. Muła, N. Kurz, D. Lemire,
"Faster Population Counts Using AVX2 Instructions", 2018, which sums up bytes before words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, IntegerType, ModuleOp, VectorType
from xdsl.ir import Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.iterations import can_count, most_iterations
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.value_ranges import MAX_COUNT
from vyre_dialect.builder import Value, constant
from vyre_dialect.ir.constants import integer_of, splat_integer
from vyre_dialect.ir.interfaces import HasInvocationsInterface
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    SelectLanesOp,
)
from vyre_dialect.passes.rewriting.loop_parts import parts_of, run_over
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, drive

_Recipe = Callable[[], Value]
"""Builds a value at the current place."""

WIDTHS = (8, 16, 32)
"""Bits that a sum may have for a while."""
MIN_TURNS = 16
"""Iterations that it must hold, so that it is seldom widened."""


@dataclass(frozen=True)
class NarrowSumsPass(RewritePass):
    """
    Keeps what a loop sums up in the lanes of a vector in 8, 16 or 32 bits, where the terms are
    known to be so small that they hold the sum of 16 iterations and more, and where what the terms
    are made of is no wider. A loop that may run longer than that becomes two.

    Only of loops whose number of iterations has a bound, or that stand in no other one: what is
    done once for each run of a short loop is not to cost more than its iterations.
    """

    name = "vyre-narrow-sums"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-split-index-sets", "canonicalize"),
        invalidates=("canonicalize", "vyre-cse", "licm"),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        changed = False
        for arm, integers in facts.of_arms(Integers, module):
            changed |= drive(NarrowSums(integers), arm.body, facts, scf.ForOp)
        return changed


@dataclass
class NarrowSums(RewritePattern):
    """Narrows all sums of a loop that can be, for as many iterations as each of them holds."""

    integers: Integers

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op.lb.type, IndexType):
            return
        turns, step = most_iterations(op, self.integers), integer_of(op.step)
        is_inside = not isinstance(op.parent_op(), HasInvocationsInterface)
        if turns < MIN_TURNS or step is None or (is_inside and turns == MAX_COUNT):
            return
        sums = [_Sum.of(op, at, self.integers) for at in range(len(op.iter_args))]
        if not (found := [each for each in sums if each is not None]):
            return
        limit = min(each.turns for each in found)
        if turns > limit and not can_count(op, limit * step, self.integers):
            return
        hints = [result.name_hint for result in op.results]
        with building(rewriter, InsertPoint.before(op)):
            if turns <= limit:
                results = _run(op, found, (op.lb, op.ub), op.iter_args, rewriter)
            else:
                results = _run_in_parts(op, found, limit * step, rewriter)
        rewriter.replace(op, [], results)
        for result, hint in zip(results, hints, strict=True):
            result.name_hint = hint


@dataclass(frozen=True)
class _Sum:
    """What a loop sums up in the lanes of a vector, and carries at a position."""

    position: int
    added: Sequence[arith.AddiOp]
    """The ops that sum up, each after those that take its result."""
    terms: Sequence[_Recipe]
    """What an iteration adds, in few bits."""
    type: VectorType
    """Of the sum in few bits."""
    turns: int
    """The iterations whose sum these hold at any rate."""

    @staticmethod
    def of(loop: scf.ForOp, position: int, integers: Integers) -> _Sum | None:
        """What is carried at a position, if it is such a sum of small terms."""
        type, block = loop.iter_args[position].type, loop.body.block
        if not isinstance(type, VectorType) or not isinstance(type.element_type, IntegerType):
            return None
        added, terms = _summed_up(loop, position)
        if not terms:
            return None
        most = max(1, sum(integers.range_at(term, block).high for term in terms))
        widths = range(max(map(_width_of_origin, terms)), type.element_type.width.data)
        for width in WIDTHS:
            turns = (2**width - 1) // most
            if width in widths and turns >= MIN_TURNS:
                recipes = [_narrowed(term, width) for term in terms]
                found = [each for each in recipes if each is not None]
                narrow = VectorType(IntegerType(width), type.get_shape())
                complete = len(found) == len(terms)
                return _Sum(position, added, found, narrow, turns) if complete else None
        return None


def _summed_up(loop: scf.ForOp, position: int) -> tuple[Sequence[arith.AddiOp], Sequence[SSAValue]]:
    """The ops that add to a value that a loop carries, and what; none if it is used otherwise."""
    block = loop.body.block
    carried, last = block.args[1 + position], block.last_op
    assert last is not None
    added, leaves, pending = list[arith.AddiOp](), list[SSAValue](), [last.operands[position]]
    while pending:
        value = pending.pop()
        op = value.owner
        if isinstance(op, arith.AddiOp) and op.parent is block and value.has_one_use():
            added.append(op)
            pending += op.operands
        else:
            leaves.append(value)
    terms = [each for each in leaves if each is not carried]
    is_sum = len(leaves) == len(terms) + 1 and carried.has_one_use()
    return (added, terms) if is_sum else ([], [])


def _width_of_origin(value: SSAValue) -> int:
    """The bits of the lanes that a term is computed from: fewer would only be converted to."""
    match value.owner:
        case ConvertLanesOp() as op if _width(op.input) > 1:
            return _width(op.input)
        case CompareLanesOp() | CompareFloatLanesOp() as op:
            return _width(op.lhs)
        case ConvertLanesOp() | SelectLanesOp() | arith.AndIOp() | arith.OrIOp() | arith.XOrIOp():
            return max(map(_width_of_origin, value.owner.operands))
        case _:
            return 1


def _width(value: SSAValue) -> int:
    type = value.type
    assert isinstance(type, VectorType) and isinstance(type.element_type, FixedBitwidthType)
    return type.element_type.bitwidth


def _narrowed(value: SSAValue, width: int) -> _Recipe | None:
    """The same numbers in so many bits, which hold them, if no op is needed to make them fewer."""
    assert isinstance(value.type, VectorType)
    type = VectorType(IntegerType(width), value.type.get_shape())
    match value.owner:
        case ConvertLanesOp() as op if _extends(op) and _width(op.input) <= width:
            if isinstance(op.input.owner, scf.ForOp):
                return None  # What another loop has summed up is added once for all of that.
            is_signed = op.conversion.data == Conversion.EXTSI
            return lambda: Value(op.input).to(type, signed=is_signed)
        case SelectLanesOp() as op if _is_of_truth(op):
            return lambda: Value(op.mask).to(type)
        case SelectLanesOp() as op:
            taken, other = _narrowed(op.lhs, width), _narrowed(op.rhs, width)
            if taken is None or other is None:
                return None
            return lambda: Value(SelectLanesOp(op.mask, taken().ssa, other().ssa).result)
        case _ if (number := splat_integer(value)) is not None:
            return lambda: constant(number, type)
        case _:
            return None


def _is_of_truth(op: SelectLanesOp) -> bool:
    return (splat_integer(op.lhs), splat_integer(op.rhs)) == (1, 0)


def _extends(op: ConvertLanesOp) -> bool:
    return op.conversion.data in (Conversion.EXTUI, Conversion.EXTSI)


def _run_in_parts(
    loop: scf.ForOp, sums: Sequence[_Sum], span: int, rewriter: PatternRewriter
) -> Sequence[SSAValue]:
    """What a loop gives, run over so much of its range at a time."""
    with parts_of(loop, span) as part:
        part.loop.yields(*_run(loop, sums, part.bounds, part.carried, rewriter))
    return [each.ssa for each in part.loop.results]


def _run(
    loop: scf.ForOp,
    sums: Sequence[_Sum],
    bounds: tuple[SSAValue, SSAValue],
    initial: Sequence[SSAValue],
    rewriter: PatternRewriter,
) -> Sequence[SSAValue]:
    """What a loop, whose body is taken, gives within bounds, if it starts with some values."""
    start = list(initial)
    for each in sums:
        start[each.position] = constant(0, each.type).ssa
    _narrow_body(loop.body.block, sums, rewriter)
    results = list(run_over(loop, bounds, start))
    for each in sums:
        before, few = initial[each.position], Value(results[each.position])
        results[each.position] = (Value(before) + few.named("few").to(before.type)).ssa
    return results


def _narrow_body(body: Block, sums: Sequence[_Sum], rewriter: PatternRewriter) -> None:
    """Let the body of a loop sum up in few bits."""
    last = body.last_op
    assert last is not None
    for each in sums:
        wide = body.args[1 + each.position]
        few = rewriter.insert_block_argument(body, wide.index, each.type)
        few.name_hint = wide.name_hint
        with building(rewriter, InsertPoint.before(last)):
            last.operands[each.position] = reduce(
                Value.__add__, (term() for term in each.terms), Value(few)
            ).ssa
        rewriter.notify_op_modified(last)
        for op in each.added:
            rewriter.erase(op)
        rewriter.erase_block_argument(wide)
