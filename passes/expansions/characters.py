"""
Text decoding, four characters at a time in each 32-bit word (SWAR).

A byte below 128 is at least `bound` exactly if bit 7 of `byte + 128 - bound` is set, and no
such sum carries into the next byte: one addition tests the four characters of a word, and four
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

from vyre_dialect.builder import Buffer, Value, constant, for_, if_

CHUNK = 16
"""Characters that one invocation decodes."""
WORDS = VectorType(i32, [4])
EACH_BYTE = 0x01010101
TOP_BITS = 0x80808080


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
        for range in ranges:
            bounds ^= {range.low, range.high}
        *others, last = sorted(bounds)
        # Asking for the bytes below the last bound, instead, complements the whole.
        outside = EACH_BYTE * (0x7F + last) - self.words
        for bound in others:
            outside = (outside ^ self.reached(bound)).named("outside")
        return outside | self.words

    def numbers(self, ranges: Sequence[CharacterRange]) -> Value:
        """The number of each character that lies in one of `ranges`."""
        numbers = self.words + EACH_BYTE * ranges[0].correction
        for lower, range in pairwise(ranges):
            step = range.correction - lower.correction
            flags = self.flags(range.low)
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
    is_bad: Callable[[Value, Value, Value], Value]
    """
    Whether to report a character at an offset, which may be past the end, followed by a
    character, which is 0 after the last one of the chunk.
    """

    def dropped(self, numbers: Value, outside: Value) -> Value:
        """`numbers`, with 0 for characters that are `outside`; bad ones among them are reported."""
        least = reduce(Value.__or__, [outside.lane(lane) for lane in range(4)])
        suspicious = (least & TOP_BITS).ne(0).named("suspicious")
        repaired, unchanged = Block(), Block()
        with ImplicitBuilder(repaired):
            self._report()
            valid = ((outside >> 7) & EACH_BYTE) + EACH_BYTE * 0x7F
            scf.YieldOp((numbers & valid & EACH_BYTE * 0x7F).named("valid_numbers").ssa)
        with ImplicitBuilder(unchanged):
            scf.YieldOp(numbers.ssa)
        choice = scf.IfOp(suspicious.ssa, [numbers.type], [repaired], [unchanged])
        return Value(choice.results[0])

    def _report(self) -> None:
        none = constant(-1).named("none")
        with for_(0, CHUNK, carry=[none, constant(0, i32)], unroll=1) as backwards:
            first, following = backwards.carried
            offset = (self.start + (CHUNK - 1) - backwards.counter).named("offset")
            character = self.source[offset].to(i32).named("character")
            bad = self.is_bad(character, following.named("following"), offset).named("bad")
            backwards.yields(bad.select(offset, first.named("first")), character)
        first_bad = backwards.results[0].named("first_bad")
        with if_(first_bad >= 0):
            self.errors.trap(self.message, first_bad)


def is_digit(character: Value, ranges: Sequence[CharacterRange]) -> Value:
    """Whether one character lies in one of `ranges`."""
    return reduce(
        Value.__or__, [character - range.low < range.high - range.low for range in ranges]
    )
