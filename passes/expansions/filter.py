"""
`vyre.scan.filter` as one data-parallel arm: an invocation tests several values, a vector at a time.

A value is tested by its distance from the low end of the range, capped to the size of the range.
Where the sum of all that an invocation tests is a 32-bit number, those distances are what is
summed up; otherwise it is the halves of the values.
"""

from __future__ import annotations

from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.scan import FilterOp
from vyre_dialect.passes.rewriting.host_side import invocations
from vyre_dialect.passes.rewriting.reductions import reduction


class ExpandFilter(RewritePattern):
    """Expand `vyre.scan.filter`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FilterOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            source, values = Buffer(op.source), op.values_per_invocation
            with arm("scan.filter", invocations(source, values)) as i:
                Filter(op, source, values).run((i * values).named("first"))
        rewriter.erase(op)


class Filter:
    """The body of the arm."""

    def __init__(self, op: FilterOp, source: Buffer, values: int):
        self.op, self.source, self.values = op, source, values
        self.lanes = min(op.lanes_per_vector, values)
        self.words = VectorType(i32, [self.lanes])
        self.range, self.size = op.range, len(op.range)
        self.is_narrow = self.size * values < 1 << 32
        """Whether the sum of so many distances, each capped to the size, is a 32-bit number."""

    def run(self, first: Value) -> None:
        """Test the values from `first` on."""
        zeros = [constant(0, self.words)] * (1 + self._sums)
        with for_(0, self.values, self.lanes, carry=zeros) as vectors:
            place = first + vectors.counter.named("offset")
            values = self.source.load(place, self.words).named("values")
            count, *sums = vectors.named("counts", *("sums", "highs")[: self._sums])
            inside, *terms = self._tested(values)
            vectors.yields(count + inside, *map(add, sums, terms))
        counts, *sums = vectors.results
        found = reduction(add, counts).named("found")
        count = found
        if 0 in self.range:
            # Values past the end were read, and counted, as zeros.
            past_end = (first + self.values - self.source.length).max(0).named("past_end")
            count = (found - past_end.to(i32)).named("count")
        with if_(count.ne(0)):
            self._add_to_results(count, found, sums)

    @property
    def _sums(self) -> int:
        """How many sums are carried along with the count."""
        if self.op.sum is None:
            return 0
        return 1 if self.is_narrow else 2

    def _tested(self, values: Value) -> list[Value]:
        """One in the lanes whose value lies in the range, zero in others; what is summed up."""
        if self.size == 1 << 32:
            return [constant(1, self.words), *self._halves(values)]
        distances = (values - self.range.start).min(self.size).named("distances")
        # The distance is the range's size exactly where the value lies beyond the range.
        inside = (distances ^ self.size).min(1).named("inside")
        if self.is_narrow:
            return [inside, distances]
        return [inside, *self._halves((values & constant(0, self.words) - inside).named("chosen"))]

    def _halves(self, chosen: Value) -> tuple[Value, Value]:
        """Halves of so few values cannot overflow a lane, and need no 64-bit lanes."""
        return chosen & 0xFFFF, chosen.shrsi(16)

    def _add_to_results(self, count: Value, found: Value, sums: list[Value]) -> None:
        counts = Buffer(self.op.count)
        counts.atomic(AtomicKind.ADDI, count.to(counts.type.element_type))
        if self.op.sum is None:
            return
        lows, *highs = [reduction(add, each) for each in sums]
        total = self._undone(lows, found) if self.is_narrow else _joined(lows, *highs)
        Buffer(self.op.sum).atomic(AtomicKind.ADDI, total.named("sum"))

    def _undone(self, distances: Value, found: Value) -> Value:
        """The sum of the values that were found, from that of all distances."""
        # Those of values in the range lack its low end; each other one is the range's size.
        whole = found.to(i64) * self.range.stop - self.size * self.values
        return distances.to(i64) + whole


def _joined(lows: Value, highs: Value) -> Value:
    return (highs.to(i64, signed=True) << 16) + lows.to(i64)
