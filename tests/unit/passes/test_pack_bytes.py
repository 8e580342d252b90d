"""Bytes mean the same in words: what computes with four of them is proven, and applied so."""

from __future__ import annotations

import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from support.fusion import require_equal
from support.generated.byte_lanes import ByteLanes, byte_lanes
from support.generated.drawing import Draws, for_each

from vyre_dialect.analysis.reduced_lanes import MOST_LANES
from vyre_dialect.passes.scalar import packed_bytes
from vyre_dialect.passes.scalar.packed_bytes import PREDICATES
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

z3: Any = import_module("z3")
"""Without types."""
PROGRAMS = 150
CONTEXT = make_context()
Combine = Callable[[Any, Any], Any]
_OF_NUMBERS: Any = operator
"""Without types."""


class Word:
    """A word of z3's, whose shift to the right brings zeros in, as that of the IR does."""

    def __init__(self, bits: Any):
        self.bits = bits

    def _with(self, other: Word | int, combine: Combine) -> Word:
        return Word(combine(self.bits, other.bits if isinstance(other, Word) else other))

    def __and__(self, other: Word | int) -> Word:
        return self._with(other, _OF_NUMBERS.and_)

    def __or__(self, other: Word | int) -> Word:
        return self._with(other, _OF_NUMBERS.or_)

    def __xor__(self, other: Word | int) -> Word:
        return self._with(other, _OF_NUMBERS.xor)

    def __add__(self, other: Word | int) -> Word:
        return self._with(other, _OF_NUMBERS.add)

    def __sub__(self, other: Word | int) -> Word:
        return self._with(other, _OF_NUMBERS.sub)

    def __mul__(self, other: Word | int) -> Word:
        return self._with(other, _OF_NUMBERS.mul)

    def __lshift__(self, by: int) -> Word:
        return Word(self.bits << by)

    def __rshift__(self, by: int) -> Word:
        return Word(z3.LShR(self.bits, by))

    def __invert__(self) -> Word:
        return Word(~self.bits)

    def byte(self, place: int) -> Any:
        """One of the bytes, 0 being the lowest."""
        return z3.Extract(8 * place + 7, 8 * place, self.bits)


A, B = (Word(z3.BitVec(name, 32)) for name in "ab")
FLAGS = Word(z3.BitVec("flags", 32)) & packed_bytes.FLAGS
ONE, ZERO = z3.BitVecVal(1, 8), z3.BitVecVal(0, 8)
HOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "ult": z3.ULT,
    "ule": z3.ULE,
    "ugt": z3.UGT,
    "uge": z3.UGE,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}


def require_of_each_byte(word: Word, of_byte: Callable[[int], Any]) -> None:
    """Fail with a counterexample unless each byte of a word is what it is said to be."""
    solver = z3.Solver()
    solver.add(z3.Or([word.byte(place) != of_byte(place) for place in range(4)]))
    assert solver.check() == z3.unsat, solver.model()


@pytest.mark.parametrize("name", ["add", "subtract"])
def test_sums_and_differences_carry_nothing(name: str) -> None:
    combine: Callable[[Any, Any], Any] = {"add": operator.add, "subtract": operator.sub}[name]
    packed = getattr(packed_bytes, name)(A, B)
    require_of_each_byte(packed, lambda place: combine(A.byte(place), B.byte(place)))


@pytest.mark.parametrize("by", range(8))
def test_shifts_move_nothing_into_a_neighbour(by: int) -> None:
    require_of_each_byte(packed_bytes.shift_left(A, by), lambda place: A.byte(place) << by)
    right = packed_bytes.shift_right(A, by)
    require_of_each_byte(right, lambda place: z3.LShR(A.byte(place), by))


@pytest.mark.parametrize("predicate", HOLDS)
def test_predicates_are_flags(predicate: str) -> None:
    holds = HOLDS[predicate]
    flag = z3.BitVecVal(0x80, 8)
    require_of_each_byte(
        PREDICATES[predicate](A, B),
        lambda place: z3.If(holds(A.byte(place), B.byte(place)), flag, ZERO),
    )


def test_flags_select() -> None:
    require_of_each_byte(
        packed_bytes.select(FLAGS, A, B),
        lambda place: z3.If(FLAGS.byte(place) != 0, A.byte(place), B.byte(place)),
    )
    require_of_each_byte(
        packed_bytes.zero_or_one(FLAGS), lambda place: z3.If(FLAGS.byte(place) != 0, ONE, ZERO)
    )


def test_sums_are_those_of_the_bytes() -> None:
    bytes_ = [z3.ZeroExt(24, A.byte(place)) for place in range(4)]
    total = bytes_[0] + bytes_[1] + bytes_[2] + bytes_[3]
    solver = z3.Solver()
    small = z3.ULT(total, 256)
    pairs = packed_bytes.sum_of_pairs(packed_bytes.sums_of_pairs(A)).bits
    solver.add(z3.Or(z3.And(small, packed_bytes.sum_of_small(A).bits != total), pairs != total))
    assert solver.check() == z3.unsat


def test_what_is_summed_has_room() -> None:
    """Of as many lanes as are looked for, all of them set, or 255."""
    words = MOST_LANES // 4
    assert words <= 255 and MOST_LANES < 256
    assert words * 2 * 255 < 1 << 16 and MOST_LANES * 255 < 1 << 16


def test_bytes_stay_the_same(draws: Draws) -> None:
    packed = 0

    def check(sample: ByteLanes) -> None:
        nonlocal packed
        module = sample.module.clone()
        apply_pipeline(module, "vyre-pack-bytes", CONTEXT)
        module.verify()
        packed += not module.is_structurally_equivalent(sample.module)
        expected = interpret(sample.module, sample.inputs).outputs
        require_equal(interpret(module, sample.inputs).outputs, expected)
        again = module.clone()
        apply_pipeline(again, "vyre-pack-bytes", CONTEXT)
        assert str(again) == str(module)

    for_each(byte_lanes(), check, examples=draws(PROGRAMS))
    assert packed > draws(PROGRAMS) // 4
