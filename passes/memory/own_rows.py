"""
Copies of small buffers that are updated together, side by side in workgroup memory: each invocation
has a row for each element, which takes what is added to that of all buffers in one access.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

from xdsl.dialects import scf
from xdsl.dialects.builtin import VectorType, i64
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.iterations import known_iterations
from vyre_dialect.analysis.nesting import LOOPS
from vyre_dialect.builder import Value, constant, for_, if_
from vyre_dialect.ir.interfaces import HasCombinerInterface, ops_around
from vyre_dialect.ir.types import UNROLL, element_bytes
from vyre_dialect.passes.memory.own_copies import FEW_BITS, SmallSums, adds
from vyre_dialect.passes.memory.reduction_copies import Copies, SharedCopies, chosen_by
from vyre_dialect.passes.rewriting.moving import take_out
from vyre_dialect.passes.rewriting.rewriters import building
from vyre_dialect.passes.rewriting.side_by_side import together

WORDS = 2
"""Of 64 bits: as many as a GPU loads at once."""
ROW = VectorType(i64, [WORDS])
ROW_BYTES = 16
HALF_BITS = FEW_BITS.width.data
FEWEST = 4
"""
Rows that a turn of a loop is to update. TPC-H's first query takes 0.92, 0.90, 0.95 and 0.96 of the
time with 4, 8, 16 and 32 of them, and 1.07 with one, as fewer invocations wait at a time (NVIDIA
H200, 240 M rows, medians of 13 by turns, of which no record is kept).
"""


@dataclass
class Field(Copies):
    """What is added to the elements of one buffer, in a word of rows or in one of its halves."""

    small: SmallSums | None
    """What is known of the sums, where few bits hold those of many turns of a loop."""
    word: int = 0
    shift: int = 0

    @property
    def is_wide(self) -> bool:
        """Whether the elements of the buffer take more than half a word."""
        size = element_bytes(self.group.value_type)
        return size is not None and size * 8 > HALF_BITS

    @property
    def is_half(self) -> bool:
        """Whether it takes half a word."""
        return self.small is not None or not self.is_wide

    @property
    def count(self) -> int:
        """How many elements the buffer has."""
        assert self.group.count is not None
        return self.group.count

    def placed(self, update: HasCombinerInterface) -> Value:
        """What an update adds, where the field is in its word."""
        value = Value(update.operands[update.value_operand]).to(i64)
        return value << self.shift if self.shift else value

    def held(self, word: Value) -> Value:
        """What the field has in a word."""
        if self.shift:
            word = word >> self.shift
        elif self.is_half:
            word = word & (1 << HALF_BITS) - 1
        return word.to(self.group.value_type)


@dataclass
class OwnRows(SharedCopies):
    """Small buffers of whose elements each invocation of a workgroup has a row in its memory."""

    fields: Sequence[Field] = ()

    @property
    def small(self) -> SmallSums | None:
        """The least that is known of sums in halves of words."""
        known = [each.small for each in self.fields if each.small is not None]
        in_parts = (each for each in known if each.loop is not None)
        return min(in_parts, key=lambda each: each.turns, default=None)

    def begin(self, lane: Value, size: int) -> None:
        """Set the rows to nothing, together with the others of `size` lanes."""
        with for_(lane, self.count * self.copies, size) as rows:
            self.cells.store(constant(0, ROW), rows.counter * WORDS, in_bounds=True)

    def take_updates(self, lane: Value) -> None:
        """Let updates of one element of all buffers load and store the row of a lane."""
        for updates in zip(*(each.group.updates for each in self.fields), strict=True):
            self._take(updates, lane)

    def _take(self, updates: Sequence[HasCombinerInterface], lane: Value) -> None:
        first, *_, last = in_order(updates)
        assert isinstance(first, HasCombinerInterface)
        if all(map(self.is_inside, updates)):
            with building(self.rewriter, InsertPoint.before(first)):
                place, row = self._loaded(first, lane)
            with building(self.rewriter, InsertPoint.before(last)):
                self.cells.store(row + self._given(updates), place, in_bounds=True)
        else:
            with building(self.rewriter, InsertPoint.before(last)):
                self._add_inside(first, self._given(updates), lane)
        for op in updates:
            take_out(op, self.rewriter)  # until the end asks how to update

    def _add_inside(self, op: HasCombinerInterface, given: Value, lane: Value) -> None:
        """Add to a row, if there is one: asked once, and not of each word."""
        with if_(Value(chosen_by(op)).compare("ult", self.count)):
            place, row = self._loaded(op, lane)
            self.cells.store(row + given, place, in_bounds=True)

    def _loaded(self, op: HasCombinerInterface, lane: Value) -> tuple[Value, Value]:
        """Where the row of what `op` updates is, and what it holds."""
        place = ((Value(chosen_by(op)) * self.copies + lane) * WORDS).named("place")
        return place, self.cells.load(place, ROW, in_bounds=True).named("sums")

    def _given(self, updates: Sequence[HasCombinerInterface]) -> Value:
        """What updates of one element of all buffers add to its row."""
        words = [list[Value]() for _ in range(WORDS)]
        for each, update in zip(self.fields, updates, strict=True):
            words[each.word].append(each.placed(update))
        return together([reduce(Value.__or__, word) for word in words])

    def flush_own(self, lane: Value) -> None:
        """Update each element by the halves of words in the row of a lane, and set those to 0."""
        words = sorted({each.word for each in self.fields if each.is_half})
        with for_(0, self.count, unroll=1) as elements:
            element = elements.counter.named("element")
            row = (element * self.copies + lane) * WORDS
            for word in words:
                place = row + word
                held = self.cells.load(place, in_bounds=True).named("sums")
                for each in self.fields:
                    if each.word == word:
                        each.flush_element(each.held(held).named(each.name), element)
                self.cells.store(constant(0, i64), place, in_bounds=True)

    def end(self, lane: Value, size: int) -> None:
        """Update each element by what the rows hold, together with the others."""
        super().end(lane, size)
        for op in (op for each in self.fields for op in each.group.updates):
            self.rewriter.erase(op)

    def end_element(self, element: Value) -> None:
        """Update an element of each buffer by what all rows hold of it."""
        neutral = [each.neutral() for each in self.fields]
        names = [each.name for each in self.fields]
        with for_(0, self.copies, carry=neutral, unroll=1) as copies:
            copy = self.copy_in_turn(copies.counter, element)
            row = self.cells.load((element * self.copies + copy) * WORDS, ROW, in_bounds=True)
            words = [row.lane(word) for word in range(WORDS)]
            copies.yields(
                *(
                    each.combined(held, each.held(words[each.word]))
                    for each, held in zip(self.fields, copies.named(*names), strict=True)
                )
            )
        for each, total in zip(self.fields, copies.results, strict=True):
            each.flush_element(total.named(each.name), element)


def fill_rows(fields: Sequence[Field], integers: Integers) -> Iterator[list[Field]]:
    """
    Fields that fill rows together: those of buffers of one length that are updated side by side,
    each time at the same element.
    """
    beside = defaultdict[Hashable, list[Field]](list)
    for each in fields:
        if all(map(adds, each.group.updates)):
            beside[_key(each)].append(each)
    for found in beside.values():
        if len(found) > 1 and _are_many(found[0], integers) and _take_turns(found):
            words = list(_words(found))
            for first in range(0, len(words) - WORDS + 1, WORDS):
                yield _placed(words[first : first + WORDS])


def _are_many(each: Field, integers: Integers) -> bool:
    """Whether each loop updates many rows in a turn, those of short loops inside counted, too."""
    rows = Counter[Operation | None]()
    for op in each.group.updates:
        loop, runs = _turn_of(op, integers)
        rows[loop] += runs
    return min(rows.values()) >= FEWEST


def _turn_of(op: Operation, integers: Integers) -> tuple[Operation | None, int]:
    """The innermost loop around an op that stays one, and how often a turn of it runs the op."""
    runs = 1
    for loop in ops_around(op):
        if not isinstance(loop, LOOPS):
            continue
        if not isinstance(loop, scf.ForOp) or UNROLL in loop.attributes:
            return loop, runs
        counts = known_iterations(loop, integers)
        if counts is None:
            return loop, runs
        runs *= len(counts)
    return None, runs


def _key(each: Field) -> Hashable:
    """What is the same of fields that are updated together: the places and the elements."""
    return each.count, tuple((op.parent, chosen_by(op)) for op in each.group.updates)


def _take_turns(fields: Sequence[Field]) -> bool:
    """Whether a block updates one element of all buffers before the next one of any."""
    every = [in_order(each) for each in zip(*(each.group.updates for each in fields), strict=True)]
    return all(
        one[-1].parent is not other[0].parent or one[-1].is_before_in_block(other[0])
        for one, other in pairwise(every)
    )


def in_order(ops: Sequence[Operation]) -> list[Operation]:
    """Ops of one block, as they stand there."""
    (block,) = {op.parent for op in ops}
    assert block is not None
    chosen = set(ops)
    return [op for op in block.ops if op in chosen]


def _words(fields: Sequence[Field]) -> Iterator[list[Field]]:
    """
    The fields of each word that they fill: a wide one; or two halves, of which the lower one never
    overflows. Elements that are halves themselves only fill, as a workgroup shares copies of them.
    """
    yield from ([each] for each in fields if not each.is_half)
    small = [each for each in fields if each.is_half and each.is_wide]
    halves = [*small, *(each for each in fields if not each.is_wide)]
    yield from map(list, zip(halves[: len(small) : 2], halves[1::2], strict=False))


def _placed(words: Sequence[Sequence[Field]]) -> list[Field]:
    """The fields of words, each in its place."""
    return [
        replace(each, word=word, shift=half * HALF_BITS)
        for word, halves in enumerate(words)
        for half, each in enumerate(halves)
    ]
