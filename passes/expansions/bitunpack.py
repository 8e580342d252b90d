"""
`vyre.decode.bitunpack` as one data-parallel arm.

Of integers one after the other, an invocation loads the words that its own stand in, and shifts
them out of the word that holds their low bits and, where they reach into the next, out of that.
Thirty-two of them are whole words, so that all shifts are constants; of fewer, the words are
shifted to their first bit before. In lanes, all invocations do the same at one time, and neighbours
touch neighbouring memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import gcd

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerType, VectorType, i32, i64
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.packed import BLOCK, BitUnpackOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.packed_words import PackedWords
from vyre_dialect.passes.expansions.zigzag import unzigzagged
from vyre_dialect.passes.rewriting.side_by_side import of_each, several

BLOCK_BYTES = BLOCK // 8
"""Bytes of an interleaved block for each bit of a value; of a word of all of its lanes."""


MOST_LANES_WRITTEN_OUT = 4
"""What GPUs load and store at once."""


class ExpandBitUnpack(RewritePattern):
    """Expand `vyre.decode.bitunpack`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BitUnpackOp, rewriter: PatternRewriter, /) -> None:
        unpacking = Interleaved(op) if op.is_interleaved else Sequential(op)
        size_destination(op, rewriter, unpacking.count)
        with ImplicitBuilder(rewriter):
            count = unpacking.count()
            with arm("decode.bitunpack", unpacking.invocations(count)) as i:
                unpacking.check_length(i, count)
                unpacking.unpack(i)
        rewriter.erase(op)


class Unpacking(ABC):
    """What both layouts have in common: the op, its buffers and numbers."""

    def __init__(self, op: BitUnpackOp):
        self.op, self.bits = op, op.bits.value.data
        self.source, self.destination = Buffer(op.source), Buffer(op.destination)
        self.width, self.lanes = op.width, op.lanes_per_vector

    def count(self) -> Value:
        """How many values there are."""
        if self.op.count is not None:
            return Value(self.op.count)
        return self.whole_values(self.source.length)

    @abstractmethod
    def whole_values(self, length: Value) -> Value:
        """How many values fit into so many bytes."""

    @abstractmethod
    def bytes_of(self, count: Value) -> Value:
        """How many bytes so many values take."""

    @abstractmethod
    def invocations(self, count: Value) -> Value:
        """How many invocations unpack so many values."""

    @abstractmethod
    def unpack(self, i: Value) -> None:
        """What invocation `i` does."""

    def check_length(self, i: Value, count: Value) -> None:
        """Report a source that has fewer values than are asked for."""
        if self.op.errors is None:
            return
        length = self.source.length.named("length")
        needed = self.bytes_of(count).named("needed")
        with if_(i.eq(0) & (length < needed)):
            Buffer(self.op.errors).trap("packed input too short", length)

    def decoded(self, packed: Value) -> Value:
        """What unsigned integers of the packed width stand for."""
        result = _like(packed.type, IntegerType(self.width))
        value = packed.to(result) if _width(packed.type) < self.width else packed
        if self.op.zigzag is not None:
            value = unzigzagged(value)
        if self.op.base is not None and self.op.base.value.data:
            value = value + self.op.base.value.data
        return value.to(result)


