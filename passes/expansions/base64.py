"""
`vyre.decode.base64` as one data-parallel arm: 16 characters to 12 bytes per invocation, or as
many times that as a vector has lanes.

The characters are tested and turned into 6-bit numbers as `characters` says. Two
multiplications by powers of two put the four numbers of a word together (W. Muła, D. Lemire,
"Faster Base64 Encoding and Decoding Using AVX2 Instructions", ACM Transactions on the Web
12(3), 2018, section 5.2), and the 24-bit groups of four words make three words of bytes. Of
wide vectors, all words of bytes are put together at once, each from two neighbouring groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters, digits

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constants, if_
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.decode import WORD_BYTES, Alphabet, Base64Op
from vyre_dialect.passes.expansions.characters import (
    CharacterRange,
    Characters,
    InvalidCharacters,
    character_ranges,
)
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.whitespace import without_whitespace
from vyre_dialect.passes.expansions.word_bytes import EACH_BYTE, nonzero_bytes
from vyre_dialect.passes.rewriting.host_side import invocations

LAST_DIGITS = {Alphabet.STANDARD: "+/", Alphabet.URL: "-_"}
CHUNK, DECODED_CHUNK = 16, 12
"""Characters, and bytes, of four words, and of three."""
VECTORS = 4
GROUP_BITS = 24
PAD = ord("=")
EVEN_BYTES = 0x00FF00FF
LAST_CHARACTER = 0x80000000
"""Bit 7 of the last byte of a word."""


class ExpandBase64(RewritePattern):
    """Expand `vyre.decode.base64`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Base64Op, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        if op.skip_whitespace is not None:
            rewriter.replace(op, _on_kept(op, without_whitespace(op, source, rewriter)))
            return
        size_destination(op, rewriter, lambda: _decoded_length(op))
        lanes = op.lanes_per_vector
        with (
            ImplicitBuilder(rewriter),
            arm("decode.base64", invocations(source, lanes * CHUNK)) as i,
        ):
            start = (i * (lanes * CHUNK)).named("start")
            decoded = _bytes(_sextets(op, start), lanes)
            decoded_start = (i * (lanes * DECODED_CHUNK)).named("decoded_start")
            for number, words in enumerate(decoded):
                offset = number * lanes * WORD_BYTES
                destination.store(words, decoded_start + offset if offset else decoded_start)
        rewriter.erase(op)


def _on_kept(op: Base64Op, kept: Buffer) -> Base64Op:
    """The same decoder of what is no whitespace."""
    return Base64Op(
        kept,
        op.destination,
        op.errors,
        alphabet=op.alphabet.data,
        unpadded=op.unpadded is not None,
        lanes=op.lanes_per_vector,
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


def _sextets(op: Base64Op, start: Value) -> list[Value]:
    """The number of each character in its byte, 0 for padding."""
    ranges, lanes = _ranges(op), op.lanes_per_vector
    source = Buffer(op.source)
    per_vector, vectors = (VECTORS, 1) if lanes == 1 else (lanes, VECTORS)
    characters = Characters.loaded(source, start, per_vector, vectors, "characters")

    def ends_early(length: Value) -> Value:
        left = (length % 4).named("left")
        return left.eq(1) if op.unpadded is not None else left.ne(0)

    def reported(outside: list[Value]) -> list[Value]:
        if op.unpadded is not None:
            return outside
        return _without_padding(op, start, characters, outside)

    message = "invalid base64 input"
    invalid = InvalidCharacters(source, Buffer(op.errors), message, start, ends_early, reported)
    outside = [each.outside(ranges).named("outside") for each in characters]
    numbers = [each.numbers(ranges) for each in characters]
    return [each.named("sextets") for each in invalid.dropped(numbers, outside)]


def _without_padding(
    op: Base64Op, start: Value, characters: Sequence[Characters], outside: list[Value]
) -> list[Value]:
    """`outside` of the chunk at `start`, without the padding if that is the last one."""
    left = (Buffer(op.source).length - start).named("left")
    with if_(left <= op.lanes_per_vector * CHUNK) as last:
        per_vector = lane_count(outside[0].type) * WORD_BYTES
        vectors = enumerate(zip(characters, outside, strict=True))
        last.yields(
            *(
                flags & ~_padding(each.words, left.to(i32) - number * per_vector)
                for number, (each, flags) in vectors
            )
        )
    with last.else_():
        last.yields(*outside)
    return list(last.results)


def _padding(words: Value, left: Value) -> Value:
    """
    Bit 7 of the one or two characters that end a source as padding, where it ends so; `left`
    characters are left of it from the first one of `words` on.
    """
    assert isinstance(words.type, VectorType)
    lanes = lane_count(words.type)
    ends = constants(range(WORD_BYTES, (lanes + 1) * WORD_BYTES, WORD_BYTES), words.type)
    # Only zero, less one, is negative: where the source ended before there is no padding.
    is_last = (left.broadcast(lanes) ^ ends) - 1 >> 31
    is_other = nonzero_bytes(words ^ EACH_BYTE * PAD)
    last = ~is_other & LAST_CHARACTER
    second_last = ~is_other & last >> 8
    return (last | second_last) * is_last


def _bytes(sextets: list[Value], lanes: int) -> list[Value]:
    """The bytes that the numbers stand for, as three words or vectors of words."""
    pairs = [_pairs(each).named("pairs") for each in sextets]
    if lanes == 1:
        return _three_words(*pairs)
    groups = [_little_endian(each).named("groups") for each in pairs]
    return [_joined(groups, lanes, vector).named("words") for vector in range(VECTORS - 1)]


def _pairs(sextets: Value) -> Value:
    """The 12 bits of the first two numbers of a word, and of the others, in its halves."""
    return (sextets & EVEN_BYTES) * (1 << 6) + (sextets >> 8 & EVEN_BYTES)


def _three_words(pairs: Value) -> list[Value]:
    groups = ((pairs << 12 | pairs >> 16) & 0xFFFFFF).named("groups")
    first, second, third, fourth = (groups.lane(lane).named(f"group{lane}") for lane in range(4))
    big_endian = [
        first << 8 | second >> 16,
        second << 16 | third >> 8,
        third << 24 | fourth,
    ]
    return [_reversed(word.named("big_endian")).named("word") for word in big_endian]


def _little_endian(pairs: Value) -> Value:
    """The three bytes of each word, the first one lowest."""
    return pairs >> 4 & 0xFF | pairs << 12 & 0xF000 | pairs >> 16 & 0xF00 | pairs & 0xFF0000


def _joined(groups: list[Value], lanes: int, vector: int) -> Value:
    """The `vector`-th vector of words, each the rest of a group and the begin of the next one."""
    type, words = VectorType(i32, [lanes]), range(vector * lanes, (vector + 1) * lanes)
    taken = [word % 3 * 8 for word in words]
    first = [word // 3 * 4 + word % 3 - vector * lanes for word in words]
    neighbours = groups[vector], groups[vector + 1]
    rest = neighbours[0].shuffle(neighbours[1], first) >> constants(taken, type)
    following = neighbours[0].shuffle(neighbours[1], [group + 1 for group in first])
    return rest | following << constants([GROUP_BITS - bits for bits in taken], type)


def _reversed(word: Value) -> Value:
    """The bytes of a word in the opposite order; compilers know this form."""
    return word << 24 | (word & 0xFF00) << 8 | (word >> 8 & 0xFF00) | word >> 24
