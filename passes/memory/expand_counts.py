"""
`vyre-expand-counts`: a count of one of few elements, which data choose, becomes one of each.

    %place = arith.index_cast %code                   %is_0 = arith.cmpi eq, %code, %zero
    vyre.atomic_rmw addi %one, %bins[%place]   -->    %term = arith.extui %is_0
                                                      vyre.atomic_rmw addi %term, %bins[%first], …

Lanes then compare, and sum up in registers, where each would update an element by itself. The
method is that of programs that count few values by SIMD.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.places import places
from vyre_dialect.builder.buffers import Buffer
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.interfaces import accesses_of, ops_outside_arms
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import AtomicKind, element_bytes
from vyre_dialect.ops.memory import AtomicRMWOp, LoadOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.vectorization.arms import Form, Planned, planned
from vyre_dialect.passes.rewriting.carried_values import erase_dead
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of

LANES = 16
"""With which an arm is asked whether they do all together."""
MOST_ELEMENTS = 32
"""Of all that an arm counts in: each sum takes a register, of which some CPUs have no more."""
MOST_BYTES = 32
"""
Of codes, one for each element: lanes compare and sum up so many in about the time of a store. 16
of bytes, as in `nibble_histogram` of the gate, take 0.4 of the time on CPUs, 32 half of it, and 8
of words 0.2 to 0.6 (docs/kernels.md).
"""


@dataclass(frozen=True)
class ExpandCountsPass(RewritePass):
    """
    Expands what adds a constant to an element of a buffer of a known size, which an integer
    chooses, in data-parallel arms: so few elements that their numbers take 32 bytes, as wide as the
    widest of what the integer is computed from, and no more than 32 of all buffers. The old values
    must be unused, data choose nothing else, and lanes do together all that the arm does then.
    """

    name = "vyre-expand-counts"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.EXPAND,  # as lanes sum up what neighbours add to one element
        Family.UNKNOWN,
        requires=("vyre-expand", "vyre-narrow-integers"),
        invalidates=("vyre-vectorize",),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        arms = [op for op in ops_outside_arms(module) if isinstance(op, RegionOp)]
        counting = [arm for arm in arms if arm.is_data_parallel and _counts(arm)]
        return any([_expand(arm, facts) for arm in counting])


def _expand(arm: RegionOp, facts: AnalysisManager) -> bool:
    """Expand all that an arm counts, if lanes do together what it does then; whether they do."""
    copy, rewriter = arm.clone(), rewriter_of(arm, facts)
    rewriter.insert(copy, InsertPoint.after(arm))
    for each in _counts(copy):
        each.expand(rewriter)
    erase_dead(copy.body.block, rewriter)
    found = planned(copy, Form(LANES), facts)
    is_all_wide = isinstance(found, Planned) and found.plan.planning.is_all_wide
    if isinstance(found, Planned):
        found.drop(facts)
    rewriter.erase(arm if is_all_wide else copy)
    return is_all_wide


@dataclass(frozen=True)
class Count:
    """What adds a constant to one of some elements."""

    op: AtomicRMWOp
    code: SSAValue
    """The integer that chooses the element, without the bits that were added to it."""
    elements: int

    @staticmethod
    def of(op: Operation) -> Count | None:
        """What an op counts, if it does."""
        if not isinstance(op, AtomicRMWOp) or op.kind.data != AtomicKind.ADDI:
            return None
        cast, elements = op.index.owner, Buffer(op.buffer).type.static_count
        if op.old.first_use is not None or integer_of(op.value) is None or elements is None:
            return None
        if not isinstance(cast, arith.IndexCastOp) or isinstance(cast.input.type, IndexType):
            return None
        extension = cast.input.owner
        is_extended = isinstance(extension, arith.ExtUIOp)
        return Count(op, extension.input if is_extended else cast.input, elements)

    @property
    def gains(self) -> bool:
        """Whether lanes compare with all elements in less time than they take turns."""
        return self.elements * _widest(self.code) <= MOST_BYTES

    @property
    def _codes(self) -> int:
        """How many elements codes can choose: an index of one that is negative chooses none."""
        cast, type = self.op.index.owner, self.code.type
        assert isinstance(cast, arith.IndexCastOp) and isinstance(type, IntegerType)
        return 1 << type.width.data - (cast.input is self.code)

    def expand(self, rewriter: PatternRewriter) -> None:
        """Add to each element what is added where it is chosen, and nothing elsewhere."""
        op, bins = self.op, Buffer(self.op.buffer)
        with building(rewriter, InsertPoint.before(op)):
            for element in range(min(self.elements, self._codes)):
                is_chosen = Value(self.code).eq(element)
                is_one = integer_of(op.value) == 1
                term = is_chosen.to(op.value.type) if is_one else is_chosen.select(op.value, 0)
                bins.atomic(AtomicKind.ADDI, term, element)
        rewriter.erase(op)


def _counts(arm: RegionOp) -> Sequence[Count]:
    """What an arm counts, if all of it gains; nothing where data choose anything else."""
    counts, ops = list[Count](), ops_inside(arm.body)
    known = places(ops)
    for op in ops:
        indices = [access.index for access in accesses_of(op)]
        if all(not isinstance(index, SSAValue) or index in known for index in indices):
            continue
        if (count := Count.of(op)) is None or not count.gains:
            return ()
        counts.append(count)
    return counts if sum(each.elements for each in counts) <= MOST_ELEMENTS else ()


def _widest(code: SSAValue) -> int:
    """The bytes of the widest of what a code is computed from, places aside."""
    return max(
        element_bytes(each.type) or 1
        for each in _sources(code)
        if not isinstance(each.type, IndexType) and not isinstance(each.owner, arith.ConstantOp)
    )


def _sources(value: SSAValue) -> AbstractSet[SSAValue]:
    """A value and all that it is computed from, up to what is loaded."""
    seen, pending = {value}, [value]
    while pending:
        op = pending.pop().owner
        if isinstance(op, Operation) and not isinstance(op, LoadOp):
            new = set(op.operands) - seen
            seen |= new
            pending += new
    return seen
