"""
`vyre.scan.histogram` as one cooperative arm, or as one data-parallel arm.

A workgroup counts 8192 bytes in workgroup memory and then adds each count to its bin. Every
bin is kept in several copies that lie next to each other, so that neighbouring invocations
which meet the same byte rarely wait for one another.

An invocation of the data-parallel arm adds one to the bin of each of 32 bytes. What it reads past
the end are zeros, which it takes back from their bin.
"""

from __future__ import annotations

from collections.abc import Iterator
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
LANES = 8
"""Words that an invocation of the data-parallel arm counts the bytes of."""


class ExpandDataParallelHistogram(RewritePattern):
    """Expand `vyre.scan.histogram` where it is to be data-parallel."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: HistogramOp, rewriter: PatternRewriter, /) -> None:
        if op.data_parallel is None:
            return
        source, bins, width = Buffer(op.source), Buffer(op.bins), 4 * LANES
        one = bins.type.element_type
        with ImplicitBuilder(rewriter), arm("scan.histogram", invocations(source, width)) as i:
            first = (i * width).named("first")
            words = source.load(first, VectorType(i32, [LANES])).named("words")
            for byte in _bytes_of(words, LANES):
                _count_one(bins, byte.to(index), constant(1, one))
            past_end = (first + width - source.length).named("past_end")
            with if_(past_end > 0):
                _count_one(bins, constant(0), (0 - past_end).to(one))
        rewriter.erase(op)


class ExpandHistogram(RewritePattern):
    """Expand `vyre.scan.histogram` where its workgroups count by themselves."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: HistogramOp, rewriter: PatternRewriter, /) -> None:
        if op.data_parallel is not None:
            return
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
        for byte in _bytes_of(words, 4):
            _count_one(counts, (byte * COPIES + copy).to(index), constant(1, i32))


def _bytes_of(words: Value, count: int) -> Iterator[Value]:
    for number in range(count):
        word = words.lane(number).named("word")
        for position in range(4):
            yield (word >> 8 * position if position else word) & 0xFF


def _count_one(counts: Buffer, position: Value, by: Value) -> None:
    op = AtomicRMWOp(AtomicKind.ADDI, by.ssa, counts.ssa, position.ssa)
    # The bin of a byte, or a copy of it, whatever the byte is.
    op.in_bounds = UnitAttr()


def _merge(source: Buffer, counts: Buffer, bins: Buffer, lane: Value, tile: Value) -> None:
    copies = counts.load(lane * COPIES, VectorType(i32, [COPIES]))
    count = reduce(add, [copies.lane(copy) for copy in range(COPIES)]).named("count")
    # Bytes past the end were read, and counted, as zeros.
    past_end = (tile + TILE - source.length).max(0).named("past_end")
    count = (count - lane.eq(0).select(past_end, 0).to(i32)).named("count")
    with if_(count.ne(0)):
        bins.atomic(AtomicKind.ADDI, count.to(bins.type.element_type), lane)
