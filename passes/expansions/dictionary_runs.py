"""
`vyre.decode.dictionary_runs` as one data-parallel arm.

An invocation looks for the run of its first value. Where all of its values are in that, their codes
are shifted out of words side by side, compared with the size of the dictionary once, and looked up,
or, of values that follow one another, loaded at once; else each value looks for its run.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType, i1, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, constant, constants, for_, if_, index
from vyre_dialect.ops.runs import DictionaryRunsOp
from vyre_dialect.passes.expansions.binary_search import first_above_from
from vyre_dialect.passes.expansions.described_packing import Adjacent, Packing
from vyre_dialect.passes.expansions.runs import end_of, expand_runs, first_of, run_of
from vyre_dialect.passes.expansions.side_by_side import of_each, parts, several, together
from vyre_dialect.passes.rewriting.reductions import reduction

PROBLEM = "invalid run of dictionary codes"
FIELDS = 4
_MOST_BITS = 32
_VECTOR_BYTES = 16
"""What is loaded at once: Oclgrind crashes on more words of bytes."""


class ExpandDictionaryRuns(RewritePattern):
    """Expand `vyre.decode.dictionary_runs`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DictionaryRunsOp, rewriter: PatternRewriter, /) -> None:
        expand_runs(op, rewriter, FIELDS, PROBLEM, lambda start, count: _look_up(op, start, count))


class _Run(NamedTuple):
    """What a run says of itself, and where it begins and ends among values."""

    number: Value
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
        return cls(number, first, end, codes, step, table.named("table"), limit.named("limit"))

    def has_dictionary_in(self, source: Buffer, size: int) -> Value:
        """Whether the dictionary, of values of so many bytes, is in a source."""
        is_place = (self.table >= 0) & (self.table <= source.length) & (self.limit >= 0)
        return is_place & (self.limit <= source.length - self.table >> size.bit_length() - 1)


def _look_up(op: DictionaryRunsOp, start: Value, count: Value) -> None:
    source, lanes = Buffer(op.source), op.values_per_invocation
    number = run_of(op, start)
    run = _Run.of(op, number, count)
    place = (start - run.first).named("place")
    group = Adjacent(run.codes, run.codes.start + place * run.codes.bits, lanes)
    in_run = (start + lanes <= run.end) & run.codes.asked.eq(run.codes.bits)
    in_run = in_run & group.lies_in(source) & run.has_dictionary_in(source, op.value_bytes)
    with if_(in_run) as branch:
        codes = group.packed(source) + _steps(run, place, lanes)
        highest = reduction(Value.max, codes) if lanes > 1 else codes
        branch.yields(highest < run.limit.to(i64), codes)
    with branch.else_():
        branch.yields(constant(0, i1), constant(0, several(i64, lanes)))
    is_right, codes = branch.results
    with if_(is_right) as branch:
        _together(op, run, codes, start)
    with branch.else_():
        _one_by_one(op, number, start, count)


def _steps(run: _Run, place: Value, lanes: int) -> Value:
    """What codes without bits are from a place in their run on."""
    step = run.step.to(i64)
    first = of_each(step * place.to(i64), lanes)
    if lanes == 1:
        return first
    return first + step.broadcast(lanes) * constants([*range(lanes)], VectorType(i64, [lanes]))


def _together(op: DictionaryRunsOp, run: _Run, codes: Value, start: Value) -> None:
    """Store the values of codes that have some."""
    source, destination, size = Buffer(op.source), Buffer(op.destination), op.value_bytes
    word, lanes = IntegerType(8 * size), op.values_per_invocation
    each_code = [code.to(index) for code in parts(codes, lanes)]
    places = [run.table + code * size for code in each_code]
    with if_(run.step.eq(1)) as branch:
        branch.yields(_adjacent(source, places[0], word, lanes))
    with branch.else_():
        branch.yields(together([source.load(each, word, in_bounds=True) for each in places]))
    destination.store(_as_elements(op, branch.results[0], lanes), start)


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


def _one_by_one(op: DictionaryRunsOp, number: Value, start: Value, count: Value) -> None:
    """Values of several runs, or of a run that is to be reported."""
    source, destination, size = Buffer(op.source), Buffer(op.destination), op.value_bytes
    with for_(0, op.values_per_invocation, carry=[number]) as values:
        at = (start + values.counter).named("at")
        number = first_above_from(Buffer(op.ends), values.carried[0], at).named("run")
        run = _Run.of(op, number, count)
        place = (at - run.first).named("place")
        code_of = Adjacent(run.codes, run.codes.start + place * run.codes.bits, 1)
        code = (code_of.loaded(source) + _steps(run, place, 1)).named("code")
        is_bad = run.codes.asked.ne(run.codes.bits) | (code >= run.limit.to(i64))
        is_bad = is_bad | ~code_of.has_bits_in(source)
        is_bad = is_bad | ~run.has_dictionary_in(source, size)
        with if_((at < count) & is_bad):
            Buffer(op.errors).trap(PROBLEM, number)
        value = source.load(run.table + code.to(index) * size, IntegerType(8 * size))
        destination[at] = _as_elements(op, value, 1)
        values.yields(number)


def _as_elements(op: DictionaryRunsOp, values: Value, lanes: int) -> Value:
    element = Buffer(op.destination).type.element_type
    return values.bitcast(several(element, lanes)) if isinstance(element, AnyFloat) else values
