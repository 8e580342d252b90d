"""
Text decoding, four characters at a time in each 32-bit word (SWAR).

A byte below 128 is at least `bound` exactly if bit 7 of `byte + 128 - bound` is set, and no
such sum carries into the next byte: one addition tests the four characters of a word, and the
words of a vector are tested together. A byte lies in one of several ranges exactly if it has
reached an odd number of their bounds. (L. Lamport, "Multiple byte processing with full-word
instructions", Communications of the ACM 18(8), 1975.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Block

from vyre_dialect.builder import Buffer, Value, constants, if_, index
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.decode import WORD_BYTES
from vyre_dialect.passes.expansions.word_bytes import EACH_BYTE, HIGH_BITS, LOW_BITS, sum_of_bytes
from vyre_dialect.passes.rewriting.reductions import reduction

NOWHERE = 1 << 16
"""A place behind all characters of a chunk."""


@dataclass(frozen=True)
class CharacterRange:
    """Consecutive characters `[low, high)` that stand for consecutive numbers from `first` on."""

    low: int
    high: int
    first: int

    @property
    def correction(self) -> int:
        """What is added to a character to get its number."""
        return self.first - self.low


def character_ranges(digits: str) -> list[CharacterRange]:
    """The ranges of ASCII characters in ascending order; a character stands for its position."""
    ranges = list[CharacterRange]()
    for character, number in sorted((ord(digit), number) for number, digit in enumerate(digits)):
        last = ranges[-1] if ranges else None
        if last and last.high == character and number - character == last.correction:
            ranges[-1] = CharacterRange(last.low, character + 1, last.first)
        else:
            ranges.append(CharacterRange(character, character + 1, number))
    return ranges


@dataclass
class Characters:
    """A vector of words with four characters in each."""

    words: Value
    _reached: dict[int, Value] = field(default_factory=dict[int, Value], init=False)

    @classmethod
    def loaded(
        cls, source: Buffer, start: Value, lanes: int, vectors: int, name: str
    ) -> list[Characters]:
        """So many vectors of `lanes` words, one after the other from `start` on."""
        type = VectorType(i32, [lanes])
        return [
            cls(source.load(start + offset if offset else start, type).named(name))
            for offset in range(0, vectors * lanes * WORD_BYTES, lanes * WORD_BYTES)
        ]

    def reached(self, bound: int) -> Value:
        """Bit 7 of each byte says whether the character, if below 128, is at least `bound`."""
        if bound not in self._reached:
            sums = self.words + EACH_BYTE * (0x80 - bound)
            self._reached[bound] = sums.named(f"reached_x{bound:02x}")
        return self._reached[bound]

    def flags(self, bound: int) -> Value:
        """One in each byte whose character is at least `bound`, else zero."""
        return (self.reached(bound) >> 7) & EACH_BYTE

    def outside(self, ranges: Sequence[CharacterRange]) -> Value:
        """
        Bit 7 of each byte says whether the character lies in none of `ranges`.

        It is exact in a word without a byte of 128 or more. Otherwise it is set in such bytes,
        and may be wrong in the others.
        """
        bounds = set[int]()
        for span in ranges:
            bounds ^= {span.low, span.high}
        *others, last = sorted(bounds)
        # Asking for the bytes below the last bound, instead, complements the whole.
        outside = EACH_BYTE * (0x7F + last) - self.words
        for bound in others:
            outside = (outside ^ self.reached(bound)).named("outside")
        return outside | self.words

    def numbers(self, ranges: Sequence[CharacterRange]) -> Value:
        """The number of each character that lies in one of `ranges`."""
        numbers = self.words + EACH_BYTE * ranges[0].correction
        for lower, span in pairwise(ranges):
            step = span.correction - lower.correction
            flags = self.flags(span.low)
            numbers = numbers + flags * step if step > 0 else numbers - flags * -step
            numbers.named("numbers")
        return numbers


@dataclass(frozen=True)
class InvalidCharacters:
    """What to do about the characters of one chunk that stand for no number."""

    source: Buffer
    errors: Buffer
    message: str
    start: Value
    """Offset of the chunk in the source."""
    ends_early: Callable[[Value], Value]
    """Whether a source of a length lacks characters at its end."""
    reported: Callable[[list[Value]], list[Value]] = list
    """Which of the characters that are flagged, by bit 7 of each byte, are bad."""

    def dropped(self, numbers: Sequence[Value], outside: Sequence[Value]) -> list[Value]:
        """`numbers`, with 0 for those that are `outside`; the first bad one of them is reported."""
        anywhere = reduction(Value.__or__, reduce(Value.__or__, outside))
        suspicious = (anywhere & HIGH_BITS).ne(0).named("suspicious")
        repaired, unchanged = Block(), Block()
        with ImplicitBuilder(repaired):
            self._report([each & HIGH_BITS for each in outside])
            scf.YieldOp(*(_valid(*each).ssa for each in zip(numbers, outside, strict=True)))
        with ImplicitBuilder(unchanged):
            scf.YieldOp(*(each.ssa for each in numbers))
        types = [each.type for each in numbers]
        choice = scf.IfOp(suspicious.ssa, types, [repaired], [unchanged])
        return [Value(result) for result in choice.results]

    def _report(self, outside: list[Value]) -> None:
        # Past the end there are zeros, which are no digits: the first of them is what is missing.
        place = _first_place(self.reported(outside)).named("place")
        offset = (self.start + place.to(index)).named("first_bad")
        length = self.source.length.named("length")
        with if_((offset < length) | self.ends_early(length)):
            self.errors.trap(self.message, offset)


def _first_place(flags: Sequence[Value]) -> Value:
    """The first byte of some vectors whose bit 7 is set, or the one past them all: an i32."""
    lanes = lane_count(flags[0].type)
    places = [_places(each, number * lanes) for number, each in enumerate(flags)]
    # As a bound, too: what is tested of the place depends on no more of the source than the chunk.
    past_all = len(flags) * lanes * WORD_BYTES
    return reduction(Value.min, reduce(Value.min, places)).min(past_all)


def _places(flags: Value, first_word: int) -> Value:
    """In each lane, the place of the first byte of its word whose bit 7 is set, or `NOWHERE`."""
    assert isinstance(flags.type, VectorType)
    words = range(first_word, first_word + lane_count(flags.type))
    begins = constants([word * WORD_BYTES for word in words], flags.type)
    below = (flags & -flags) - 1
    bytes_below = sum_of_bytes(below >> 7 & EACH_BYTE)
    return begins + bytes_below + (bytes_below >> 2) * NOWHERE


def _valid(numbers: Value, outside: Value) -> Value:
    """`numbers`, with 0 for characters that are `outside`."""
    valid = ((outside >> 7) & EACH_BYTE) + LOW_BITS
    return (numbers & valid & LOW_BITS).named("valid_numbers")
