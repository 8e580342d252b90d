"""
`vyre.decode.dictionary_runs` as one data-parallel arm.

Codes of a run are shifted out of words side by side, compared with the size of the dictionary once,
and looked up, or, of values that follow one another, loaded at once. Where something is wrong, each
value looks for its run.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import AnyFloat, IntegerType, i1, i32, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, constant, for_, if_, index
from vyre_dialect.ops.runs import DictionaryRunsOp
from vyre_dialect.passes.expansions.binary_search import first_above_from
from vyre_dialect.passes.expansions.described_packing import Adjacent, Packing
from vyre_dialect.passes.expansions.runs import (
    Decoder,
    Part,
    end_of,
    expand_runs,
    first_of,
)
from vyre_dialect.passes.rewriting.side_by_side import (
    between,
    highest,
    numbers,
    of_each,
    parts,
    several,
    together,
)

PROBLEM = "invalid run of dictionary codes"
FIELDS = 4
_MOST_BITS = 32
_VECTOR_BYTES = 16
"""What is loaded at once: Oclgrind crashes on more words of bytes."""


class ExpandDictionaryRuns(RewritePattern):
    """Expand `vyre.decode.dictionary_runs`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DictionaryRunsOp, rewriter: PatternRewriter, /) -> None:
        expand_runs(_Codes(op), rewriter)


class _Run(NamedTuple):
    """What a run says of itself, and where it begins and ends among values."""

    first: Value
    end: Value
    codes: Packing
    step: Value
    """How much each code is above the one before it, where they have no bits."""
    table: Value
    """The byte where its dictionary begins."""
    limit: Value
    """How many values this has."""

    @classmethod
    def of(cls, op: DictionaryRunsOp, number: Value, count: Value) -> _Run:
        """The run of a number."""
        runs = Buffer(op.runs)
        start, asked, table, limit = [
            runs[number * FIELDS + field].to(index, signed=True) for field in range(FIELDS)
        ]
        bits = asked.max(0).min(_MOST_BITS).named("bits")
        has_bits = bits.ne(0)
        first_bit = has_bits.select(start, 0).named("first_bit")
        codes = Packing(first_bit, asked, bits, constant(0, i64), 32)
        end = end_of(op, number).min(count).named("end")
        first = first_of(op, number)
        step = has_bits.select(0, start).named("step")
        return cls(first, end, codes, step, table.named("table"), limit.named("limit"))

    def has_dictionary_in(self, source: Buffer, size: int) -> Value:
        """Whether the dictionary, of values of so many bytes, is in a source."""
        is_place = (self.table >= 0) & (self.table <= source.length) & (self.limit >= 0)
        return is_place & (self.limit <= source.length - self.table >> size.bit_length() - 1)


class _Codes(Decoder[DictionaryRunsOp]):
    """How codes are looked up."""

    fields = FIELDS
    problem = PROBLEM

    @property
    def word(self) -> IntegerType:
        return IntegerType(8 * self.op.value_bytes)

    def part(self, run: Value, start: Value, place: Value, count: Value) -> Part:
        source, size, lanes = Buffer(self.op.source), self.op.value_bytes, self.lanes
        said = _Run.of(self.op, run, count)
        begin = (start - said.first).named("begin")
        own = between(place - start, (said.end - start).min(lanes), lanes)
        group = Adjacent(said.codes, said.codes.start + begin * said.codes.bits, lanes)
        is_packed = said.codes.asked.eq(said.codes.bits) & group.lies_in(source)
        # Steps and places that are no more than that are computed with in 32 bits.
        is_packed = is_packed & (said.step >= 0) & (said.step <= 1) & (begin < 1 << 31)
        with if_(is_packed & said.has_dictionary_in(source, size)) as branch:
            codes = _codes(source, said, group, begin) & own
            branch.yields(highest(codes, lanes).to(index) < said.limit, codes)
        with branch.else_():
            branch.yields(constant(0, i1), constant(0, own.type))
        is_right, codes = branch.results
        with if_(is_right) as branch:
            values = _together(source, said, codes, begin, self.word, lanes)
            branch.yields(values & own.to(self.result, signed=True))
        with branch.else_():
            branch.yields(constant(0, self.result))
        return Part(said.end, is_right, branch.results[0])

    def store(self, values: Value, start: Value) -> None:
        super().store(_as_elements(self.op, values, self.lanes), start)

    def one_by_one(self, run: Value, start: Value, count: Value) -> None:
        op, source = self.op, Buffer(self.op.source)
        with for_(0, self.lanes, carry=[run]) as values:
            at = (start + values.counter).named("at")
            run = first_above_from(Buffer(op.ends), values.carried[0], at).named("run")
            said = _Run.of(op, run, count)
            place = (at - said.first).named("place")
            code_of = Adjacent(said.codes, said.codes.start + place * said.codes.bits, 1)
            code = (code_of.loaded(source) + (said.step * place).to(i64)).named("code")
            is_bad = said.codes.asked.ne(said.codes.bits) | (code >= said.limit.to(i64))
            is_bad = is_bad | ~code_of.has_bits_in(source)
            is_bad = is_bad | ~said.has_dictionary_in(source, op.value_bytes)
            with if_((at < count) & is_bad):
                Buffer(op.errors).trap(PROBLEM, run)
            value = source.load(said.table + code.to(index) * op.value_bytes, self.word)
            Buffer(op.destination)[at] = _as_elements(op, value, 1)
            values.yields(run)


def _codes(source: Buffer, run: _Run, group: Adjacent, begin: Value) -> Value:
    """The codes of an invocation, which are in a run from a place on."""
    lanes = group.lanes
    with if_(run.codes.bits.eq(0)) as branch:
        step, first = (of_each(each.to(i32), lanes) for each in (run.step, begin))
        branch.yields(step * (first + numbers(lanes)))
    with branch.else_():
        branch.yields(group.packed(source).to(several(i32, lanes)))
    return branch.results[0]


def _together(
    source: Buffer, run: _Run, codes: Value, begin: Value, word: IntegerType, lanes: int
) -> Value:
    """The values of codes; of those without bits, where the first is so many behind a run's."""
    size = word.width.data // 8
    first = (run.table + begin * size).named("first")
    lie_together = run.step.eq(1) & (first >= 0) & (first <= source.length - size * lanes)
    with if_(lie_together) as branch:
        branch.yields(_adjacent(source, first, word, lanes))
    with branch.else_():
        places = [run.table + code.to(index) * size for code in parts(codes, lanes)]
        branch.yields(together([source.load(each, word, in_bounds=True) for each in places]))
    return branch.results[0]


def _adjacent(source: Buffer, place: Value, word: IntegerType, lanes: int) -> Value:
    """Words that follow one another, all of which are in a source."""
    size = word.width.data // 8
    at_once = min(lanes, _VECTOR_BYTES // size)
    found: list[Value] = [
        source.load(place + first * size, several(word, at_once), in_bounds=True)
        for first in range(0, lanes, at_once)
    ]
    while len(found) > 1:
        both = range(2 * lanes // len(found))
        pairs = zip(found[::2], found[1::2], strict=True)
        found = [one.shuffle(other, both) for one, other in pairs]
    return found[0]


def _as_elements(op: DictionaryRunsOp, values: Value, lanes: int) -> Value:
    element = Buffer(op.destination).type.element_type
    return values.bitcast(several(element, lanes)) if isinstance(element, AnyFloat) else values
