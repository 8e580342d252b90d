"""
`vyre.decode.hex` as one data-parallel arm: 16 digits to 8 bytes per invocation.

The digits are tested as `characters` says; the value of a digit is its low four bits, and 9
more for a letter.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm
from vyre_dialect.ops.decode import HexOp
from vyre_dialect.passes.expansions.characters import (
    CHUNK,
    EACH_BYTE,
    WORDS,
    Characters,
    InvalidCharacters,
    character_ranges,
    is_digit,
)
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.host_side import invocations
from vyre_dialect.passes.expansions.whitespace import without_whitespace

DECODED_CHUNK = 8
RANGES = character_ranges("0123456789ABCDEF") + character_ranges("abcdef")


class ExpandHex(RewritePattern):
    """Expand `vyre.decode.hex`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: HexOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        if op.skip_whitespace is not None:
            kept = without_whitespace(op, source, rewriter)
            rewriter.replace(op, HexOp(kept, op.destination, op.errors))
            return
        size_destination(op, rewriter, lambda: source.length // 2)
        with ImplicitBuilder(rewriter), arm("decode.hex", invocations(source, CHUNK)) as i:
            start = (i * CHUNK).named("start")
            digits = Characters(source.load(start, WORDS).named("digits"))
            nibbles = _nibbles(op, digits, start).named("nibbles")
            destination.store(_bytes(nibbles), i * DECODED_CHUNK)
        rewriter.erase(op)


def _nibbles(op: HexOp, digits: Characters, start: Value) -> Value:
    """The value of each digit in its byte."""
    source = Buffer(op.source)

    def is_bad(digit: Value, following: Value, offset: Value) -> Value:
        length = source.length.named("length")
        ends_early = offset.eq(length) & (length % 2).ne(0)
        return (offset < length) & ~is_digit(digit, RANGES) | ends_early

    invalid = InvalidCharacters(source, Buffer(op.errors), "invalid hex input", start, is_bad)
    letters = (digits.words >> 6) & EACH_BYTE
    values = (digits.words & EACH_BYTE * 0x0F) + letters * 9
    return invalid.dropped(values, digits.outside(RANGES).named("outside"))


def _bytes(nibbles: Value) -> Value:
    """The eight bytes of 16 values, the first of two being the high half of a byte."""
    # Bytes 1 and 3 of each word; the others are halves of different bytes, and never carry.
    pairs = ((nibbles << 12) + nibbles).named("pairs")
    halves = (pairs >> 8 & 0xFF | pairs >> 16 & 0xFF00).named("halves")
    return halves.shuffle(halves, [0, 2]) | halves.shuffle(halves, [1, 3]) << 16
