"""
`vyre.decode.delta` as one arm: data-parallel, with one block per invocation, or with the
invocations of a workgroup that share a block.

The running sum starts such that the first word, taken as a difference like the others, gives
the value that it is. What the invocations of a block have is summed in workgroup memory, in as many
steps as it takes to double 1 to their number (W. D. Hillis, G. L. Steele, "Data parallel
algorithms", Communications of the ACM 29(12), 1986).
"""

from __future__ import annotations

from functools import reduce
from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import (
    Buffer,
    Value,
    arm,
    barrier,
    constant,
    for_,
    if_,
    local_id,
)
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.decode import DeltaOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.zigzag import unzigzagged
from vyre_dialect.passes.rewriting.host_side import invocations, program_of, temporary
from vyre_dialect.passes.rewriting.reductions import prefix_sums, reduction
from vyre_dialect.passes.rewriting.side_by_side import of_each, several

LONG_BLOCK = 4096
"""Words of a block from which on it pays to look for the end of the last block."""


class ExpandDelta(RewritePattern):
    """Expand `vyre.decode.delta`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DeltaOp, rewriter: PatternRewriter, /) -> None:
        encoded = Encoded(op)
        size_destination(op, rewriter, lambda: encoded.source.length // encoded.word_size)
        with ImplicitBuilder(rewriter):
            if op.values_per_invocation < op.block.value.data:
                SharedBlocks(op, encoded).build()
            else:
                _build_alone(op, encoded)
        rewriter.erase(op)


class Encoded:
    """The source, as words."""

    def __init__(self, op: DeltaOp):
        self.source = Buffer(op.source)
        self.errors = None if op.errors is None else Buffer(op.errors)
        self.bases = None if op.bases is None else Buffer(op.bases)
        self.word, self.word_bytes = op.word, op.word_bytes
        self.word_size = op.word_bytes if op.has_bytes else 1
        """Elements of a word."""
        self.is_plain = op.plain is not None

    def load(self, word: Value, type: Attribute) -> Value:
        """What stands from the word-th word on."""
        return self.source.load(word * self.word_size, type)

    def differences(self, words: Value) -> Value:
        """What words are differences of."""
        return words if self.is_plain else unzigzagged(words)

    def groups_of(self, words: int) -> Value | int:
        """How many groups of so many words there are, the last one perhaps not whole."""
        return invocations(self.source, words * self.word_size)

    def check_length(self, i: Value) -> None:
        """Report a source that does not end with a whole word."""
        if self.errors is None:
            return
        length = self.source.length.named("length")
        with if_(i.eq(0) & (length % self.word_bytes).ne(0)):
            self.errors.trap("invalid delta input", length)


def _build_alone(op: DeltaOp, encoded: Encoded) -> None:
    block = op.block.value.data
    with arm("decode.delta", encoded.groups_of(block)) as i:
        encoded.check_length(i)
        start = (i * block).named("block_start")
        _decode_block(op, encoded, start, _before(encoded, i, start))


def _before(encoded: Encoded, block: Value, start: Value) -> Value:
    """What the first difference of a block is added to."""
    if encoded.bases is not None:
        return encoded.bases[block].named("base")
    first = encoded.load(start, encoded.word).named("first")
    return first - encoded.differences(first)


def _decode_block(op: DeltaOp, encoded: Encoded, start: Value, before: Value) -> None:
    block, step = op.block.value.data, op.lanes_per_vector
    type = several(encoded.word, step)
    end = constant(block)
    if block >= LONG_BLOCK:
        end = (encoded.source.length // encoded.word_size - start).min(block)
    with for_(0, end, step, carry=[before]) as words:
        word = (start + words.counter).named("word")
        differences = encoded.differences(encoded.load(word, type)).named("differences")
        sums = differences if step == 1 else prefix_sums(differences)
        carried = words.carried[0].named("value")
        values = (sums + of_each(carried, step)).named("values")
        Buffer(op.destination).store(values, word)
        words.yields(values if step == 1 else values.lane(step - 1))


class SharedBlocks:
    """The arm in which several invocations of a workgroup decode a block together."""

    def __init__(self, op: DeltaOp, encoded: Encoded):
        self.encoded, self.destination = encoded, Buffer(op.destination)
        self.values = op.values_per_invocation
        self.step = min(op.lanes_per_vector, self.values)
        """Words of a vector."""
        self.lanes = op.block.value.data // self.values
        """Invocations that share a block."""
        program = program_of(op)
        at_hand = program.default_workgroup_size[0]
        self.workgroup = self.lanes * max(1, at_hand // self.lanes)
        self.half = 2 * self.workgroup
        """Room for a sum of each invocation, and zeros in front of those of each block."""
        room = 2 * self.half
        self.partial = temporary(program, "partial_sums", encoded.word, room, MemorySpace.WORKGROUP)

    def build(self) -> None:
        """Build the arm at the current place."""
        count = self.encoded.groups_of(self.workgroup * self.values) * self.workgroup
        with arm("decode.delta", count, workgroup_size=[self.workgroup]) as i:
            self.encoded.check_length(i)
            start = (i * self.values).named("start")
            local = local_id()
            lane = (local % self.lanes).named("lane")
            differences = self._differences(start, lane, i // self.lanes)
            own = reduce(add, differences)
            own = reduction(add, own).named("own")
            self._store(differences, start, self._sum_before(own, local, lane))

    def _differences(self, start: Value, lane: Value, block: Value) -> list[Value]:
        """What is added to get from each value to the next, a vector at a time."""
        type = VectorType(self.encoded.word, [self.step])
        words = [
            self.encoded.load(start + offset if offset else start, type).named("words")
            for offset in range(0, self.values, self.step)
        ]
        first, *others = [self.encoded.differences(each).named("differences") for each in words]
        value = words[0].lane(0)
        if self.encoded.bases is not None:
            value = self.encoded.bases[block] + first.lane(0)
        begin = lane.eq(0).select(value, first.lane(0)).named("begin")
        return [first.with_lane(0, begin), *others]

    def _sum_before(self, own: Value, local: Value, lane: Value) -> Value:
        """The sum of what the invocations in front of this one have in its block."""
        place = (local * 2 - lane + self.lanes).named("place")
        for half in (0, self.half):
            self._put(constant(0, self.encoded.word), place + (half - self.lanes))
        total, distance, half = own, 1, 0
        while distance < self.lanes:
            # A step reads what the one before does not write, so that one barrier parts them.
            self._put(total, place + half)
            barrier(MemorySpace.WORKGROUP)
            total = total + self._get(place + (half - distance))
            distance, half = 2 * distance, self.half - half
        return (total - own).named("before")

    def _put(self, total: Value, place: Value) -> None:
        self.partial.store(total, place, in_bounds=True)

    def _get(self, place: Value) -> Value:
        return self.partial.load(place, in_bounds=True)

    def _store(self, differences: list[Value], start: Value, before: Value) -> None:
        value = before
        for offset, each in enumerate(differences):
            values = each
            for lane in range(self.step):
                value = value + each.lane(lane)
                values = values.with_lane(lane, value)
            first = start + offset * self.step if offset else start
            self.destination.store(values.named("values"), first)
