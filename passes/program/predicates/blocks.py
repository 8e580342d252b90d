"""
Blocks without a row that counts are not read.

What a block says of itself bounds its values (`block_bounds.py`). Where these have nothing in
common with what passes a test that every row has to pass, no row of the block counts, whatever its
values are. The decoder is then told so by a mask, and makes the values of zeros: those are within
the bounds, too, so that the test fails for them as it does for the true ones. The same mask is for
all columns in blocks of as many rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import i1, i8
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.row_tests import RowTests
from vyre_dialect.analysis.value_sets import Arc
from vyre_dialect.builder import Buffer, Value, arm, constant
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.columns import AlpOp
from vyre_dialect.ops.decode import DeltaOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.ops.packed import BitUnpackBlocksOp
from vyre_dialect.ops.query import QueryOp
from vyre_dialect.passes.expansions.bitunpack_blocks import block_count
from vyre_dialect.passes.program.predicates.block_bounds import MOST_WORDS, described, of_sums
from vyre_dialect.passes.program.predicates.encoded_columns import (
    EncodedColumn,
    decoder_of,
    has_what_is_decoded,
    is_known_at,
    is_only_for,
    is_settled,
)
from vyre_dialect.passes.program.predicates.outcome import Kept, Moved, Reason, Rule
from vyre_dialect.passes.rewriting.host_side import name_of, program_of, temporary
from vyre_dialect.passes.rewriting.rewriters import building

FEWEST_VALUES = 32
"""Values of a block for which it is looked at by itself."""
MOST_ARCS = 2
"""Arcs that what passes is covered by."""
MOST_POINTS = 64
"""Values that a test rules out with hardly a block among them."""


class Deciding(NamedTuple):
    """A column in blocks, and arcs that hold all that rows that count have there."""

    decoder: BitUnpackBlocksOp
    sums: DeltaOp | None
    """What sums up what that decodes."""
    arcs: Sequence[Arc]

    def may_count(self, number: Value) -> Value:
        """Whether a row of a block may count, as far as this column is concerned."""
        bounds = described(self.decoder, number)
        if self.sums is not None:
            bounds = of_sums(self.sums, number, bounds)
        if not self.arcs:
            return constant(0, i1)
        one, *others = (bounds.meets(arc) for arc in self.arcs)
        for each in others:
            one = one | each
        return one


def skip_blocks(
    column: EncodedColumn, tests: RowTests, rewriter: PatternRewriter
) -> Moved | Kept | None:
    """
    Let decoders not read blocks without a row that counts; None where they are told already.
    Tests stay that rule no block out.
    """
    if (op := _unpacking_of(column)) is None:
        return Kept(Reason.NO_RULE, f"'{column.decoder.name}' has none")
    if op.wanted is not None:
        return None
    if not _has_all_rows(column, op):
        return Kept(Reason.UNKNOWN_LENGTH, f"'@{column.name}' states its size: leave it out")
    skipping = _columns_in_blocks(column.query, op.block.value.data)
    first = _first_of(list(skipping.values()))
    deciding = dict[str, Deciding]()
    for each, decoder in skipping.items():
        bounds = _deciding(each, decoder, first, tests)
        if isinstance(bounds, Deciding):
            deciding[each.name] = bounds
        elif each.argument is column.argument:
            return bounds
    with building(rewriter, InsertPoint.before(first)):
        wanted = _mask(first, list(deciding.values()))
    for decoder in skipping.values():
        rewriter.replace(decoder, decoder.reading(wanted.ssa), [])
    skipped = _listed(each.name for each in skipping)
    return Moved(Rule.BLOCKS, f"the bounds of {_listed(deciding)} rule out blocks of {skipped}")


def _columns_in_blocks(query: QueryOp, block: int) -> dict[EncodedColumn, BitUnpackBlocksOp]:
    """The columns of a query that are in blocks of so many rows, all of them read so far."""
    found = dict[EncodedColumn, BitUnpackBlocksOp]()
    for argument in query.body.block.args[: len(query.columns)]:
        column = EncodedColumn.of(query, argument)
        if isinstance(column, Kept):
            continue
        op = _unpacking_of(column)
        if op is None or op.wanted is not None or op.block.value.data != block:
            continue
        if _has_all_rows(column, op):
            found[column] = op
    return found


def _has_all_rows(column: EncodedColumn, op: BitUnpackBlocksOp) -> bool:
    """Whether a column has a row for each value of its blocks, so that a mask has all blocks."""
    unpacked = op.destination.owner
    assert isinstance(unpacked, BufferOp)
    own = has_what_is_decoded(column.declaration, column.decoder)
    return own and has_what_is_decoded(unpacked, op)


def _unpacking_of(column: EncodedColumn) -> BitUnpackBlocksOp | None:
    """What unpacks a column, or what it is made of value by value, or block by block of sums."""
    op = column.decoder
    if isinstance(op, AlpOp | DeltaOp):
        inner = decoder_of(op.source)
        if inner is None or not is_only_for(op.source, inner, op):
            return None
        if isinstance(op, DeltaOp) and not _has_blocks_of(op, inner):
            return None
        op = inner
    return op if isinstance(op, BitUnpackBlocksOp) else None


def _has_blocks_of(op: DeltaOp, inner: DecodeOp) -> bool:
    """Whether each block of sums is one of what is unpacked, and its base apart from that."""
    return (
        isinstance(inner, BitUnpackBlocksOp)
        and not op.has_bytes
        and op.bases is not None
        and op.plain is not None
        and op.block == inner.block
        and op.block.value.data <= MOST_WORDS
    )


def _first_of(decoders: Sequence[BitUnpackBlocksOp]) -> BitUnpackBlocksOp:
    first, *others = decoders
    for each in others:
        first = each if each.is_before_in_block(first) else first
    return first


def _deciding(
    column: EncodedColumn, op: BitUnpackBlocksOp, first: Operation, tests: RowTests
) -> Deciding | Kept:
    """What a column says of blocks before `first`, or why that is nothing."""
    argument = column.argument
    required = [each for each in tests.tests if each.argument is argument and each.is_required]
    if not required:
        return Kept(Reason.NOT_REQUIRED, f"rows may count whatever '@{column.name}' is")
    passing = tests.accepted(required[0])
    if passing is None:
        return Kept(Reason.NO_SET, "the test is more than comparisons with constants")
    if op.block.value.data < FEWEST_VALUES:
        return Kept(
            Reason.SHORT_BLOCKS, f"a block has {op.block.value.data} of at least {FEWEST_VALUES}"
        )
    if (failing := ~passing).size <= MOST_POINTS:
        return Kept(Reason.UNSELECTIVE, f"the test rules out {failing.size} values alone")
    sums = column.decoder if isinstance(column.decoder, DeltaOp) else None
    needed = [op.blocks] if sums is None or sums.bases is None else [op.blocks, sums.bases]
    for each in needed:
        if not (is_known_at(each, first) and is_settled(each, first)):
            return Kept(
                Reason.NOT_READY, f"'@{name_of(each)}' is computed after another column is decoded"
            )
    return Deciding(op, sums, passing.covered_by(MOST_ARCS))


def _mask(first: BitUnpackBlocksOp, deciding: Sequence[Deciding]) -> Buffer:
    """A buffer of which blocks may have a row that counts, and the arm that looks at each."""
    # There are as many rows as the shortest column has, so that any column has blocks enough.
    blocks = block_count(first)
    wanted = temporary(program_of(first), "wanted_blocks", i8, blocks)
    with arm("decode.bitunpack_blocks.wanted", blocks) as number:
        one, *others = (each.may_count(number) for each in deciding)
        for each in others:
            one = one & each
        wanted[number] = one.to(i8)
    return wanted


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'@{name}'" for name in names)
