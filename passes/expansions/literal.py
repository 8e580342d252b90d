"""
`vyre.scan.literal` as one data-parallel arm.

An invocation tests 16 places where an occurrence may start. It loads these 16 bytes as four
words and shifts in what follows, so that each of four shifted vectors holds the words at four
of the places; one comparison with the first four bytes of the literal tests all four. Only
where these agree is the rest of the literal compared.
"""

from __future__ import annotations

from functools import reduce
from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import math
from xdsl.dialects.builtin import VectorType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_, while_
from vyre_dialect.ops.scan import LiteralOp
from vyre_dialect.passes.expansions.host_side import invocations, program_of, table
from vyre_dialect.types import AtomicKind

PLACES = 16
WORD = 4
WORDS = VectorType(i32, [4])
HEAD = 32
"""Bytes of a literal that are compared as constants; the rest is looked up in a table."""


class ExpandLiteral(RewritePattern):
    """Expand `vyre.scan.literal`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LiteralOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            source, literal = Buffer(op.source), op.bytes
            tail = None
            if len(literal) > HEAD:
                tail = table(program_of(op), "literal_words", i32, _words(literal[HEAD:]))
            with arm("scan.literal", invocations(source, PLACES)) as i:
                _search(op, Window(source, (i * PLACES).named("start")), tail)
        rewriter.erase(op)


def _words(data: bytes) -> list[int]:
    """The little-endian words of `data`, the last one filled up with zeros."""
    return [
        int.from_bytes(data[offset : offset + WORD], "little", signed=len(data) - offset >= WORD)
        for offset in range(0, len(data), WORD)
    ]


class Window:
    """The 16 bytes from `start` on and what follows, as vectors of words loaded when needed."""

    def __init__(self, source: Buffer, start: Value):
        self.source = source
        self.start = start
        self._vectors: dict[int, Value] = {}

    def vector(self, word: int) -> Value:
        """Four words of the text, from the word-th after `start` on."""
        if word not in self._vectors:
            self._vectors[word] = self._load(word).named(f"words{word}")
        return self._vectors[word]

    def _load(self, word: int) -> Value:
        if word != 1:
            start = self.start + WORD * word if word else self.start
            return self.source.load(start, WORDS)
        following = self.source.load(self.start + PLACES, i32).named("following")
        return self.vector(0).shuffle(following.broadcast(4), [1, 2, 3, 4])

    def shifted(self, word: int, phase: int, size: int) -> Value:
        """At least `size` bytes of the text, `phase` bytes after those of `vector(word)`."""
        if phase == 0:
            return self.vector(word)
        low = self.vector(word) >> 8 * phase
        if phase + size <= WORD:
            return low
        return low | self.vector(word + 1) << 8 * (WORD - phase)

    def differences(self, literal: bytes, word: int, phase: int) -> Value:
        """Zero in the lanes whose text agrees with the word-th word of the literal."""
        expected = literal[WORD * word : WORD * word + WORD]
        value = int.from_bytes(expected, "little")
        difference = self.shifted(word, phase, len(expected)) ^ value
        if len(expected) < WORD:
            difference = difference & (1 << 8 * len(expected)) - 1
        return difference


def _search(op: LiteralOp, window: Window, tail: Buffer | None) -> None:
    literal = op.bytes
    differences = [
        window.differences(literal, 0, phase).named(f"difference{phase}") for phase in range(WORD)
    ]
    if len(literal) <= WORD and op.positions is None and not literal.endswith(b"\0"):
        return _count(op, differences)
    least = reduce(Value.min, differences).named("least")
    with if_(reduce(Value.min, _lanes(least)).eq(0)):
        hits = _hits(window, literal[:HEAD], differences)
        if literal.endswith(b"\0"):
            hits = _within(window, hits, len(literal))
        _report(op, window, hits, tail)


def _lanes(vector: Value) -> list[Value]:
    return [vector.lane(position) for position in range(4)]


def _count(op: LiteralOp, differences: list[Value]) -> None:
    """Nothing but the four bytes to compare, and only the number of hits asked for."""
    misses = reduce(add, [difference.min(1) for difference in differences]).named("misses")
    found = (PLACES - reduce(add, _lanes(misses))).named("found")
    with if_(found.ne(0)):
        _add_to_count(op, found)


def _add_to_count(op: LiteralOp, found: Value) -> None:
    count = Buffer(op.count)
    count.atomic(AtomicKind.ADDI, found.to(count.type.element_type))


def _hits(window: Window, head: bytes, differences: list[Value]) -> Value:
    """One bit for each place where the text agrees with `head`."""
    misses = list[Value]()
    for phase, difference in enumerate(differences):
        for word in range(1, len(_words(head))):
            difference = difference | window.differences(head, word, phase)
        misses.append(difference.min(1))
    lanes = _lanes(_joined(misses, 1).named("misses"))
    return (_joined(lanes, len(misses)) ^ (1 << PLACES) - 1).named("hits")


def _joined(fields: list[Value], width: int) -> Value:
    """The fields side by side, each `width` bits wide, the first one lowest."""
    placed = [field << width * number if number else field for number, field in enumerate(fields)]
    return reduce(Value.__or__, placed)


def _within(window: Window, hits: Value, size: int) -> Value:
    """Drop the hits that a literal ending in zeros has with the zeros past the end."""
    left = window.source.length - window.start - (size - 1)
    places = left.max(0).min(PLACES).to(i32).named("places")
    return (hits & (constant(1, i32) << places) - 1).named("hits")


def _report(op: LiteralOp, window: Window, hits: Value, tail: Buffer | None) -> None:
    with if_(hits.ne(0)):
        if tail is not None:
            hits = _agreeing(window, hits, op.bytes, tail)
        found = Value(math.CtPopOp(hits.ssa).result).named("found")
        _add_to_count(op, found)
        if op.positions is None:
            return
        with for_(0, PLACES) as places:
            place = places.counter.named("place")
            with if_((hits >> place.to(i32) & 1).ne(0)):
                _insert(Buffer(op.positions), window.start + place)


def _agreeing(window: Window, hits: Value, literal: bytes, tail: Buffer) -> Value:
    """The hits where the text agrees with the rest of the literal, too."""
    with for_(0, PLACES, carry=[hits]) as places:
        place = places.counter.named("place")
        (hits,) = places.named("hits")
        rest = (window.start + place + HEAD).named("rest")
        whole = (len(literal) - HEAD) // WORD
        with for_(0, whole, carry=[constant(0, i32)]) as words:
            text = window.source.load(rest + words.counter * WORD, i32)
            (difference,) = words.named("difference")
            words.yields(difference | text ^ tail[words.counter.named("word")])
        # A last word that is not whole is compared together with bytes before it.
        last = int.from_bytes(literal[-WORD:], "little")
        text = window.source.load(rest + (len(literal) - HEAD - WORD), i32)
        difference = (words.results[0] | text ^ last).named("difference")
        bit = constant(1, i32) << place.to(i32)
        places.yields(difference.eq(0).select(hits, hits & ~bit))
    return places.results[0].named("hits")


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
