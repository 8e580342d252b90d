"""
How integers are packed, as three numbers of a table say it.

They may say anything: it is brought into range before it is computed with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, VectorType, i8, i32, i64

from vyre_dialect.builder import Buffer, Value, constant, constants, if_, index
from vyre_dialect.passes.expansions.zigzag import unzigzagged
from vyre_dialect.passes.rewriting.side_by_side import of_each, several, together

_WORD_BYTES = 8
_PER_WORD = 4
_NARROW = (8 * _WORD_BYTES - 7) // _PER_WORD
"""Bits of integers of which a word has so many, whatever bit of its first byte they begin at."""
FIELDS = 3
"""Numbers that describe a packing: its first bit, the bits of a value, the base."""


@dataclass(frozen=True)
class Packing:
    """Integers of one width, packed from a bit on, and what is added to each."""

    start: Value
    """The first bit."""
    asked: Value
    """The bits of a value, as the table says."""
    bits: Value
    """The same, within what a result has."""
    base: Value
    width: int
    """The bits of a result."""

    @classmethod
    def described(cls, table: Buffer, number: Value, width: int) -> Packing:
        """The packing of a number in the table, of results of so many bits."""
        start, asked, base = [table[number * FIELDS + field] for field in range(FIELDS)]
        asked = asked.to(index).named("asked_bits")
        bits = asked.max(0).min(width).named("bits")
        return cls(start.to(index).named("first_bit"), asked, bits, base.named("base"), width)

    def sequential(
        self, source: Buffer, first: Value, lanes: int, *, zigzag: bool = False
    ) -> Value:
        """The values from the first-th on, where they follow one another; reads two words each."""
        width = max(i32.width.data, self.width)
        word = IntegerType(width)
        bits = [self.start + (first + lane if lane else first) * self.bits for lane in range(lanes)]
        places = [(bit >> width.bit_length() - 1) * (width // 8) for bit in bits]
        low = together([source.load(place, word) for place in places])
        high = together([source.load(place + width // 8, word) for place in places])
        shifts = together([(bit & width - 1).to(word) for bit in bits])
        return self.value(low, high, shifts, lanes, zigzag=zigzag)

    def value(
        self, low: Value, high: Value, shifts: Value, lanes: int, *, zigzag: bool = False
    ) -> Value:
        """What stands in words from a bit of the low ones on."""
        word = low.type.element_type if isinstance(low.type, VectorType) else low.type
        assert isinstance(word, IntegerType)
        last = word.width.data - 1
        # In two steps, since nothing is left of a word that is shifted by all of its bits.
        bits = low >> shifts | (high << 1) << (shifts ^ last)
        return self.result(bits & of_each(self.mask(word), lanes), lanes, zigzag=zigzag)

    def result(self, packed: Value, lanes: int, *, zigzag: bool = False) -> Value:
        """What packed integers stand for."""
        result = IntegerType(self.width)
        value = packed.to(several(result, lanes))
        if zigzag:
            value = unzigzagged(value)
        return (value + of_each(self.base.to(result), lanes)).named("values")

    def mask(self, word: IntegerType) -> Value:
        """A word whose lowest bits are ones, as many as a value has."""
        bits = self.bits.to(word)
        half = bits >> 1
        return ~(constant(-1, word) << half << (bits - half))


@dataclass(frozen=True)
class Adjacent:
    """Integers of a packing that follow one another, each read at the byte where it begins."""

    packing: Packing
    first_bit: Value
    """Where the first of them begins."""
    lanes: int

    def lies_in(self, source: Buffer) -> Value:
        """Whether all that is read of them is in a source."""
        begin = (self.first_bit >> 3).named("begin")
        # Behind the last byte that an integer begins in, the rest of its word.
        reach = (self.packing.bits * self.lanes >> 3) + 2 * _WORD_BYTES
        return (begin >= 0) & (begin <= source.length - reach)

    def has_bits_in(self, source: Buffer) -> Value:
        """Whether the bits of the first of them are in a source."""
        left = source.length * 8 - self.packing.bits
        return (self.first_bit >= 0) & (self.first_bit <= left)

    def loaded(self, source: Buffer) -> Value:
        """The first of them, of up to 32 bits, wherever it lies."""
        word = source.load(self.first_bit >> 3, i64)
        return word >> (self.first_bit & 7).to(i64) & self.packing.mask(i64)

    def packed(self, source: Buffer) -> Value:
        """The integers without their base. They must lie in the source."""
        if self.lanes % _PER_WORD:
            return self._words(source, 1)
        with if_(self.packing.bits <= _NARROW) as branch:
            branch.yields(self._words(source, _PER_WORD))
        with branch.else_():
            branch.yields(self._words(source, 1))
        return branch.results[0]

    def _words(self, source: Buffer, per_word: int) -> Value:
        """The same, so many of which a word has that is loaded once."""
        bits = self.packing.bits
        loaded = range(0, self.lanes, per_word)
        begins = [self.first_bit + bits * first for first in loaded]
        places = [begin >> 3 for begin in begins]
        words = [source.load(each, i64, in_bounds=True) for each in places]
        shifts = [(begin & 7).to(i64) for begin in begins]
        words, shifts = (_repeated(each, per_word) for each in (words, shifts))
        if per_word > 1:
            behind = [lane % per_word for lane in range(self.lanes)]
            steps = constants(behind, VectorType(i64, [self.lanes]))
            shifts = shifts + bits.to(i64).broadcast(self.lanes) * steps
        values = words >> shifts
        if per_word == 1 and self.packing.width > i32.width.data:
            rest = [source.load(each + _WORD_BYTES, i8, in_bounds=True).to(i64) for each in places]
            # In two steps, since nothing is left of a word that is shifted by all of its bits.
            values = values | (together(rest) << 1) << (shifts ^ i64.width.data - 1)
        return values & of_each(self.packing.mask(i64), self.lanes)


def _repeated(values: Sequence[Value], times: int) -> Value:
    """Each of some values so many times."""
    if len(values) == 1:
        return of_each(values[0], times)
    all_of_them = together(values)
    lanes = [lane for lane in range(len(values)) for _ in range(times)]
    return all_of_them if times == 1 else all_of_them.shuffle(all_of_them, lanes)
