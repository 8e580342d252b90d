"""
`vyre.scan.select` as one data-parallel arm, whose invocations test 32 rows each and keep a bit of
each of them; where rows are moved together, a prefix sum over their numbers and another arm, which
goes over the bits (G. E. Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990,
section 1.5).

Positions and bitmaps follow from the bits alone, so that the first arm alone reads the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import math
from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, index, while_
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.queries import Output, SelectKind, SelectOp
from vyre_dialect.ops.scan import PrefixSumOp
from vyre_dialect.passes.expansions.destination import size_buffer
from vyre_dialect.passes.expansions.rows import RowBody, row_count
from vyre_dialect.passes.rewriting.host_side import program_of, temporary

WORD = 32
"""Rows that an invocation tests."""


class ExpandSelect(RewritePattern):
    """Expand `vyre.scan.select`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            Selection(op, rewriter).expand()
        rewriter.erase(op)


class Selection:
    """The arms that a query becomes."""

    def __init__(self, op: SelectOp, rewriter: PatternRewriter):
        self._op, self._rewriter = op, rewriter
        self._of_kind = {
            kind: [output for output in op.outputs() if output.kind == kind] for kind in SelectKind
        }
        self._rows = row_count(op)
        # At least one, so that the last has an end also where there are no rows.
        self._blocks = _ceildiv(self._rows, WORD, at_least=1)

    def expand(self) -> None:
        """Build them at the current place."""
        for output in self._of_kind[SelectKind.BITMAP]:
            self._size(output.buffer, lambda buffer=output.buffer: self._bitmap_length(buffer))
        moved = [*self._of_kind[SelectKind.POSITIONS], *self._of_kind[SelectKind.VALUES]]
        if not moved:
            with arm("scan.select", self._blocks) as block:
                self._keep_bits(block)
            return
        program = program_of(self._op)
        words = temporary(program, "selected_bits", i32, self._blocks)
        counts = temporary(program, "selected_counts", i32, self._blocks)
        ends = temporary(program, "selected_ends", i64, self._blocks)
        with arm("scan.select", self._blocks) as block:
            words[block], counts[block] = self._keep_bits(block)
        PrefixSumOp(counts, ends)
        for output in moved:
            self._size(output.buffer, lambda: ends[ends.length - 1].to(index, signed=True))
        with arm("scan.select.move", self._blocks) as block:
            # In front of the first block there is nothing, which reads as 0.
            first = ends[block - 1].to(index, signed=True).named("first")
            self._move((block * WORD).named("base"), words[block].named("bits"), first, moved)

    def _size(self, buffer: SSAValue, length: Callable[[], Value]) -> None:
        size_buffer(self._op, buffer, self._rewriter, length)

    def _bitmap_length(self, bitmap: SSAValue) -> Value:
        length = _ceildiv(self._rows, _width(bitmap))
        return constant(length) if isinstance(length, int) else length

    def _keep_bits(self, block: Value) -> tuple[Value, Value]:
        """Test the rows of a block; a word with a bit for each, and how many are set."""
        first = (block * WORD).named("first")
        with for_(0, WORD, carry=[constant(0, i32)]) as rows:
            (bits,) = rows.named("bits")
            row = (first + rows.counter.named("bit")).named("row")
            rows.yields(bits | self._bit(row) << rows.counter.to(i32))
        # There are fewer rows than bits in the last block.
        inside = (self._rows - first).min(WORD).to(i64)
        bits = (rows.results[0] & ((1 << inside) - 1).to(i32)).named("selected")
        for output in self._of_kind[SelectKind.BITMAP]:
            Buffer(output.buffer).store(bits, block * (WORD // _width(output.buffer)))
        count = Value(math.CtPopOp(bits.ssa).result).named("count")
        for output in self._of_kind[SelectKind.COUNT]:
            buffer = Buffer(output.buffer)
            buffer.atomic(AtomicKind.ADDI, count.to(buffer.type.element_type))
        return bits, count

    def _bit(self, row: Value) -> Value:
        predicate = RowBody(self._op, row).predicate
        return constant(1, i32) if predicate is None else predicate.to(i32)

    def _move(self, base: Value, bits: Value, first: Value, moved: Sequence[Output]) -> None:
        """Store what is wanted of the rows whose bit is set, from `first` on."""
        with while_(lambda left, _: left.ne(0), carry=[bits, first]) as loop:
            left, place = loop.named("left", "place")
            bit = Value(math.CountTrailingZerosOp(left.ssa).result)
            row = (base + bit.to(index)).named("row")
            body = RowBody(self._op, row)
            for output in moved:
                buffer = Buffer(output.buffer)
                value = output.value
                buffer[place] = row.to(_element(buffer)) if value is None else body.value(value)
            loop.yields(left & (left - 1), place + 1)


def _element(buffer: Buffer) -> IntegerType:
    assert isinstance(buffer.type.element_type, IntegerType)
    return buffer.type.element_type


def _width(bitmap: SSAValue) -> int:
    return _element(Buffer(bitmap)).width.data


def _ceildiv(count: Value | int, by: int, at_least: int = 0) -> Value | int:
    if isinstance(count, int):
        return max(-(-count // by), at_least)
    quotient = count.ceildiv(by)
    return quotient.max(at_least).named("blocks") if at_least else quotient
