"""
`vyre.decode.bitunpack_runs` as one data-parallel arm.

Integers of a run are shifted out of words side by side, and compared with its limit once. Where
something is wrong, an invocation goes on from run to run, of which it keeps how it is packed, and
shifts each integer out of the two words that it may stand in.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, i1, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, constant, for_, if_
from vyre_dialect.ops.runs import BitUnpackRunsOp
from vyre_dialect.passes.expansions.binary_search import first_above_from
from vyre_dialect.passes.expansions.described_packing import FIELDS, Adjacent, Packing
from vyre_dialect.passes.expansions.runs import (
    Decoder,
    Part,
    end_of,
    expand_runs,
    first_of,
)
from vyre_dialect.passes.rewriting.side_by_side import between, highest

PROBLEM = "invalid run of packed integers"


class ExpandBitUnpackRuns(RewritePattern):
    """Expand `vyre.decode.bitunpack_runs`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BitUnpackRunsOp, rewriter: PatternRewriter, /) -> None:
        expand_runs(_Packed(op), rewriter)


class _Packed(Decoder[BitUnpackRunsOp]):
    """How integers are unpacked."""

    fields = FIELDS
    problem = PROBLEM

    @property
    def word(self) -> IntegerType:
        return IntegerType(self.op.width)

    def part(self, run: Value, start: Value, place: Value, count: Value) -> Part:
        source, lanes = Buffer(self.op.source), self.lanes
        first, end = first_of(self.op, run), end_of(self.op, run).min(count).named("end")
        packing = Packing.described(Buffer(self.op.runs), run, self.op.width)
        group = Adjacent(packing, packing.start + (start - first) * packing.bits, lanes)
        own = between(place - start, (end - start).min(lanes), lanes).to(self.result, signed=True)
        with if_(packing.asked.eq(packing.bits) & group.lies_in(source)) as branch:
            packed = group.packed(source).to(self.result) & own
            values = packing.result(packed, lanes) & own
            branch.yields(self._are_below_limit(packed, run), values)
        with branch.else_():
            branch.yields(constant(0, i1), constant(0, self.result))
        return Part(end, *branch.results)

    def _are_below_limit(self, packed: Value, run: Value) -> Value:
        if self.op.limits is None:
            return constant(1, i1)
        return highest(packed, self.lanes).to(i64) < Buffer(self.op.limits)[run]

    def one_by_one(self, run: Value, start: Value, count: Value) -> None:
        op = self.op
        source, destination = Buffer(op.source), Buffer(op.destination)
        # An end that no value is in front of: the first one looks its run up.
        with for_(0, self.lanes, carry=[run, 0, 0, 0, constant(0, i64)]) as values:
            place = (start + values.counter).named("place")
            run, end, *_ = values.named("run", "end", "origin", "bits", "base")
            with if_(end <= place) as branch:
                branch.yields(*_enter(op, run, place, count))
            with branch.else_():
                branch.yields(*values.carried)
            run, end, origin, bits, base = branch.results
            value = Packing(origin, bits, bits, base, op.width).sequential(source, place, 1)
            if op.limits is not None:
                packed = (value - base.to(value.type)).to(i64)
                with if_((place < count) & (packed >= Buffer(op.limits)[run])):
                    Buffer(op.errors).trap(PROBLEM, run)
            destination[place] = value
            values.yields(run, end, origin, bits, base)


def _enter(op: BitUnpackRunsOp, run: Value, place: Value, count: Value) -> tuple[Value, ...]:
    """The run of a place, at or behind another one, its end, and where value 0 would start."""
    run = first_above_from(Buffer(op.ends), run, place).named("run")
    end = end_of(op, run).named("end")
    first = first_of(op, run)
    packing = Packing.described(Buffer(op.runs), run, op.width)
    with if_((place < count) & _is_bad(Buffer(op.source), packing, end.min(count) - first)):
        Buffer(op.errors).trap(PROBLEM, run)
    origin = (packing.start - first * packing.bits).named("origin")
    return run, end, origin, packing.bits, packing.base


def _is_bad(source: Buffer, packing: Packing, values: Value) -> Value:
    """Whether so many values of a run are not what the run says they are."""
    available = (source.length * 8 - packing.start).named("available")
    is_outside = (packing.start < 0) | (values * packing.bits > available)
    return packing.asked.ne(packing.bits) | is_outside