class Sequential(Unpacking):
    """One value after the other, some of them per invocation."""

    def __init__(self, op: BitUnpackOp):
        super().__init__(op)
        self.values = op.values_per_invocation
        self.lanes = min(self.lanes, self.values)
        self.word = i64 if self.bits > i32.width.data else i32

    def whole_values(self, length: Value) -> Value:
        return length * 8 // self.bits

    def bytes_of(self, count: Value) -> Value:
        return (count * self.bits).ceildiv(8)

    def invocations(self, count: Value) -> Value:
        return count.ceildiv(self.values).named("invocations")

    def unpack(self, i: Value) -> None:
        words = self._words(i) if self.bits else None
        unpacked_start = (i * self.values).named("unpacked_start")
        for first in range(0, self.values, self.lanes):
            values = self.decoded(self._packed(words, first)).named(f"values{first}")
            self.destination.store(values, unpacked_start + first if first else unpacked_start)

    def _packed(self, words: PackedWords | None, first: int) -> Value:
        if words is None:
            return constant(0, VectorType(self.word, [self.lanes]))
        return words.values(self.bits, first, self.lanes)

    def _words(self, i: Value) -> PackedWords:
        """The words of an invocation, from the first bit of its first value on."""
        bits, width = self.values * self.bits, self.word.width.data
        if bits % width == 0:
            start = (i * (bits // 8)).named("packed_start")
            return self._loaded(start, bits // width)
        first_bit = (i * bits).named("first_bit")
        start = (first_bit // width * (width // 8)).named("packed_start")
        shift = (first_bit % width).to(self.word).named("shift")
        # The first bit is at a multiple of this in its word.
        step = gcd(bits, width)
        return self._loaded(start, -(-(width - step + bits) // width)).without(shift, bits)

    def _loaded(self, start: Value, count: int) -> PackedWords:
        return PackedWords.loaded(self.source, start, self.word, count, self.lanes)


class Interleaved(Unpacking):
    """Values in lanes, of which an invocation takes one or a vector."""

    def __init__(self, op: BitUnpackOp):
        super().__init__(op)
        self.stride = BLOCK // self.width
        """Lanes of a block."""
        self.word = several(IntegerType(self.width), self.lanes)

    def whole_values(self, length: Value) -> Value:
        return length // (BLOCK_BYTES * self.bits) * BLOCK

    def bytes_of(self, count: Value) -> Value:
        return count.ceildiv(BLOCK) * (BLOCK_BYTES * self.bits)

    def invocations(self, count: Value) -> Value:
        per_block = self.stride // self.lanes
        return (count.ceildiv(BLOCK) * per_block).named("invocations")

    def unpack(self, i: Value) -> None:
        per_block = self.stride // self.lanes
        block = (i // per_block).named("block")
        lane = (i % per_block * self.lanes).named("lane")
        start = (block * (BLOCK_BYTES * self.bits) + lane * (self.width // 8)).named("packed_start")
        first = (block * BLOCK + lane).named("unpacked_start")
        with for_(0, self.width, unroll=self._written_out()) as rows:
            values = self.decoded(self._packed(start, rows.counter)).named("values")
            self.destination.store(values, first + rows.counter * self.stride)

    def _written_out(self) -> int:
        """
        How many rows stand side by side: all, so that each word is loaded once and shifts are
        constants; of wide vectors one, since code for hundreds of them took PoCL minutes to build.
        """
        return self.width if self.lanes <= MOST_LANES_WRITTEN_OUT else 1

    def _packed(self, start: Value, row: Value) -> Value:
        if not self.bits:
            return constant(0, self.word)
        first_bit = (row * self.bits).named("first_bit")
        word = first_bit // self.width
        shift = (first_bit % self.width).to(IntegerType(self.width)).named("shift")
        by = of_each(shift, self.lanes)
        low = self._loaded(start, word) >> by
        if self.width % self.bits == 0:
            return self._masked(low)
        high = self._loaded(start, (word + 1).min(self.bits - 1))
        # In two steps, since nothing is left of a word that is shifted by all of its bits.
        return self._masked(low | (high << 1) << (by ^ self.width - 1))

    def _loaded(self, start: Value, word: Value) -> Value:
        return self.source.load(start + word * BLOCK_BYTES, self.word).named("words")

    def _masked(self, values: Value) -> Value:
        return values & (1 << self.bits) - 1 if self.bits < self.width else values


def _like(type: Attribute, element: IntegerType) -> Attribute:
    """As many lanes as `type` has, of another type."""
    return VectorType(element, [lane_count(type)]) if isinstance(type, VectorType) else element


def _width(type: Attribute) -> int:
    element = type.element_type if isinstance(type, VectorType) else type
    assert isinstance(element, IntegerType)
    return element.width.data
