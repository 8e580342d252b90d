"""
`vyre.scan.histogram` as one cooperative arm, or as one data-parallel arm.

Each invocation of a workgroup counts 32 bytes in workgroup memory; then every count is added to
its bin. Every bin is kept in several copies that lie next to each other, so that neighbouring
invocations which meet the same byte rarely wait for one another.

An invocation of the data-parallel arm adds one to the bin of each of its bytes. What it reads past
the end are zeros, which it takes back from their bin.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32
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
from vyre_dialect.ir.types import AtomicKind, MemorySpace
from vyre_dialect.ops.scan import HISTOGRAM_BINS, HistogramOp
from vyre_dialect.passes.rewriting.host_side import invocations, program_of, temporary

WORD_BYTES = 4
LOAD_BYTES = 16
LOADS = 2
WORDS = VectorType(i32, [4])


class ExpandHistogram(RewritePattern):
    """Expand `vyre.scan.histogram`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: HistogramOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            if op.counts_at_bins:
                _count_at_bins(op)
            else:
                Count(op).build()
        rewriter.erase(op)


def _count_at_bins(op: HistogramOp) -> None:
    source, bins, width = Buffer(op.source), Buffer(op.bins), op.bytes_per_invocation
    one, lanes = bins.type.element_type, width // WORD_BYTES
    with arm("scan.histogram", invocations(source, width)) as i:
        first = (i * width).named("first")
        words = source.load(first, VectorType(i32, [lanes])).named("words")
        for byte in _bytes_of(words, lanes):
            _add_to(bins, byte.to(index), constant(1, one))
        past_end = (first + width - source.length).named("past_end")
        with if_(past_end > 0):
            _add_to(bins, constant(0), (0 - past_end).to(one))


def _bytes_of(words: Value, count: int) -> Iterator[Value]:
    for number in range(count):
        word = words.lane(number).named("word")
        for position in range(WORD_BYTES):
            yield (word >> 8 * position if position else word) & 0xFF


def _add_to(counts: Buffer, position: Value, number: Value) -> None:
    # The bin of a byte, or a copy of it, whatever the byte is.
    counts.atomic(AtomicKind.ADDI, number, position, in_bounds=True)


class Count:
    """The cooperative arm."""

    def __init__(self, op: HistogramOp):
        self.source, self.bins = Buffer(op.source), Buffer(op.bins)
        self.workgroup = op.invocations_per_workgroup
        self.copies = op.copies_per_bin
        self.tile_bytes = self.workgroup * LOAD_BYTES * LOADS
        self.counts = temporary(
            program_of(op), "counts", i32, HISTOGRAM_BINS * self.copies, MemorySpace.WORKGROUP
        )

    def build(self) -> None:
        """Build the arm at the current place."""
        groups = invocations(self.source, self.tile_bytes)
        with arm("scan.histogram", groups * self.workgroup, workgroup_size=[self.workgroup]):
            lane = local_id().named("lane")
            tile = (workgroup_id() * self.tile_bytes).named("tile")
            self._clear(lane)
            barrier()
            self._count(lane, tile)
            barrier()
            for first in range(0, HISTOGRAM_BINS, self.workgroup):
                self._merge(lane, lane + first if first else lane, tile)

    def _clear(self, lane: Value) -> None:
        counters = HISTOGRAM_BINS * self.copies
        whole = counters - counters % self.workgroup
        for first in range(0, whole, self.workgroup):
            self.counts[lane + first] = 0
        if whole < counters:
            with if_(lane < counters - whole):
                self.counts[lane + whole] = 0

    def _count(self, lane: Value, tile: Value) -> None:
        first = (tile + lane * LOAD_BYTES).named("first")
        copy = (lane % self.copies).to(i32).named("copy")
        with for_(0, self.tile_bytes, self.workgroup * LOAD_BYTES) as loads:
            words = self.source.load(first + loads.counter.named("step"), WORDS).named("words")
            for byte in _bytes_of(words, LOAD_BYTES // WORD_BYTES):
                _add_to(self.counts, (byte * self.copies + copy).to(index), constant(1, i32))

    def _merge(self, lane: Value, place: Value, tile: Value) -> None:
        """Add what was counted of a byte to its bin, if the workgroup has such a lane."""
        if self.workgroup <= HISTOGRAM_BINS:
            self._add(lane, place, tile)
            return
        with if_(lane < HISTOGRAM_BINS):
            self._add(lane, place, tile)

    def _add(self, lane: Value, place: Value, tile: Value) -> None:
        count = self._counted(place).named("count")
        if place is lane:
            # Bytes past the end were read, and counted, as zeros.
            past_end = (tile + self.tile_bytes - self.source.length).max(0).named("past_end")
            count = (count - lane.eq(0).select(past_end, 0).to(i32)).named("count")
        with if_(count.ne(0)):
            self.bins.atomic(AtomicKind.ADDI, count.to(self.bins.type.element_type), place)

    def _counted(self, place: Value) -> Value:
        """What all copies of a bin hold."""
        if self.copies == 1:
            return self.counts[place]
        counts = VectorType(i32, [self.copies])
        copies = self.counts.load(place * self.copies, counts)
        return reduce(add, [copies.lane(copy) for copy in range(self.copies)])
