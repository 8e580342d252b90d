"""Bytes mean the same in words: what computes with four of them is proven, and applied so."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from support.generated.byte_lanes import ByteLanes, byte_lanes
from support.generated.drawing import Draws, for_each
from support.proofs import require_always, z3
from support.shaping import with_equal_meaning

from vyre_dialect.analysis.reduced_lanes import MOST_LANES
from vyre_dialect.passes.scalar.bytes_in_words import arithmetic
from vyre_dialect.passes.scalar.bytes_in_words.arithmetic import PREDICATES
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context, parse_module

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
FLAGS = Word(z3.BitVec("flags", 32)) & arithmetic.FLAGS
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
    require_always(z3.And([word.byte(place) == of_byte(place) for place in range(4)]))


@pytest.mark.parametrize("name", ["add", "subtract"])
def test_sums_and_differences_carry_nothing(name: str) -> None:
    combine: Callable[[Any, Any], Any] = {"add": operator.add, "subtract": operator.sub}[name]
    packed = getattr(arithmetic, name)(A, B)
    require_of_each_byte(packed, lambda place: combine(A.byte(place), B.byte(place)))


@pytest.mark.parametrize("by", range(8))
def test_shifts_move_nothing_into_a_neighbour(by: int) -> None:
    require_of_each_byte(arithmetic.shift_left(A, by), lambda place: A.byte(place) << by)
    right = arithmetic.shift_right(A, by)
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
        arithmetic.select(FLAGS, A, B),
        lambda place: z3.If(FLAGS.byte(place) != 0, A.byte(place), B.byte(place)),
    )
    require_of_each_byte(
        arithmetic.zero_or_one(FLAGS), lambda place: z3.If(FLAGS.byte(place) != 0, ONE, ZERO)
    )


def test_sums_are_those_of_the_bytes() -> None:
    bytes_ = [z3.ZeroExt(24, A.byte(place)) for place in range(4)]
    total = bytes_[0] + bytes_[1] + bytes_[2] + bytes_[3]
    is_small = z3.ULT(total, 256)
    require_always(z3.Implies(is_small, arithmetic.sum_of_small(A).bits == total))
    require_always(arithmetic.sum_of_pairs(arithmetic.sums_of_pairs(A)).bits == total)


def test_what_is_summed_has_room() -> None:
    """Of as many lanes as are looked for, all of them set, or 255."""
    words = MOST_LANES // 4
    assert words <= 255 and MOST_LANES < 256
    assert words * 2 * 255 < 1 << 16 and MOST_LANES * 255 < 1 << 16


def packed_text(text: str) -> str:
    module = parse_module(f"func.func @f{text}", CONTEXT)
    apply_pipeline(module, "vyre-pack-bytes", CONTEXT)
    once = str(module)
    apply_pipeline(module, "vyre-pack-bytes", CONTEXT)
    assert str(module) == once
    return once


@pytest.mark.parametrize(("lanes", "is_packed"), [(64, True), (128, False), (256, False)])
def test_sums_of_more_lanes_than_there_is_room_for_stay(lanes: int, is_packed: bool) -> None:
    steps, size = ["%v0 = vyre.convert_lanes extui %m : {m} to {v}"], lanes
    while (half := size // 2) >= 4:
        lower, upper = (", ".join(map(str, range(at, at + half))) for at in (0, half))
        steps += [
            f"%a{half} = vector.shuffle %v{lanes // size - 1}, %v{lanes // size - 1} [{lower}] : "
            f"vector<{size}xi32>, vector<{size}xi32>",
            f"%b{half} = vector.shuffle %v{lanes // size - 1}, %v{lanes // size - 1} [{upper}] : "
            f"vector<{size}xi32>, vector<{size}xi32>",
            f"%v{lanes // half - 1} = arith.addi %a{half}, %b{half} : vector<{half}xi32>",
        ]
        size = half
    last = f"%v{lanes // size - 1}"
    steps += [f"%e{k} = vector.extract {last}[{k}] : i32 from vector<4xi32>" for k in range(4)]
    steps += ["%p = arith.addi %e0, %e1 : i32", "%q = arith.addi %e2, %e3 : i32"]
    body = "\n".join(steps).format(m=f"vector<{lanes}xi1>", v=f"vector<{lanes}xi32>")
    text = packed_text(f"""(%x: vector<{lanes // 4}xi32>) -> i32 {{
        %w = vector.bitcast %x : vector<{lanes // 4}xi32> to vector<{lanes}xi8>
        %n = arith.constant dense<3> : vector<{lanes}xi8>
        %m = vyre.compare_lanes ult %w, %n : vector<{lanes}xi8> -> vector<{lanes}xi1>
        {body}
        %r = arith.addi %p, %q : i32
        func.return %r : i32
    }}""")
    assert ("vyre.compare_lanes" not in text) is is_packed


def test_an_extension_that_something_else_reads_stays() -> None:
    text = packed_text("""(%x: vector<1xi32>) -> (i32, vector<4xi32>) {
        %w = vector.bitcast %x : vector<1xi32> to vector<4xi8>
        %n = arith.constant dense<3> : vector<4xi8>
        %m = vyre.compare_lanes ult %w, %n : vector<4xi8> -> vector<4xi1>
        %o = vyre.convert_lanes extui %m : vector<4xi1> to vector<4xi32>
        %e0 = vector.extract %o[0] : i32 from vector<4xi32>
        %e1 = vector.extract %o[1] : i32 from vector<4xi32>
        %e2 = vector.extract %o[2] : i32 from vector<4xi32>
        %e3 = vector.extract %o[3] : i32 from vector<4xi32>
        %p = arith.addi %e0, %e1 : i32
        %q = arith.addi %e2, %e3 : i32
        %r = arith.addi %p, %q : i32
        func.return %r, %o : i32, vector<4xi32>
    }""")
    assert "arith.extui" not in text and "vyre.compare_lanes" in text


def test_a_vector_of_one_byte_in_all_lanes_is_packed() -> None:
    text = packed_text("""(%x: vector<1xi32>, %k: vector<1xi8>) -> vector<4xi8> {
        %w = vector.bitcast %x : vector<1xi32> to vector<4xi8>
        %b = vector.broadcast %k : vector<1xi8> to vector<4xi8>
        %r = arith.xori %w, %b : vector<4xi8>
        func.return %r : vector<4xi8>
    }""")
    assert "arith.xori" in text and "vector<4xi8> to vector<1xi32>" in text


@pytest.mark.parametrize("kind", ["shuffles", "masks", "sums"])
def test_long_chains_take_little_time(kind: str) -> None:
    """A thousand of each: what doubles with each, or takes their square, would not end."""
    count, v, m = 1000, "vector<4xi8>", "vector<4xi1>"
    step = {
        "shuffles": f"%s{{n}} = vector.shuffle %s{{p}}, %s{{p}} [1, 2, 3, 4] : {v}, {v}",
        "masks": f"%m{{n}} = arith.xori %m{{p}}, %true : {m}",
        "sums": f"%s{{n}} = arith.addi %s{{p}}, %w : {v}",
    }[kind]
    steps = "\n".join(step.format(n=n, p=n - 1) for n in range(1, count))
    last = "%w" if kind == "masks" else f"%s{count - 1}"
    mask = f"%m{count - 1}" if kind == "masks" else "%m0"
    packed_text(f"""(%x: vector<1xi32>) -> ({v}, {m}) {{
        %w = vector.bitcast %x : vector<1xi32> to {v}
        %true = arith.constant dense<true> : {m}
        %n = arith.constant dense<3> : {v}
        %s0 = arith.xori %w, %n : {v}
        %m0 = vyre.compare_lanes ult %w, %n : {v} -> {m}
        {steps}
        %r = arith.andi {last}, %n : {v}
        func.return %r, {mask} : {v}, {m}
    }}""")


def test_bytes_stay_the_same(draws: Draws) -> None:
    packed = 0

    def check(sample: ByteLanes) -> None:
        nonlocal packed
        module = with_equal_meaning(sample.module, sample.inputs, "vyre-pack-bytes")
        packed += not module.is_structurally_equivalent(sample.module)

    for_each(byte_lanes(), check, examples=draws(PROGRAMS))
    assert packed > draws(PROGRAMS) // 4
