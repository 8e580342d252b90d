"""`vyre-unroll`: loops of few iterations, known by number, are written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.iterations import known_iterations
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import HasAccessesInterface, HasInvocationsInterface, buffers_of
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import UNROLL, BufferType, MemorySpace
from vyre_dialect.passes.rewriting.copying import copied
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive

MAX_OPS = 4096
"""Ops that one loop may become."""
MAX_KEPT = 128
"""
Of them, those that touch private memory that stays in memory, so that the compiler of the device
only has more text. Of 256 loads, `card_numbers` of the gate took 1.3 to 1.4 times as long.
"""


class _Tiles(NamedTuple):
    """The private buffers of an arm."""

    fixed: Set[SSAValue]
    """Touched only where ids and counters say."""
    kept: Set[SSAValue]
    """Those of them that stay in memory: a loop that is not written out goes along them."""
    chosen: Set[SSAValue]
    """Touched where the data say."""


@dataclass
class Unroll(RewritePattern):
    """Writes out the loops of an arm or kernel that are wanted, innermost first."""

    facts: AnalysisManager
    limit: int
    loops: Literal["private", "all"]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, HasInvocationsInterface):
            return
        while self._unroll(op, rewriter):
            pass  # bounds may be known once the counter of a loop around them is

    def _unroll(self, arm: HasInvocationsInterface, rewriter: PatternRewriter) -> bool:
        """Write out what can be; whether that was anything."""
        integers, changed = self.facts.get(Integers, arm), False
        tiles = _tiles(arm, self.facts)
        for loop in [each for each in ops_inside(arm.body) if isinstance(each, scf.ForOp)][::-1]:
            counts = known_iterations(loop, integers)
            if counts is not None and self._is_wanted(loop, counts, tiles):
                _write_out(loop, counts, rewriter)
                changed = True
        return changed

    def _is_wanted(self, loop: scf.ForOp, counts: range, tiles: _Tiles) -> bool:
        factor = loop.attributes.get(UNROLL)
        if _is_longer(counts, self.limit) or _is_partial(factor, counts):
            return False
        ops = ops_inside(loop.body)
        if len(ops) * len(counts) > MAX_OPS:
            return False
        if self.loops == "all" or factor is not None:
            return True
        touched = [buffer for op in ops for buffer in buffers_of(op)]
        inside = set(touched)
        if sum(buffer in tiles.kept for buffer in touched) * len(counts) > MAX_KEPT:
            return False
        runs_long = any(isinstance(op, scf.WhileOp) for op in ops)
        return bool(inside & tiles.fixed) and not inside & tiles.chosen and not runs_long


def _is_longer(counts: range, limit: int) -> bool:
    return bool(counts[limit:])  # `len` raises where it is beyond a word


def _is_partial(factor: Attribute | None, counts: range) -> bool:
    """Whether a loop says that only a few of its iterations are to stand side by side."""
    return isinstance(factor, IntegerAttr) and _is_longer(counts, factor.value.data)


@dataclass(frozen=True)
class UnrollPass(RewritePass):
    """
    Writes out the loops of arms and kernels whose bounds are known and that have at most `limit`
    iterations, innermost first: those that touch private memory whose offsets become known so, as
    the data choose none of them, or `all`. A loop that says by `vyre.unroll` how many of its
    iterations are to stand side by side is written out for all of them, and left for fewer.

    Unless that is said, or `all` are asked for, a loop is left with an `scf.while` inside, whose
    copies would run as long as the data say, each by itself, and so is one that also updates
    private memory where the data choose: written out, such updates were up to thirty times as slow
    on an AMD EPYC, in `packed_histogram` of the gate. So is one with many accesses to a tile that
    stays in memory, as a loop around it goes along the tile and says that it is not written out.
    """

    name = "vyre-unroll"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("canonicalize",),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses", "vyre-form-byte-permutes"),
        on_request=True,
    )

    limit: int = 16
    loops: Literal["private", "all"] = "private"

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        if self.limit < 1:
            raise PassFailedException(
                f"'{self.name}' expected a limit of at least one iteration, got {self.limit}"
            )
        pattern = Unroll(facts, self.limit, self.loops)
        return drive(pattern, module.body, facts, HasInvocationsInterface, apply_recursively=False)


def _tiles(arm: HasInvocationsInterface, facts: AnalysisManager) -> _Tiles:
    """The private buffers that are touched only where ids and counters say, and the others."""
    divergence, forms = facts.get(DivergenceAnalysis, arm), facts.get(LinearForms, arm)
    found, kept, chosen = set[SSAValue](), set[SSAValue](), set[SSAValue]()
    for op in ops_inside(arm.body):
        for access in op.get_accesses() if isinstance(op, HasAccessesInterface) else ():
            type = access.buffer.type
            if not isinstance(type, BufferType) or type.space != MemorySpace.PRIVATE:
                continue
            if not divergence.of(access.index).is_decided:
                chosen.add(access.buffer)
                continue
            found.add(access.buffer)
            if isinstance(access.index, SSAValue) and _stays_unknown(access.index, op, forms):
                kept.add(access.buffer)
    return _Tiles(found - chosen, kept, chosen)


def _stays_unknown(index: SSAValue, op: Operation, forms: LinearForms) -> bool:
    """Whether an index goes by the counter of a loop that says that it is not written out."""
    loops = [loop for loop in _loops_around(op) if UNROLL in loop.attributes]
    if not loops:
        return False
    block = op.parent
    assert block is not None
    symbols = forms.at(index, block).factors.keys()
    return any(
        symbols & forms.at(loop.body.block.args[0], block).factors.keys()
        for loop in loops
        if _stays(loop, forms.integers)
    )


def _loops_around(op: Operation) -> Iterator[scf.ForOp]:
    while (parent := op.parent_op()) is not None:
        if isinstance(parent, scf.ForOp):
            yield parent
        op = parent


def _stays(loop: scf.ForOp, integers: Integers) -> bool:
    """Whether a loop says that a few of its iterations, and not all, are to stand side by side."""
    counts = known_iterations(loop, integers)
    return counts is None or _is_partial(loop.attributes[UNROLL], counts)


def _write_out(loop: scf.ForOp, counts: Sequence[int], rewriter: PatternRewriter) -> None:
    """Put a copy of the body for each iteration in the place of a loop."""
    body, place = loop.body.block, InsertPoint.before(loop)
    last = body.last_op
    assert last is not None
    carried: list[SSAValue] = list(loop.iter_args)
    for count in counts:
        counter = arith.ConstantOp(IntegerAttr(count, IndexType()))
        rewriter.insert(counter, place)
        copies: dict[SSAValue, SSAValue] = {body.args[0]: counter.result}
        copies |= dict(zip(body.args[1:], carried, strict=True))
        for op in body.ops:
            if op is not last:
                rewriter.insert(copied(op, copies), place)
        carried = [copies.get(value, value) for value in last.operands]
    rewriter.replace(loop, [], carried)
