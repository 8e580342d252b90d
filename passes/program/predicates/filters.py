"""Filters of what a dictionary has for codes, as filters of the codes."""

from __future__ import annotations

from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.ops.columns import DictionaryOp
from vyre_dialect.ops.scan import DictionaryFilterOp, FilterOp
from vyre_dialect.passes.program.predicates.encoded_columns import (
    DecodedBuffer,
    decoded_for,
    drop,
    has_what_is_decoded,
    is_only_reported_to,
    is_settled,
    users,
)
from vyre_dialect.passes.program.predicates.outcome import Kept, Moved, Reason, Rule
from vyre_dialect.passes.rewriting.host_side import name_of
from vyre_dialect.passes.rewriting.rewriters import building


def filter_codes(op: FilterOp, rewriter: PatternRewriter) -> Moved | Kept | None:
    """Let a filter read codes in place of values; None where no dictionary has the values."""
    decoders = (each for each in users(op.source) if isinstance(each, DictionaryOp))
    if not any(each.decoded is op.source for each in decoders):
        return None
    column = decoded_for(op, op.source)
    if isinstance(column, Kept):
        return column
    decoder = column.decoder
    assert isinstance(decoder, DictionaryOp)
    if not has_what_is_decoded(column.declaration, decoder):
        return Kept(
            Reason.UNKNOWN_LENGTH,
            f"'@{column.name}' may be shorter than '@{name_of(decoder.source)}'",
        )
    for buffer in (decoder.source, decoder.table):
        if not is_settled(buffer, decoder):
            return Kept(Reason.NOT_READY, f"'@{name_of(buffer)}' is written after it is decoded")
    if not is_only_reported_to(decoder.errors, decoder, op):
        return Kept(
            Reason.NOT_READY, f"'@{name_of(decoder.errors)}' is read before '@{column.name}'"
        )
    _read_codes(op, column, decoder, rewriter)
    return Moved(Rule.ENTRIES, f"tests each element of '@{name_of(decoder.table)}' once")


def _read_codes(
    op: FilterOp, column: DecodedBuffer, decoder: DictionaryOp, rewriter: PatternRewriter
) -> None:
    results = [op.count, *([] if op.sum is None else [op.sum])]
    operands = [decoder.source, decoder.table, decoder.errors, *results]
    with building(rewriter, InsertPoint.before(op)):
        DictionaryFilterOp.create(operands=operands, properties=dict(op.properties))
    rewriter.erase(op)
    drop(column, decoder.source, rewriter)
