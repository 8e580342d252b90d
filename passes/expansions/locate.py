"""
`vyre.scan.locate` as arms around a prefix sum: one counts the occurrences that end in each chunk of
the text, as `vyre.scan.literals` does; the sums say where those of each chunk go; and another runs
the automaton once more over the chunks that have some, and stores them.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i32, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Program, Value, arm, if_, index
from vyre_dialect.ops.literals import LocateOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.scan import PrefixSumOp
from vyre_dialect.passes.expansions.aho_corasick import build_automaton
from vyre_dialect.passes.expansions.destination import size_buffer
from vyre_dialect.passes.expansions.literals import Outputs, Rows, ScanOccurrences
from vyre_dialect.passes.rewriting.host_side import (
    invocations,
    program_of,
    table,
    temporary,
    unique_name,
)


class ExpandLocate(RewritePattern):
    """Expand `vyre.scan.locate`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LocateOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            automaton, program = build_automaton(op.patterns), program_of(op)
            tables, outputs = Rows(program, automaton), Outputs(program, automaton)
            # At least one chunk, so that the last has an end also where there is no text.
            chunks = _at_least_one(invocations(Buffer(op.source), op.chunk_bytes))
            name = unique_name(program, "chunk_counts")
            counts = Program(program).buffer(name, i32, chunks, fill=0)
            CountChunks(op, program, tables, outputs, counts).build()
            ends = temporary(program, "chunk_ends", i64, chunks)
            PrefixSumOp(counts, ends)
            for result in (op.positions, op.which):
                size_buffer(op, result, rewriter, lambda: ends[ends.length - 1].to(index))
            StoreOccurrences(op, program, tables, outputs, counts, ends).build()
        rewriter.erase(op)


def _at_least_one(count: Value | int) -> Value | int:
    return max(count, 1) if isinstance(count, int) else count.max(1).named("chunks")


class CountChunks(ScanOccurrences):
    """Counts what ends in each chunk, to which nobody else adds."""

    generator = "scan.locate.count"

    def __init__(
        self,
        op: LocateOp,
        program: ProgramOp,
        tables: Rows,
        outputs: Outputs,
        counts: Buffer,
    ):
        super().__init__(op, program, tables, outputs)
        self._counts = counts

    def found(self, accepting: Value, end: Value) -> None:
        chunk = (end // self.chunk_bytes).named("of_chunk")
        self._counts[chunk] = self._counts[chunk] + self.outputs.count(accepting)


class StoreOccurrences(ScanOccurrences):
    """
    Stores the occurrences of the chunks that have some. What a chunk has counted is counted down to
    those that are still to be stored.
    """

    def __init__(
        self,
        op: LocateOp,
        program: ProgramOp,
        tables: Rows,
        outputs: Outputs,
        left: Buffer,
        ends: Buffer,
    ):
        super().__init__(op, program, tables, outputs)
        self._left, self._ends = left, ends
        self._positions, self._which = Buffer(op.positions), Buffer(op.which)
        self._lengths = table(program, "literal_lengths", i32, list(map(len, op.patterns)))

    def build(self) -> None:
        """Build the arm at the current place."""
        with arm("scan.locate", self._ends.length) as chunk:
            self._chunk = chunk
            with if_(self._left[chunk].ne(0)):
                self._run([(chunk * self.chunk_bytes).named("chunk")], self.chunk_bytes)

    def found(self, accepting: Value, end: Value) -> None:
        with self.outputs.each(accepting) as literal:
            left = self._left[self._chunk].named("left")
            end_of_chunk = self._ends[self._chunk].to(index, signed=True)
            place = (end_of_chunk - left.to(index)).named("place")
            length = self._lengths.load(literal, in_bounds=True).to(index).named("length")
            start = (end + 1 - length).named("start")
            self._positions[place] = start.to(self._positions.type.element_type)
            self._which[place] = literal.to(self._which.type.element_type)
            self._left[self._chunk] = left - 1
