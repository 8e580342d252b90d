"""
Tests of values from a dictionary as tests of their codes.

Which codes pass is known once each entry has been tested. Of a constant dictionary that is a set,
and where it is a short one, the query tests the codes themselves. Otherwise a table says for each
entry whether it passes, by a bit for each test, and rows look that up in place of the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerType, i8
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.row_tests import RowTest, RowTests
from vyre_dialect.analysis.value_sets import ValueSet
from vyre_dialect.analysis.work import additions_of
from vyre_dialect.builder import Buffer, Value, arm
from vyre_dialect.ir.types import BufferType, element_bytes
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.columns import DictionaryOp
from vyre_dialect.ops.packed import BitUnpackOp
from vyre_dialect.passes.program.predicates.encoded_columns import (
    EncodedColumn,
    decoder_of,
    has_what_is_decoded,
    is_known_at,
    is_settled,
    replace_column,
)
from vyre_dialect.passes.program.predicates.outcome import Kept, Moved, Reason, Rule
from vyre_dialect.passes.program.predicates.set_tests import SetTest, set_test
from vyre_dialect.passes.rewriting.host_side import (
    length_of,
    name_of,
    program_of,
    table,
    temporary,
    unique_name,
)
from vyre_dialect.passes.rewriting.rewriters import building

MOST_TESTS = 8
"""Tests of one column, each a bit of what is looked up."""
LEAST_WORK = 24
"""
Additions of a byte that tests are worth looking up for. On two cores, Intel's runtime and PoCL,
with 2048 entries: of 64 bits, a comparison takes 0.99 and 1.28 of the time once it is looked up, a
range 0.80 and 0.94, a remainder 0.62 and 0.41; of 32 bits, a range 1.05 and 1.17.
"""


def move_to_codes(
    column: EncodedColumn, op: DictionaryOp, tests: RowTests, rewriter: PatternRewriter
) -> Moved | Kept:
    """Let the query test codes, unless values are needed, or tests are as cheap."""
    if tests.is_used_besides(column.argument):
        return Kept(Reason.VALUE_NEEDED, f"rows need '@{column.name}' itself, too")
    own = [each for each in tests.tests if each.argument is column.argument]
    passing = _passing_codes(op, own, tests)
    has_all = has_what_is_decoded(column.declaration, op)
    short = _code_tests(op, passing) if passing is not None and has_all else None
    if short is not None:
        _test_codes(column, op, dict(zip(own, short, strict=True)), rewriter)
        return Moved(Rule.CODES, f"tests '@{name_of(op.source)}', and nothing is looked up")
    if (kept := _kept(column, op, own, tests)) is not None:
        return kept
    with building(rewriter, InsertPoint.before(op)):
        if passing is None:
            passed = _tested_entries(column, op, own, tests)
        else:
            passed = _known_entries(op, passing)
    _look_up(column, op, passed, own, rewriter)
    return Moved(Rule.ENTRIES, f"tests each element of '@{name_of(op.table)}' once")


def _kept(
    column: EncodedColumn, op: DictionaryOp, own: Sequence[RowTest], tests: RowTests
) -> Kept | None:
    """Why entries are not tested in place of values, if they are not."""
    if len(own) > MOST_TESTS:
        return Kept(Reason.NOT_CHEAPER, f"{len(own)} tests are more than {MOST_TESTS}")
    work = sum(_work(op) for op in {op for test in own for op in tests.ops_of(test)})
    if work < LEAST_WORK:
        return Kept(
            Reason.NOT_CHEAPER,
            f"tests of '@{column.name}' take {work} additions of a byte, of at least {LEAST_WORK}",
        )
    for test in own:
        for value in {each for one in tests.ops_of(test) for each in one.operands}:
            inside = isinstance(value.owner, Block) or value.owner.parent is tests.block
            if not inside and not is_known_at(value, op):
                return Kept(Reason.NOT_READY, f"the test needs a value from after '@{column.name}'")
    return None


def _work(op: Operation) -> int:
    """What an op costs, in additions of a byte."""
    widest = max((element_bytes(each.type) or 8 for each in op.operands), default=0)
    return additions_of(type(op)) * widest


# Codes that pass.


def _passing_codes(
    op: DictionaryOp, own: Sequence[RowTest], tests: RowTests
) -> list[ValueSet] | None:
    """The codes that pass each test; None where the entries or what passes are not known."""
    declaration = op.table.owner
    assert isinstance(declaration, BufferOp)
    if declaration.contents is None or not isinstance(declaration.type.element_type, IntegerType):
        return None
    sets = [each for each in map(tests.accepted, own) if each is not None]
    if len(sets) != len(own):
        return None
    entries = [cast(int, each) for each in declaration.contents.get_values()]
    width = _code_width(op)
    return [
        ValueSet.of(width, ((code, code) for code, entry in enumerate(entries) if entry in each))
        for each in sets
    ]


def _code_tests(op: DictionaryOp, passing: Sequence[ValueSet]) -> list[SetTest] | None:
    """Tests of codes themselves; None unless all are short, and no code can be reported."""
    count = _code_count(op)
    assert isinstance(op.table.type, BufferType)
    if count > (op.table.type.static_count or 0) or not is_settled(op.source, op):
        return None
    found = [set_test(each, count) for each in passing]
    short = [each for each in found if each is not None]
    return short if len(short) == len(found) else None


def _code_width(op: DictionaryOp) -> int:
    type = Buffer(op.source).type.element_type
    assert isinstance(type, IntegerType)
    return type.width.data


def _code_count(op: DictionaryOp) -> int:
    """What every code is below."""
    everything = 1 << _code_width(op)
    unpacking = decoder_of(op.source)
    if not isinstance(unpacking, BitUnpackOp) or unpacking.zigzag is not None:
        return everything
    base = 0 if unpacking.base is None else unpacking.base.value.data
    count = base % everything + (1 << unpacking.bits.value.data)
    return min(count, everything)


def _test_codes(
    column: EncodedColumn,
    op: DictionaryOp,
    own: Mapping[RowTest, SetTest],
    rewriter: PatternRewriter,
) -> None:
    """Let the query read codes in place of values."""
    replace_column(
        column, op.source, lambda code: {test: own[test](code) for test in own}, rewriter
    )


# Entries that pass.


def _known_entries(op: DictionaryOp, passing: Sequence[ValueSet]) -> Buffer:
    """A table of which tests each entry is known to pass."""
    assert isinstance(op.table.type, BufferType)
    contents = [
        sum((code in each) << place for place, each in enumerate(passing))
        for code in range(op.table.type.static_count or 0)
    ]
    return table(program_of(op), _tests_name(op.table), i8, contents)


def _tested_entries(
    column: EncodedColumn, op: DictionaryOp, own: Sequence[RowTest], tests: RowTests
) -> Buffer:
    """A buffer of which tests each entry passes, and the arm that tests it."""
    entries = Buffer(op.table)
    length = length_of(entries, "entries")
    passed = temporary(program_of(op), _tests_name(op.table), i8, length)
    needed = {each for test in own for each in tests.ops_of(test)}
    with arm("decode.dictionary.tests", length) as code:
        known: dict[SSAValue, SSAValue] = {column.argument: entries[code].ssa}
        for each in tests.block.ops:
            if each in needed:
                each.clone(value_mapper=known)
        bits = [_all_hold([Value(known[each]) for each in test.conditions]) for test in own]
        passed[code] = _joined_bits(bits)
    return passed


def _tests_name(buffer: SSAValue) -> str:
    return f"{name_of(buffer)}_tests"


def _all_hold(conditions: Sequence[Value]) -> Value:
    first, *others = conditions
    for each in others:
        first = first & each
    return first


def _joined_bits(bits: Sequence[Value]) -> Value:
    joined, *others = (bit.to(i8) for bit in bits)
    for place, bit in enumerate(others, start=1):
        joined = joined | bit << place
    return joined


def _look_up(
    column: EncodedColumn,
    op: DictionaryOp,
    passed: Buffer,
    own: Sequence[RowTest],
    rewriter: PatternRewriter,
) -> None:
    """Let the query read, in place of values, what is looked up of them."""
    declaration = _declared_like(column, rewriter)
    with building(rewriter, InsertPoint.before(op)):
        lanes = None if op.lanes is None else op.lanes.value.data
        DictionaryOp(op.source, declaration.buffer, passed, op.errors, lanes=lanes)

    def looked_up(bits: Value) -> Mapping[RowTest, Value]:
        if len(own) == 1:
            return {own[0]: bits.ne(0)}
        return {test: (bits & (1 << place)).ne(0) for place, test in enumerate(own)}

    replace_column(column, declaration.buffer, looked_up, rewriter)


def _declared_like(column: EncodedColumn, rewriter: PatternRewriter) -> BufferOp:
    """A buffer of a byte for each element of a column."""
    before = column.declaration
    name = unique_name(program_of(column.query), f"{column.name}_tests")
    type = BufferType(before.type.count, i8, before.type.access, before.type.memory_space)
    initial = None if before.initial is None else before.initial.data
    declaration = BufferOp(name, type, size=before.size, initial=initial)
    rewriter.insert(declaration, InsertPoint.before(before))
    return declaration
