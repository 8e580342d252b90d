"""What is known of the numbers that a value can be, read as a signed one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.arms import arm, named_values
from support.foreign_ops import MixOp
from support.generated.definitions import mix_defined
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import VectorType, i8, i16, i32

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.signed_ranges import SignedRanges
from vyre_dialect.analysis.value_ranges import UNKNOWN, Range, signed_numbers
from vyre_dialect.builder import Value
from vyre_dialect.ir import meaning
from vyre_dialect.ir.meaning import Meaning, Meanings

BYTES = """
    %byte = arith.trunci %wide : i64 to i8
    %unsigned = arith.extui %byte : i8 to i16
    %signed = arith.extsi %byte : i8 to i16
    %c3 = arith.constant 3 : i16
    %c500 = arith.constant -500 : i16
    %apart = arith.subi %signed, %unsigned : i16
    %size = math.absi %apart : i16
"""


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("%x = arith.addi %signed, %signed : i16", Range(-256, 254)),
        ("%x = arith.addi %c500, %c3 : i16", Range(-497, -497)),
        ("%x = arith.muli %apart, %apart : i16", signed_numbers(16)),
        ("%x = arith.addi %size, %apart : i16", Range(-383, 510)),
        ("%x = arith.divsi %apart, %c3 : i16", Range(-127, 42)),
        ("%x = arith.remsi %apart, %c3 : i16", Range(-2, 2)),
        ("%x = arith.shrsi %apart, %c3 : i16", Range(-48, 15)),
        ("%x = arith.andi %apart, %size : i16", Range(0, 383)),
        ("%x = arith.xori %signed, %size : i16", Range(-512, 511)),
        ("%x = arith.divui %size, %c3 : i16", Range(0, 127)),
        ("%x = arith.extui %size : i16 to i32", Range(0, 383)),
        ("%x = arith.extui %apart : i16 to i32", Range(0, 2**16 - 1)),
        ("%x = arith.index_cast %apart : i16 to index", Range(-383, 127)),
        ("%x = math.ctpop %apart : i16", Range(0, 16)),
        ("%v = vector.broadcast %byte : i8 to vector<2xi8>  %x = math.ctpop %v : vector<2xi8>", UNKNOWN),  # noqa: E501
    ],
)  # fmt: skip
def test_results_of_ops(op: str, expected: Range) -> None:
    value = named_values(arm(BYTES + op))["x"]
    assert SignedRanges(Integers()).fact(value) == expected


class TemperatureOp(test.TestOp):
    """An op of a package, which says of signed numbers what it knows."""


def test_a_package_adds_what_it_knows() -> None:
    known = Meanings()

    @known.describe(TemperatureOp)
    class Temperature(Meaning):  # pyright: ignore[reportUnusedClass]
        def signed_range(self, op: TemperatureOp, operands: Sequence[Range]) -> Range:
            return Range(-90, 60)

    meaning.OPS.register(known)
    value = TemperatureOp([], [i16]).results[0]
    total = arith.AddiOp(value, value)
    assert SignedRanges(Integers()).fact(total.result) == Range(-180, 120)


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("lhs - rhs", Range(-510, 255)),
        ("lhs.shrsi(1)", Range(-128, 127)),
        ("lhs >> 31", Range(0, 1)),  # known of unsigned numbers alone
        ("(lhs * (1 << 24)).shrsi(24)", Range(-128, 127)),  # of a product that wraps around
        ("(lhs.to(i64) >> 1).to(i32)", Range(0, 2**31 - 1)),
    ],
)
def test_a_package_defines_what_it_computes(definition: str, expected: Range) -> None:
    """Of a difference of bytes, and a byte."""
    with mix_defined() as text:
        text[0] = definition
        mixed = MixOp((_byte() - _byte()).ssa, _byte().ssa).result
        assert SignedRanges(Integers()).fact(mixed) == expected


def _byte() -> Value:
    return Value(test.TestOp([], [i8]).results[0]).to(i32)


def test_lanes_of_vectors_are_no_numbers_of_an_op() -> None:
    lanes = test.TestOp([], [VectorType(i8, [4])]).results[0]
    assert SignedRanges(Integers()).fact(lanes) == UNKNOWN
