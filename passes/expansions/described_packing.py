"""
How integers are packed, as three numbers of a table say it.

They may say anything: it is brought into range before it is computed with.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, VectorType, i32

from vyre_dialect.builder import Buffer, Value, constant, index
from vyre_dialect.passes.expansions.side_by_side import of_each, several, together
from vyre_dialect.passes.expansions.zigzag import unzigzagged

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
        result = IntegerType(self.width)
        value = (bits & of_each(self._mask(word), lanes)).to(several(result, lanes))
        if zigzag:
            value = unzigzagged(value)
        return (value + of_each(self.base.to(result), lanes)).named("values")

    def _mask(self, word: IntegerType) -> Value:
        bits = self.bits.to(word)
        half = bits >> 1
        return ~(constant(-1, word) << half << (bits - half))
