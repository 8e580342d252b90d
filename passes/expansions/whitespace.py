"""
`skip_whitespace` of decoders: characters move together on the device, in front of the decoder.

One arm counts the characters that each block keeps, a prefix sum says where those of each block
go, and another arm moves them (G. E. Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190,
1990, section 1.5). Whitespace is what C calls so: bytes 9 to 13, and 32. Words are tested four
characters at a time by carries into the high bit of each byte.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i8, i32, i64
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_, index
from vyre_dialect.ops.scan import PrefixSumOp
from vyre_dialect.passes.expansions.word_bytes import EACH_BYTE, HIGH_BITS, LOW_BITS, sum_of_bytes
from vyre_dialect.passes.rewriting.host_side import invocations, program_of, temporary

BLOCK = 128
GROUP = 16
WORD = 4
WORDS = VectorType(i32, [GROUP // WORD])
COUNTED = 32
"""Characters that are counted at once. Oclgrind takes what 64 were read into for uninitialised."""
COUNTED_WORDS = VectorType(i32, [COUNTED // WORD])
TAB, AFTER_RETURN, SPACE = 9, 14, 32


def without_whitespace(op: Operation, source: Buffer, rewriter: PatternRewriter) -> Buffer:
    """A buffer, declared and filled in front of `op`, of the characters of `source` to decode."""
    program = program_of(op)
    with ImplicitBuilder(rewriter):
        blocks = _blocks(source)
        ends = temporary(program, "kept_ends", i64, blocks)
        counts = temporary(program, "kept_counts", i32, blocks)
        with arm("skip_whitespace.count", blocks) as i:
            counts[i] = _kept(source, (i * BLOCK).named("start"))
        PrefixSumOp(counts, ends)
        # The host waits for the count here, to size what is decoded.
        total = ends[ends.length - 1].to(index, signed=True).named("kept_length")
        kept = temporary(program, "kept", i8, total)
        with arm("skip_whitespace", blocks) as i:
            first = i.eq(0).select(0, ends[i - 1].to(index, signed=True)).named("first")
            _move(source, (i * BLOCK).named("start"), kept, first)
    return kept


def _blocks(source: Buffer) -> Value | int:
    """At least one, so that the last has an end also where there is no source."""
    blocks = invocations(source, BLOCK)
    return blocks if isinstance(blocks, int) else blocks.max(1).named("blocks")


def _kept(source: Buffer, start: Value) -> Value:
    """How many characters of the block at `start` are no whitespace, as i32."""
    with for_(0, BLOCK, COUNTED, carry=[constant(0, COUNTED_WORDS)]) as groups:
        words = source.load(start + groups.counter, COUNTED_WORDS)
        groups.yields(groups.carried[0] + (_whitespace(words) >> 7))
    # A byte of each lane counts up to 4, so that their sum is at most 128.
    skipped = sum_of_bytes(_sum_of_lanes(groups.results[0])).named("skipped")
    inside = (source.length - start).min(BLOCK)
    return inside.to(i32) - skipped


def _sum_of_lanes(words: Value) -> Value:
    """The sum of all lanes of `words`, by halves, each of which is one operation."""
    lanes = COUNTED // WORD
    while lanes > 1:
        lanes //= 2
        lower, upper = range(lanes), range(lanes, 2 * lanes)
        words = words.shuffle(words, lower) + words.shuffle(words, upper)
    return words.lane(0)


def _whitespace(words: Value) -> Value:
    """The high bit of each byte that is whitespace. What is read past the end, zeros, is none."""
    low = words & LOW_BITS
    from_tab, after_return = low + (0x80 - TAB) * EACH_BYTE, low + (0x80 - AFTER_RETURN) * EACH_BYTE
    other_than_space = (low ^ SPACE * EACH_BYTE) + LOW_BITS
    return (from_tab & ~after_return | ~other_than_space) & ~words & HIGH_BITS


def _move(source: Buffer, start: Value, kept: Buffer, first: Value) -> None:
    """
    Store what a block keeps from `first` on. What is past the end of the source comes after all
    that is kept, where stores are dropped.
    """
    with for_(0, BLOCK, GROUP, carry=[first]) as groups:
        here, to = (start + groups.counter).named("here"), groups.carried[0].named("to")
        words = source.load(here, WORDS).named("words")
        found = _whitespace(words).named("whitespace")
        lanes = [found.lane(lane) for lane in range(GROUP // WORD)]
        is_clean = (lanes[0] | lanes[1] | lanes[2] | lanes[3]).eq(0)
        with if_(is_clean) as branch:
            kept.store(words, to)
            branch.yields(to + GROUP)
        with branch.else_():
            branch.yields(_move_words(source, here, words, kept, to))
        groups.yields(branch.results[0])


def _move_words(source: Buffer, here: Value, words: Value, kept: Buffer, to: Value) -> Value:
    """Move 16 characters word by word; gives where the next ones go."""
    for number in range(GROUP // WORD):
        word = words.lane(number).named("word")
        with if_(_whitespace(word).eq(0)) as branch:
            kept.store(word, to)
            branch.yields(to + WORD)
        with branch.else_():
            branch.yields(_move_bytes(source, here + number * WORD, kept, to))
        (to,) = branch.results
    return to


def _move_bytes(source: Buffer, here: Value, kept: Buffer, to: Value) -> Value:
    for number in range(WORD):
        character = source[here + number].named("character")
        is_kept = (character.ne(SPACE) & (character - TAB >= AFTER_RETURN - TAB)).named("is_kept")
        with if_(is_kept):
            kept[to] = character
        to = to + is_kept.to(i64).to(index)
    return to
