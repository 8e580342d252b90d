"""
`vyre.scan.dictionary_filter` as two arms: one finds out what each element of the table adds to the
results, the other one looks that up for each code.

What an element adds, a one and its distance from the low end of the range, are two fields of a
word, as wide as what an invocation sums up takes, so that one sum of words is that of both.
"""

from __future__ import annotations

from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i32, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_, index
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.scan import DictionaryFilterOp
from vyre_dialect.passes.expansions.dictionary import check_codes
from vyre_dialect.passes.rewriting.host_side import (
    invocations,
    length_of,
    name_of,
    program_of,
    temporary,
)
from vyre_dialect.passes.rewriting.reductions import reduction
from vyre_dialect.passes.rewriting.side_by_side import parts, several, together


class ExpandDictionaryFilter(RewritePattern):
    """Expand `vyre.scan.dictionary_filter`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DictionaryFilterOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            DictionaryFilter(op).build()
        rewriter.erase(op)


class DictionaryFilter:
    """The two arms."""

    def __init__(self, op: DictionaryFilterOp):
        self.op, self.source, self.table = op, Buffer(op.source), Buffer(op.table)
        self.values, self.range = op.values_per_invocation, op.range
        self.lanes = min(op.lanes_per_vector, self.values)
        most = 0 if op.sum is None else (len(self.range) - 1) * self.values
        self.sum_bits = most.bit_length()
        is_narrow = self.sum_bits + self.values.bit_length() <= i32.width.data
        self.word = i32 if is_narrow else i64

    def build(self) -> None:
        """Build both, and the buffer in which one hands on to the other."""
        terms = self._terms()
        with arm("scan.dictionary_filter", invocations(self.source, self.values)) as i:
            self._look_up(terms, (i * self.values).named("first"))

    def _terms(self) -> Buffer:
        """What each element adds, and the arm that finds it out."""
        length = length_of(self.table, "entries")
        name = f"{name_of(self.table.ssa)}_terms"
        terms = temporary(program_of(self.op), name, self.word, length)
        with arm("scan.dictionary_filter.terms", length) as entry:
            distance = (self.table[entry] - self.range.start).to(i64).named("distance")
            term = constant(1 << self.sum_bits, i64)
            if self.op.sum is not None:
                term = term | distance
            is_inside = distance < len(self.range)
            terms[entry] = is_inside.select(term, 0).to(self.word)
        return terms

    def _look_up(self, terms: Buffer, first: Value) -> None:
        """Add up what the codes from `first` on add."""
        element = self.source.type.element_type
        zeros = constant(0, several(self.word, self.lanes))
        with for_(0, self.values, self.lanes, carry=[zeros]) as vectors:
            place = first + vectors.counter.named("offset")
            codes = self.source.load(place, several(element, self.lanes)).named("codes")
            places = [code.to(index) for code in parts(codes, self.lanes)]
            check_codes(places, place, self.table, Buffer(self.op.errors))
            (sums,) = vectors.named("sums")
            vectors.yields(sums + together([terms[each] for each in places]))
        total = reduction(add, vectors.results[0])
        past_end = first + self.values - self.source.length
        with if_(past_end.compare("sgt", 0)) as branch:
            # Past the end of the source, codes of 0 were read.
            branch.yields(total - terms[0] * past_end.to(self.word))
        with branch.else_():
            branch.yields(total)
        self._add_to_results(branch.results[0].named("total"))

    def _add_to_results(self, total: Value) -> None:
        found = (total >> self.sum_bits).named("found")
        with if_(found.ne(0)):
            counts = Buffer(self.op.count)
            counts.atomic(AtomicKind.ADDI, found.to(counts.type.element_type))
            if self.op.sum is None:
                return
            distances = (total & (1 << self.sum_bits) - 1).to(i64)
            chosen = distances + found.to(i64) * self.range.start
            Buffer(self.op.sum).atomic(AtomicKind.ADDI, chosen.named("sum"))
