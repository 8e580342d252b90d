"""
`vyre.scan.aggregate` as one data-parallel arm, whose invocations take a row each and update the
results by atomics, for other passes to bring together.

Floats are combined in an order of their own: an invocation takes the 64 rows of a block, and stores
what it has of each result; a second arm does the same with 64 blocks each, and a third, one
workgroup, with what these have. There, invocation `i` of 256 takes those at `i`, `i + 256`, …, and
half of the invocations combine theirs with those of the other half, until one is left.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import (
    Buffer,
    Loop,
    Value,
    arm,
    barrier,
    constant,
    for_,
    if_,
    index,
    local_id,
)
from vyre_dialect.builder.values import ceildiv
from vyre_dialect.ir.types import AtomicKind, MemorySpace
from vyre_dialect.ops.aggregate import AggregateKind, AggregateOp, neutral_value
from vyre_dialect.ops.query import Output
from vyre_dialect.passes.expansions.rows import RowBody, row_count
from vyre_dialect.passes.rewriting.host_side import program_of, temporary

BLOCK = 64
"""Rows, or results of blocks, whose floats are combined one after the other."""
WORKGROUP = 256

_ATOMICS = {
    AggregateKind.COUNT: AtomicKind.ADDI,
    AggregateKind.FIRST: AtomicKind.MINU,
    AggregateKind.SUM: AtomicKind.ADDI,
    AggregateKind.MINS: AtomicKind.MINS,
    AggregateKind.MINU: AtomicKind.MINU,
    AggregateKind.MAXS: AtomicKind.MAXS,
    AggregateKind.MAXU: AtomicKind.MAXU,
}
_FLOAT_OPS: dict[str, type[arith.AddfOp | arith.MinimumfOp | arith.MaximumfOp]] = {
    AggregateKind.SUM: arith.AddfOp,
    AggregateKind.MINIMUMF: arith.MinimumfOp,
    AggregateKind.MAXIMUMF: arith.MaximumfOp,
}


class ExpandAggregate(RewritePattern):
    """Expand `vyre.scan.aggregate`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AggregateOp, rewriter: PatternRewriter, /) -> None:
        outputs = list(op.outputs())
        floats = [FloatResult(each) for each in outputs if _is_float(each)]
        integers = [each for each in outputs if not _is_float(each)]
        with ImplicitBuilder(rewriter):
            rows = row_count(op)
            if floats:
                _combine_blocks(op, rows, integers, floats)
            else:
                with arm("scan.aggregate", rows) as row:
                    _update(op, RowBody(op, row), row, integers)
        rewriter.erase(op)


def _is_float(output: Output) -> bool:
    return isinstance(Buffer(output.buffer).type.element_type, AnyFloat)


def _update(op: AggregateOp, body: RowBody, row: Value, integers: Sequence[Output]) -> None:
    """Update the results that are integers by a row, if it counts."""
    if not integers:
        return
    with body.chosen():
        group = op.end.group
        # A key outside of the results updates nothing, as any access outside of a buffer.
        place = 0 if group is None else _index(body.value(group)).named("group")
        for output in integers:
            buffer, term = Buffer(output.buffer), _term(body, row, output)
            buffer.atomic(_ATOMICS[AggregateKind(output.kind)], term, place)


def _index(key: Value) -> Value:
    return Value(arith.IndexCastOp(key.ssa, index).result)


def _term(body: RowBody, row: Value, output: Output) -> Value:
    """What a result is updated by for a row that counts."""
    element = Buffer(output.buffer).type.element_type
    if output.kind == AggregateKind.COUNT:
        return constant(1, element)
    if output.kind == AggregateKind.FIRST:
        return row.to(element)
    assert output.value is not None
    return body.value(output.value)


