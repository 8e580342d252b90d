"""
`vyre.scan.histogram` as one cooperative arm.

A workgroup counts 8192 bytes in workgroup memory and then adds each count to its bin. Every
bin is kept in several copies that lie next to each other, so that neighbouring invocations
which meet the same byte rarely wait for one another.
"""

from __future__ import annotations

from functools import reduce
from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import UnitAttr, VectorType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import (
    Buffer,
    Value,
    arm,
    barrier,
    constant,
    for_,
    if_,
    index,
    local_id,
    workgroup_id,
)
from vyre_dialect.ops.memory import AtomicRMWOp
from vyre_dialect.ops.scan import HISTOGRAM_BINS, HistogramOp
from vyre_dialect.passes.expansions.host_side import invocations, program_of, temporary
from vyre_dialect.types import AtomicKind, MemorySpace

WORKGROUP = HISTOGRAM_BINS
LOAD_BYTES = 16
LOADS = 2
TILE = WORKGROUP * LOAD_BYTES * LOADS
COPIES = 4
WORDS = VectorType(i32, [4])


class ExpandHistogram(RewritePattern):
    """Expand `vyre.scan.histogram`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: HistogramOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            source, bins = Buffer(op.source), Buffer(op.bins)
            counts = temporary(
                program_of(op), "counts", i32, HISTOGRAM_BINS * COPIES, MemorySpace.WORKGROUP
            )
            groups = invocations(source, TILE)
            with arm("scan.histogram", groups * WORKGROUP, workgroup_size=[WORKGROUP]):
                lane = local_id().named("lane")
                tile = (workgroup_id() * TILE).named("tile")
                for copy in range(COPIES):
                    counts[lane + copy * WORKGROUP] = 0
                barrier()
                _count(source, counts, lane, tile)
                barrier()
                _merge(source, counts, bins, lane, tile)
        rewriter.erase(op)


def _count(source: Buffer, counts: Buffer, lane: Value, tile: Value) -> None:
    first = (tile + lane * LOAD_BYTES).named("first")
    copy = (lane % COPIES).to(i32).named("copy")
    with for_(0, TILE, WORKGROUP * LOAD_BYTES) as loads:
        words = source.load(first + loads.counter.named("step"), WORDS).named("words")
        for number in range(4):
            word = words.lane(number).named("word")
            for position in range(4):
                byte = (word >> 8 * position if position else word) & 0xFF
                _count_one(counts, (byte * COPIES + copy).to(index))


def _count_one(counts: Buffer, position: Value) -> None:
    op = AtomicRMWOp(AtomicKind.ADDI, constant(1, i32).ssa, counts.ssa, position.ssa)
    # A copy of the bin of a byte, whatever the byte is.
    op.in_bounds = UnitAttr()


def _merge(source: Buffer, counts: Buffer, bins: Buffer, lane: Value, tile: Value) -> None:
    copies = counts.load(lane * COPIES, VectorType(i32, [COPIES]))
    count = reduce(add, [copies.lane(copy) for copy in range(COPIES)]).named("count")
    # Bytes past the end were read, and counted, as zeros.
    past_end = (tile + TILE - source.length).max(0).named("past_end")
    count = (count - lane.eq(0).select(past_end, 0).to(i32)).named("count")
    with if_(count.ne(0)):
        bins.atomic(AtomicKind.ADDI, count.to(bins.type.element_type), lane)
