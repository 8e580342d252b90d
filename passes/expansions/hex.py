"""
`vyre.decode.hex` as one data-parallel arm: a vector of digits to half a vector of bytes per
invocation.

The digits are tested as `characters` says; the value of a digit is its low four bits, and 9
more for a letter.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm
from vyre_dialect.ops.decode import WORD_BYTES, HexOp
from vyre_dialect.passes.expansions.characters import (
    Characters,
    InvalidCharacters,
    character_ranges,
)
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.whitespace import without_whitespace
from vyre_dialect.passes.expansions.word_bytes import EACH_BYTE
from vyre_dialect.passes.rewriting.host_side import invocations

RANGES = character_ranges("0123456789ABCDEF") + character_ranges("abcdef")


class ExpandHex(RewritePattern):
    """Expand `vyre.decode.hex`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: HexOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        if op.skip_whitespace is not None:
            kept = without_whitespace(op, source, rewriter)
            rewriter.replace(op, _on_kept(op, kept))
            return
        size_destination(op, rewriter, lambda: source.length // 2)
        lanes = op.lanes_per_vector
        chunk = lanes * WORD_BYTES
        with ImplicitBuilder(rewriter), arm("decode.hex", invocations(source, chunk)) as i:
            start = (i * chunk).named("start")
            (digits,) = Characters.loaded(source, start, lanes, 1, "digits")
            nibbles = _nibbles(op, digits, start).named("nibbles")
            destination.store(_bytes(nibbles, lanes), i * (chunk // 2))
        rewriter.erase(op)


def _on_kept(op: HexOp, kept: Buffer) -> HexOp:
    """The same decoder of what is no whitespace."""
    return HexOp(kept, op.destination, op.errors, lanes=op.lanes_per_vector)


def _nibbles(op: HexOp, digits: Characters, start: Value) -> Value:
    """The value of each digit in its byte."""
    invalid = InvalidCharacters(
        Buffer(op.source),
        Buffer(op.errors),
        "invalid hex input",
        start,
        ends_early=lambda length: (length % 2).ne(0),
    )
    letters = (digits.words >> 6) & EACH_BYTE
    values = (digits.words & EACH_BYTE * 0x0F) + letters * 9
    outside = digits.outside(RANGES).named("outside")
    return invalid.dropped([values], [outside])[0]


def _bytes(nibbles: Value, lanes: int) -> Value:
    """The bytes that values are the halves of, the first of two being the high one."""
    # Bytes 1 and 3 of each word; the others are halves of different bytes, and never carry.
    pairs = ((nibbles << 12) + nibbles).named("pairs")
    halves = (pairs >> 8 & 0xFF | pairs >> 16 & 0xFF00).named("halves")
    even, odd = range(0, lanes, 2), range(1, lanes, 2)
    return halves.shuffle(halves, even) | halves.shuffle(halves, odd) << 16
