"""
`vyre.scan.select`: an arm that marks each row, and one that makes a word of the marks of 32.
Where rows are moved together, a prefix sum over their numbers says where those of each word go, and
another arm goes over the bits (G. E. Blelloch, "Prefix Sums and Their Applications",
CMU-CS-90-190, 1990, section 1.5).

Positions and bitmaps follow from the bits alone, so that the first arm alone reads the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerType, VectorType, i8, i32, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, constants, for_, index, while_
from vyre_dialect.builder.values import ceildiv
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.query import Output
from vyre_dialect.ops.scan import PrefixSumOp
from vyre_dialect.ops.select import SelectKind, SelectOp
from vyre_dialect.passes.expansions.destination import size_buffer
from vyre_dialect.passes.expansions.rows import RowBody, row_count
from vyre_dialect.passes.rewriting.host_side import program_of, temporary
from vyre_dialect.passes.rewriting.reductions import bits_of_bytes, reduction

WORD = 32
"""Rows of a block, whose bits are a word."""
WORDS_TOGETHER = 4
"""Words whose rows one invocation moves."""
WORDS = VectorType(i32, [WORD // 4])
"""What the marks of a block are, each a byte."""


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
        blocks = ceildiv(self._rows, WORD)
        self._blocks = max(blocks, 1) if isinstance(blocks, int) else blocks.max(1).named("blocks")

    def expand(self) -> None:
        """Build them at the current place."""
        program = program_of(self._op)
        for output in self._of_kind[SelectKind.BITMAP]:
            self._size(output.buffer, lambda buffer=output.buffer: self._bitmap_length(buffer))
        marks = temporary(program, "marks", i8, self._rows)
        with arm("scan.select", self._rows) as row:
            predicate = RowBody(self._op, row).predicate
            marks[row] = 1 if predicate is None else predicate.to(i8)
        moved = [*self._of_kind[SelectKind.POSITIONS], *self._of_kind[SelectKind.VALUES]]
        if not moved:
            with arm("scan.select.bits", self._blocks) as block:
                self._keep_bits(marks, block)
            return
        words = temporary(program, "selected", i32, self._blocks)
        with arm("scan.select.bits", self._blocks) as block:
            words[block] = self._keep_bits(marks, block)
        self._move_together(words, moved)

    def _move_together(self, words: Buffer, moved: Sequence[Output]) -> None:
        """Move what is wanted of the rows whose bits are set to where a prefix sum says."""
        program, blocks = program_of(self._op), ceildiv(self._blocks, WORDS_TOGETHER)
        counts = temporary(program, "selected_counts", i32, blocks)
        ends = temporary(program, "selected_ends", i64, blocks)
        with arm("scan.select.count", blocks) as block:
            bits = words.load(block * WORDS_TOGETHER, VectorType(i32, [WORDS_TOGETHER]))
            counts[block] = reduction(add, bits.ctpop()).named("count")
        PrefixSumOp(counts, ends)
        for output in moved:
            self._size(output.buffer, lambda: ends[ends.length - 1].to(index, signed=True))
        with arm("scan.select.move", blocks) as block:
            # In front of the first block there is nothing, which reads as 0.
            place = ends[block - 1].to(index, signed=True).named("first")
            with for_(0, WORDS_TOGETHER, carry=[place], unroll=1) as loop:
                word = (block * WORDS_TOGETHER + loop.counter).named("word")
                (place,) = loop.named("first")
                base = (word * WORD).named("base")
                loop.yields(self._move(base, words[word].named("bits"), place, moved))

    def _size(self, buffer: SSAValue, length: Callable[[], Value]) -> None:
        size_buffer(self._op, buffer, self._rewriter, length)

    def _bitmap_length(self, bitmap: SSAValue) -> Value:
        length = ceildiv(self._rows, _width(bitmap))
        return constant(length) if isinstance(length, int) else length

    def _keep_bits(self, marks: Buffer, block: Value) -> Value:
        """A word with a bit for each row of a block, which bitmaps and counts take."""
        # Behind the last row there is nothing, which reads as 0.
        bytes_ = marks.load(block * WORD, WORDS).named("marks")
        halves = bits_of_bytes(bytes_, 4) << constants(range(0, WORD, 4), WORDS)
        bits = reduction(Value.__or__, halves).named("selected")
        for output in self._of_kind[SelectKind.BITMAP]:
            Buffer(output.buffer).store(bits, block * (WORD // _width(output.buffer)))
        for output in self._of_kind[SelectKind.COUNT]:
            count, buffer = bits.ctpop(), Buffer(output.buffer)
            buffer.atomic(AtomicKind.ADDI, count.to(buffer.type.element_type))
        return bits

    def _move(self, base: Value, bits: Value, first: Value, moved: Sequence[Output]) -> Value:
        """Store what is wanted of the rows whose bit is set, from `first` on; where to go on."""
        with while_(lambda left, _: left.ne(0), carry=[bits, first]) as loop:
            left, place = loop.named("left", "place")
            row = (base + left.cttz().to(index)).named("row")
            body = RowBody(self._op, row)
            for output in moved:
                buffer = Buffer(output.buffer)
                value = output.value
                buffer[place] = row.to(_element(buffer)) if value is None else body.value(value)
            loop.yields(left & (left - 1), place + 1)
        return loop.results[1]


def _element(buffer: Buffer) -> IntegerType:
    assert isinstance(buffer.type.element_type, IntegerType)
    return buffer.type.element_type


def _width(bitmap: SSAValue) -> int:
    return _element(Buffer(bitmap)).width.data