class FloatResult:
    """A result that is a float, and how values are combined for it."""

    def __init__(self, output: Output):
        assert output.value is not None
        self.value, self.total = output.value, Buffer(output.buffer)
        self.type = self.total.type.element_type
        self._kind = AggregateKind(output.kind)

    def neutral(self) -> Value:
        """What changes no value."""
        return Value(arith.ConstantOp(neutral_value(self._kind, self.type)).result)

    def combined(self, left: Value, right: Value) -> Value:
        """The combination of two values."""
        return Value(_FLOAT_OPS[self._kind](left.ssa, right.ssa).result)


def _combine_blocks(
    op: AggregateOp, rows: Value | int, integers: Sequence[Output], floats: Sequence[FloatResult]
) -> None:
    """The arms that combine rows, blocks of rows, and all of these."""
    program, blocks = program_of(op), _blocks_of(rows)
    firsts = [temporary(program, "of_rows", each.type, blocks) for each in floats]
    with arm("scan.aggregate", blocks) as block, _each_of(block, rows, floats, firsts) as loop:
        row = loop.counter.named("row")
        body = RowBody(op, row)
        terms = _float_terms(body, floats)
        _carry_on(loop, floats, terms)
        _update(op, body, row, integers)
    seconds = [temporary(program, "of_blocks", each.type, _blocks_of(blocks)) for each in floats]
    with (
        arm("scan.aggregate.blocks", _blocks_of(blocks)) as block,
        _each_of(block, blocks, floats, seconds) as loop,
    ):
        terms = [first[loop.counter] for first in firsts]
        _carry_on(loop, floats, terms)
    lanes = [
        temporary(program, "of_lanes", each.type, WORKGROUP, MemorySpace.WORKGROUP)
        for each in floats
    ]
    with arm("scan.aggregate.total", WORKGROUP, workgroup_size=[WORKGROUP]):
        for each, second, shared in zip(floats, seconds, lanes, strict=True):
            _combine_all(each, second, shared, local_id().named("lane"))


def _carry_on(loop: Loop, floats: Sequence[FloatResult], terms: Sequence[Value]) -> None:
    """Combine what a loop carries of each result with a term."""
    pairs = zip(floats, loop.carried, terms, strict=True)
    loop.yields(*(each.combined(so_far, term) for each, so_far, term in pairs))


def _blocks_of(count: Value | int) -> Value | int:
    blocks = ceildiv(count, BLOCK)
    return blocks if isinstance(blocks, int) else blocks.named("blocks")


@contextmanager
def _each_of(
    block: Value, count: Value | int, floats: Sequence[FloatResult], results: Sequence[Buffer]
) -> Generator[Loop]:
    """A loop over what a block has of `count`, which carries what is stored for the block."""
    first = (block * BLOCK).named("first")
    carried = [each.neutral() for each in floats]
    with for_(first, (first + BLOCK).min(count), carry=carried) as loop:
        yield loop
    for result, combined in zip(results, loop.results, strict=True):
        result[block] = combined


def _float_terms(body: RowBody, floats: Sequence[FloatResult]) -> list[Value]:
    """What the results are combined with: for a row that does not count, what changes nothing."""
    terms = [body.value(each.value) for each in floats]
    if (counts := body.predicate) is None:
        return terms
    return [counts.select(term, each.neutral()) for term, each in zip(terms, floats, strict=True)]


def _combine_all(result: FloatResult, parts: Buffer, shared: Buffer, lane: Value) -> None:
    """Combine all parts, by the invocations of a workgroup, and then with the result."""
    with for_(lane, parts.length, WORKGROUP, carry=[result.neutral()]) as loop:
        loop.yields(result.combined(loop.carried[0], parts[loop.counter]))
    shared[lane] = loop.results[0]
    half = WORKGROUP // 2
    while half:
        barrier(MemorySpace.WORKGROUP)
        with if_(lane < half):
            shared[lane] = result.combined(shared[lane], shared[lane + half])
        half //= 2
    with if_(lane.eq(0)):
        result.total[0] = result.combined(result.total[0], shared[0])
