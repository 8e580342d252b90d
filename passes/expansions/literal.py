"""
`vyre.scan.literal` as one data-parallel arm.

An invocation tests up to 64 places where an occurrence may start, four to a word. The k-th byte of
the literal is compared with the text shifted by k bytes; what differs is gathered in the
byte of the place, so that a zero byte is an occurrence of the literal's first four bytes
(the test for zero bytes is from Warren, "Hacker's Delight", chapter 6). Only where there is
one is the rest of the literal compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_, while_
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.literals import COMPARED_BYTES, LiteralOp
from vyre_dialect.passes.expansions.word_bytes import (
    BYTE,
    EACH_BYTE,
    HIGH_BITS,
    sum_of_bytes,
    zero_bytes,
)
from vyre_dialect.passes.rewriting.host_side import invocations, program_of, table
from vyre_dialect.passes.rewriting.reductions import WIDE, reduction

WORD = 4
HITS = 32
"""Bits of a word that stand for places, a bit of each byte for the places of a lane."""
FILTER = COMPARED_BYTES
HEAD = 32
"""Bytes of a literal that are compared as constants; the rest is looked up in a table."""

Hits: TypeAlias = Sequence[Value]
"""One bit for each place, in words that stand for eight lanes each: see `_place` for which."""


class ExpandLiteral(RewritePattern):
    """Expand `vyre.scan.literal`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LiteralOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            source, literal = Buffer(op.source), op.bytes
            tail = None
            if len(literal) > HEAD:
                tail = table(program_of(op), "literal_words", i32, _words(literal[HEAD:]))
            places = op.places_per_invocation
            with arm("scan.literal", invocations(source, places)) as i:
                _search(op, Window(source, (i * places).named("start"), places // WORD), tail)
        rewriter.erase(op)


def _words(data: bytes) -> list[int]:
    """The little-endian words of `data`, the last one filled up with zeros."""
    return [
        int.from_bytes(data[offset : offset + WORD], "little", signed=len(data) - offset >= WORD)
        for offset in range(0, len(data), WORD)
    ]


class Window:
    """The text from `start` on, as vectors of words that are loaded when needed."""

    def __init__(self, source: Buffer, start: Value, lanes: int):
        self.source = source
        self.start = start
        self.lanes = lanes
        self._words = VectorType(i32, [lanes])
        self._vectors: dict[int, Value] = {}

    def vector(self, word: int) -> Value:
        """The words of the text from the word-th after `start` on."""
        if word not in self._vectors:
            self._vectors[word] = self._load(word).named(f"words{word}")
        return self._vectors[word]

    def _load(self, word: int) -> Value:
        if word != 1:
            start = self.start + WORD * word if word else self.start
            return self.source.load(start, self._words)
        following = self.source.load(self.start + WORD * self.lanes, i32).named("following")
        return self.vector(0).shuffle(following.broadcast(self.lanes), range(1, self.lanes + 1))

    def shifted(self, distance: int) -> Value:
        """The words of the text `distance` bytes after `start`."""
        word, phase = divmod(distance, WORD)
        if phase == 0:
            return self.vector(word)
        return self.vector(word) >> 8 * phase | self.vector(word + 1) << 8 * (WORD - phase)

    def differences(self, part: bytes, distance: int = 0) -> Value:
        """In the byte of each place, zero if `part` occurs `distance` bytes after the place."""
        each = (
            self.shifted(distance + number) ^ byte * EACH_BYTE for number, byte in enumerate(part)
        )
        return reduce(Value.__or__, each).named("difference")


def _search(op: LiteralOp, window: Window, tail: Buffer | None) -> None:
    literal = op.bytes
    differences = window.differences(literal[:FILTER])
    if op.counts_at_places:
        # Per word; a population count would do, too, where devices have one for vectors.
        ones = sum_of_bytes(_zeros(differences) >> BYTE - 1).named("matches")
        _count(op, reduction(Value.__add__, ones), is_certain=True)
        return
    with if_(_has_zero(differences)):
        if len(literal) > FILTER:
            differences |= window.differences(literal[FILTER:HEAD], FILTER)
        zeros, is_certain = _zeros(differences), len(literal) <= FILTER
        needs_places = op.positions is not None or tail is not None or literal.endswith(b"\0")
        if window.lanes >= WIDE and not needs_places:
            _count(op, reduction(Value.__add__, zeros.ctpop()), is_certain=is_certain)
            return
        hits = _hits(zeros, window.lanes)
        if literal.endswith(b"\0"):
            hits = _within(window, hits, len(literal))
        if tail is not None:
            hits = _agreeing(window, hits, literal, tail)
        _count(op, reduce(add, map(Value.ctpop, hits)), is_certain=is_certain)
        _collect(op, window, hits)


def _has_zero(differences: Value) -> Value:
    """Whether a byte is zero: the lowest one borrows, and so may, wrongly, those above it."""
    borrows = (differences - EACH_BYTE & ~differences).named("borrows")
    return (reduction(Value.__or__, borrows) & HIGH_BITS).ne(0)


def _zeros(differences: Value) -> Value:
    """The highest bit of each byte that is zero."""
    return zero_bytes(differences).named("zero")


def _hits(zeros: Value, lanes: int) -> Hits:
    """The places whose byte is zero."""
    return [
        _gathered(zeros, range(first, min(first + BYTE, lanes))) for first in range(0, lanes, BYTE)
    ]


def _gathered(zero: Value, lanes: Sequence[int]) -> Value:
    """The highest bit of each byte of up to eight lanes, next to each other in each byte."""
    last, *others = (
        zero.lane(lane) >> BYTE - 1 - lane % BYTE if lane % BYTE < BYTE - 1 else zero.lane(lane)
        for lane in (lanes[-1], *lanes[:-1])
    )
    return reduce(Value.__or__, others, last).named("hits")


def _place(bit: Value, word: int) -> Value:
    """The place that a bit of a word of the hits stands for."""
    place = (bit % BYTE) * WORD + bit // BYTE
    return (place + word * HITS if word else place).named("place")


def _within(window: Window, hits: Hits, size: int) -> Hits:
    """Drop the hits that a literal ending in zeros has with the zeros past the end."""
    left = (window.source.length - window.start - (size - 1)).named("left")
    return _kept(hits, lambda place: place < left)


def _kept(hits: Hits, holds: Callable[[Value], Value]) -> Hits:
    """The hits at the places for which `holds`."""
    return [_kept_of(word, number, holds) for number, word in enumerate(hits)]


def _kept_of(hits: Value, word: int, holds: Callable[[Value], Value]) -> Value:
    with for_(0, HITS, carry=[hits], unroll=1) as bits:
        (hits,) = bits.named("hits")
        bit = constant(1, i32) << bits.counter.to(i32)
        bits.yields(holds(_place(bits.counter, word)).select(hits, hits & ~bit))
    return bits.results[0].named("hits")


def _count(op: LiteralOp, found: Value, *, is_certain: bool) -> None:
    """Add to the count what was found: something for certain, or perhaps nothing."""
    count = Buffer(op.count)
    number = found.named("found").to(count.type.element_type)
    if is_certain:
        count.atomic(AtomicKind.ADDI, number)
        return
    with if_(found.ne(0)):
        count.atomic(AtomicKind.ADDI, number)


def _collect(op: LiteralOp, window: Window, hits: Hits) -> None:
    """Put the places of the hits among the smallest, if anybody wants them."""
    if op.positions is None:
        return
    for number, word in enumerate(hits):
        with for_(0, HITS, unroll=1) as bits, if_((word >> bits.counter.to(i32) & 1).ne(0)):
            _insert(Buffer(op.positions), window.start + _place(bits.counter, number))


def _agreeing(window: Window, hits: Hits, literal: bytes, tail: Buffer) -> Hits:
    """The hits where the text agrees with the rest of the literal, too."""

    def agrees(place: Value) -> Value:
        rest = (window.start + place + HEAD).named("rest")
        whole = (len(literal) - HEAD) // WORD
        with for_(0, whole, carry=[constant(0, i32)]) as words:
            text = window.source.load(rest + words.counter * WORD, i32)
            (difference,) = words.named("difference")
            words.yields(difference | text ^ tail[words.counter.named("word")])
        # A last word that is not whole is compared together with bytes before it.
        last = int.from_bytes(literal[-WORD:], "little")
        text = window.source.load(rest + (len(literal) - HEAD - WORD), i32)
        return (words.results[0] | text ^ last).named("difference").eq(0)

    return _kept(hits, agrees)


def _insert(positions: Buffer, offset: Value) -> None:
    """
    Put `offset` where it belongs among the smallest offsets found so far.

    Each slot keeps the smaller one of what it holds and what it is given, atomically, and the
    larger one goes on to the next slot, until that slot was still unfilled: whatever the order
    of the invocations, slot k ends with the k-th smallest.
    """
    offset = offset.to(positions.type.element_type).named("offset")
    slots = positions.length
    # A minimum with all ones only reads: slots never grow, so a larger offset has no place.
    largest = positions.atomic(AtomicKind.MINU, -1, slots - 1).named("largest")
    with if_(offset.compare("ult", largest)):
        carry = [constant(0), offset]
        with while_(lambda slot, given: (slot < slots) & given.ne(-1), carry) as loop:
            slot, given = loop.named("slot", "given")
            held = positions.atomic(AtomicKind.MINU, given, slot).named("held")
            loop.yields(slot + 1, held.max(given))
