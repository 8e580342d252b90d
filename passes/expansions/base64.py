"""
`vyre.decode.base64` as one data-parallel arm: 16 characters to 12 bytes per invocation.

The characters are tested and turned into 6-bit numbers as `characters` says. Two
multiplications by powers of two put the four numbers of a word together (W. Muła, D. Lemire,
"Faster Base64 Encoding and Decoding Using AVX2 Instructions", ACM Transactions on the Web
12(3), 2018, section 5.2), and the 24-bit groups of four words make three words of bytes.
"""

from __future__ import annotations

from string import ascii_letters, digits

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm
from vyre_dialect.ops.decode import Alphabet, Base64Op
from vyre_dialect.passes.expansions.characters import (
    CHUNK,
    WORDS,
    CharacterRange,
    Characters,
    InvalidCharacters,
    character_ranges,
    is_digit,
)
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.host_side import invocations
from vyre_dialect.passes.expansions.whitespace import without_whitespace

LAST_DIGITS = {Alphabet.STANDARD: "+/", Alphabet.URL: "-_"}
DECODED_CHUNK = 12
PAD = ord("=")
EVEN_BYTES = 0x00FF00FF


class ExpandBase64(RewritePattern):
    """Expand `vyre.decode.base64`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Base64Op, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        if op.skip_whitespace is not None:
            rewriter.replace(op, _on_kept(op, without_whitespace(op, source, rewriter)))
            return
        size_destination(op, rewriter, lambda: _decoded_length(op))
        with (
            ImplicitBuilder(rewriter),
            arm("decode.base64", invocations(source, CHUNK)) as i,
        ):
            start = (i * CHUNK).named("start")
            characters = Characters(source.load(start, WORDS).named("characters"))
            sextets = _sextets(op, characters, start).named("sextets")
            first, second, third = _bytes(sextets)
            decoded_start = (i * DECODED_CHUNK).named("decoded_start")
            destination.store(first, decoded_start)
            destination.store(second, decoded_start + 4)
            destination.store(third, decoded_start + 8)
        rewriter.erase(op)


def _on_kept(op: Base64Op, kept: Buffer) -> Base64Op:
    """The same decoder of what is no whitespace."""
    return Base64Op(
        kept,
        op.destination,
        op.errors,
        alphabet=op.alphabet.data,
        unpadded=op.unpadded is not None,
    )


def _decoded_length(op: Base64Op) -> Value:
    source = Buffer(op.source)
    length = source.length.named("length")
    if op.unpadded is not None:
        return length * 3 // 4
    last, second_last = source[length - 1].eq(PAD), source[length - 2].eq(PAD)
    padding = last.to(length.type) + (last & second_last).to(length.type)
    # Padding alone, as in "=", is invalid, and has no length below zero.
    return (length // 4 * 3 - padding.named("padding")).max(0)


def _ranges(op: Base64Op) -> list[CharacterRange]:
    letters = ascii_letters[26:] + ascii_letters[:26]
    return character_ranges(letters + digits + LAST_DIGITS[op.alphabet.data])


def _sextets(op: Base64Op, characters: Characters, start: Value) -> Value:
    """The number of each character in its byte, 0 for padding."""
    ranges = _ranges(op)
    source = Buffer(op.source)

    def is_bad(character: Value, following: Value, offset: Value) -> Value:
        length = source.length.named("length")
        good = is_digit(character, ranges)
        if op.unpadded is None:
            good = good | _is_padding(character, following, offset, length)
            good.named("is_good")
        left = (length % 4).named("left")
        incomplete = left.eq(1) if op.unpadded is not None else left.ne(0)
        ends_early = offset.eq(length) & incomplete
        return (offset < length) & ~good | ends_early

    invalid = InvalidCharacters(source, Buffer(op.errors), "invalid base64 input", start, is_bad)
    outside = characters.outside(ranges).named("outside")
    return invalid.dropped(characters.numbers(ranges), outside)


def _is_padding(character: Value, following: Value, offset: Value, length: Value) -> Value:
    """Whether a character is the last, or the second last before a last, of whole groups."""
    is_last = offset.eq(length - 1)
    is_second_last = offset.eq(length - 2) & following.eq(PAD)
    is_final = (is_last | is_second_last).named("is_final")
    return character.eq(PAD) & (length % 4).eq(0) & is_final


def _bytes(sextets: Value) -> list[Value]:
    """The 12 bytes that 16 numbers stand for, as three words."""
    pairs = ((sextets & EVEN_BYTES) * (1 << 6) + (sextets >> 8 & EVEN_BYTES)).named("pairs")
    groups = ((pairs << 12 | pairs >> 16) & 0xFFFFFF).named("groups")
    first, second, third, fourth = (groups.lane(lane).named(f"group{lane}") for lane in range(4))
    big_endian = [
        first << 8 | second >> 16,
        second << 16 | third >> 8,
        third << 24 | fourth,
    ]
    return [_reversed(word.named("big_endian")).named("word") for word in big_endian]


def _reversed(word: Value) -> Value:
    """The bytes of a word in the opposite order; compilers know this form."""
    return word << 24 | (word & 0xFF00) << 8 | (word >> 8 & 0xFF00) | word >> 24
