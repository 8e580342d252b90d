"""What is known of the numbers that a value can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

import pytest
from support.arms import arm, block_of, named_values
from support.counting import function_calls
from support.generated.drawing import for_each
from support.generated.programs import Sample, programs
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.analysis.guards import block_around, guards_at, guards_of
from vyre_dialect.analysis.integers import Integers, Place
from vyre_dialect.analysis.value_ranges import (
    MAX_COUNT,
    Range,
    full_range,
)
from vyre_dialect.ir import meaning
from vyre_dialect.ir.meaning import Meaning, Meanings
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

SHAPED = "vyre-decode-scan-fuse,vyre-outline-kernels,canonicalize,vyre-unroll{limit=8}"
"""What makes many guards, one in the other."""
ANY = full_range(IndexType())


def range_of(ops: str, name: str, invocations: str = "%n") -> Range:
    value = named_values(arm(ops, invocations))[name]
    return Integers().range_at(value, block_of(value))


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("%x = arith.addi %c4, %c10 : index", Range(14, 14)),
        ("%x = arith.addi %any, %c10 : index", ANY),
        ("%x = arith.subi %i, %c4 : index", Range(-4, MAX_COUNT - 5)),
        ("%x = arith.remsi %any, %c10 : index", Range(-9, 9)),
        ("%x = arith.remui %any, %c10 : index", Range(0, 9)),
        ("%x = arith.divui %any, %c10 : index", ANY),
        ("%x = arith.andi %any, %c10 : index", Range(0, 10)),
        ("%x = arith.shrsi %any, %c10 : index", Range(-(2**53), 2**53 - 1)),
        ("%x = arith.shrui %any, %c10 : index", ANY),
        ("%x = arith.shli %i, %c100 : index", ANY),
        ("%x = arith.minsi %any, %c10 : index", Range(-(2**63), 10)),
        ("%x = arith.minui %any, %c10 : index", ANY),
        ("%x = arith.trunci %wide : i64 to i8", Range(0, 255)),
        ("%b = arith.trunci %wide : i64 to i8  %x = arith.extui %b : i8 to i32", Range(0, 255)),
        ("%b = arith.trunci %wide : i64 to i8  %x = arith.index_cast %b : i8 to index", Range(-128, 127)),  # noqa: E501
        ("%b = arith.trunci %wide : i64 to i8  %v = vector.broadcast %b : i8 to vector<2xi8>  %f = vyre.convert_lanes uitofp %v : vector<2xi8> to vector<2xf32>  %x = vyre.convert_lanes fptosi %f : vector<2xf32> to vector<2xi32>", Range(0, 2**32 - 1)),  # noqa: E501
        ("%b = arith.trunci %wide : i64 to i8  %z = arith.constant 0 : i8  %x = arith.maxsi %b, %z : i8", Range(0, 127)),  # noqa: E501
        ("%b = arith.trunci %wide : i64 to i8  %z = arith.constant 0 : i8  %m = arith.maxsi %b, %z : i8  %s = arith.constant 7 : i8  %x = arith.minsi %m, %s : i8", Range(0, 7)),  # noqa: E501
        ("%b = arith.trunci %wide : i64 to i8  %s = arith.constant 7 : i8  %x = arith.minsi %b, %s : i8", Range(0, 255)),  # noqa: E501
        ("%b = arith.trunci %wide : i64 to i8  %s = arith.constant -7 : i8  %x = arith.maxsi %b, %s : i8", Range(0, 255)),  # noqa: E501
        ("%b = arith.trunci %wide : i64 to i8  %z = arith.constant 0 : i8  %m = arith.maxsi %b, %z : i8  %s = arith.constant 10 : i8  %x = arith.floordivsi %m, %s : i8", Range(0, 12)),  # noqa: E501
        ("%x = vyre.local_id x", Range(0, 15)),
        ("%x = vyre.buf_len %fixed : !vyre.buffer<48xi8, read_write>", Range(48, 48)),
    ],
)  # fmt: skip
def test_results_of_ops(op: str, expected: Range):
    assert range_of(op, "x") == expected


LANES = """
  %s = arith.trunci %wide : i64 to i32
  %mask = arith.constant 15 : i32
  %w = arith.andi %s, %mask : i32
  %v = vector.broadcast %w : i32 to vector<4xi32>
  %z = vector.broadcast %s : i32 to vector<4xi32>
"""
"""Vectors of four numbers up to 15, and of any."""


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("%x = vector.reduction <add>, %v : vector<4xi32> into i32", Range(0, 60)),
        ("%x = vector.reduction <add>, %v, %w : vector<4xi32> into i32", Range(0, 75)),
        ("%x = vector.reduction <add>, %z : vector<4xi32> into i32", Range(0, 2**32 - 1)),
        ("%x = vector.reduction <mul>, %v : vector<4xi32> into i32", Range(0, 15**4)),
        ("%x = vector.reduction <and>, %z, %w : vector<4xi32> into i32", Range(0, 15)),
        ("%x = vector.reduction <xor>, %v : vector<4xi32> into i32", Range(0, 15)),
        ("%x = vector.reduction <minui>, %z, %w : vector<4xi32> into i32", Range(0, 15)),
        ("%x = vector.reduction <minsi>, %z, %w : vector<4xi32> into i32", Range(0, 2**32 - 1)),
        ("%x = vector.reduction <maxsi>, %v, %w : vector<4xi32> into i32", Range(0, 15)),
        ("%x = vyre.look_up_lanes %v[%z] : vector<4xi32>, vector<4xi32> -> vector<4xi32>", Range(0, 15)),  # noqa: E501
    ],
)  # fmt: skip
def test_what_lanes_come_to(op: str, expected: Range) -> None:
    assert range_of(LANES + op, "x") == expected


def test_ids_of_a_static_domain():
    assert range_of("%x = arith.addi %i, %c1 : index", "x", "32") == Range(1, 32)


def test_an_op_of_which_nothing_is_known():
    value = test.TestOp([], [IndexType()]).results[0]
    assert Integers().range_at(value, None) == ANY


class MadeOfThree(test.TestOp):
    """An op that no table knows."""


def test_a_package_adds_what_it_knows():
    known = Meanings()

    @known.describe(MadeOfThree)
    class Three(Meaning):  # pyright: ignore[reportUnusedClass]
        def range(self, op: MadeOfThree, operands: Sequence[Range]) -> Range:
            return Range(3, 3)

    meaning.OPS.register(known)
    value = MadeOfThree([], [IndexType()]).results[0]
    total = arith.AddiOp(value, value)
    assert Integers().range_at(total.result, None) == Range(6, 6)


STRUCTURED = """
    %low = arith.cmpi slt, %any, %c10 : index
    %up = arith.cmpi sge, %any, %c0 : index
    %both = arith.andi %low, %up : i1
    %before = arith.muli %any, %c4 : index
    scf.if %both {
      %inside = arith.addi %before, %c1 : index
      scf.for %k = %any to %c100 step %c4 iter_args(%carried = %c0) -> (index) {
        %deep = arith.addi %inside, %k : index
        %next = arith.minsi %carried, %k : index
        scf.yield %next : index
      }
    } else {
      %outside = arith.addi %any, %c0 : index
    }
    %chosen = scf.if %low -> (index) {
      %small = arith.maxsi %any, %c0 : index
      scf.yield %small : index
    } else {
      scf.yield %c100 : index
    }
    %last = scf.for %j = %c0 to %c10 step %c1 iter_args(%p = %c4) -> (index) {
      %capped = arith.remui %p, %c10 : index
      scf.yield %capped : index
    }
    %more = scf.execute_region -> (index) {
      scf.yield %chosen : index
    }
    %end = scf.while (%at = %c4) : (index) -> (index) {
      %goes_on = arith.cmpi ult, %at, %c10 : index
      scf.condition(%goes_on) %at : index
    } do {
    ^bb0(%place: index):
      %further = arith.addi %place, %c1 : index
      scf.yield %further : index
    }
"""
EXPECTED = {
    "before": Range(-(2**63), 2**63 - 4),
    "inside": Range(1, 37),
    "k": Range(0, 99),
    "carried": ANY,
    "deep": Range(1, 136),
    "outside": ANY,
    "small": Range(0, 9),
    "chosen": Range(0, 100),
    "j": Range(0, 9),
    "capped": Range(0, 8),
    "last": Range(0, 8),
    "more": Range(0, 100),
    "at": ANY,
    "place": Range(0, 9),
    "further": Range(1, 10),
    "end": ANY,
}


def test_control_flow_in_any_order_of_questions():
    values = named_values(arm(STRUCTURED))
    names = list(EXPECTED)
    for seed in range(10):
        Random(seed).shuffle(names)
        ranges = Integers()
        found = {name: ranges.range_at(values[name], block_of(values[name])) for name in names}
        assert found == EXPECTED


def test_a_result_is_known_under_a_later_condition():
    ops = """
      %shifted = arith.addi %any, %c4 : index
      %ok = arith.cmpi ult, %any, %c10 : index
      scf.if %ok {
        %here = arith.addi %shifted, %c0 : index
      }
    """
    assert range_of(ops, "here") == Range(4, 13)


@pytest.mark.slow
def test_a_long_chain_keeps_its_proof():
    one = arith.ConstantOp(IntegerAttr(1, IndexType())).result
    value: SSAValue = one
    for number in range(20_000):
        value = (arith.SubiOp if number % 2 else arith.AddiOp)(value, one).result
    assert Integers().range_at(value, None) == Range(1, 1)


def _guarded(blocks: int) -> str:
    """Sums of bytes, each of them under a guard on another index, and all that is summed so far."""
    steps = (
        f"""
      %at{n} = arith.addi %i, %off{n - 1} : index
      %off{n} = arith.addi %off{n - 1}, %c1 : index
      %ok{n} = arith.cmpi ult, %at{n}, %n : index
      %sum{n} = scf.if %ok{n} -> (i64) {{
        %more{n} = arith.addi %sum{n - 1}, %wide : i64
        scf.yield %more{n} : i64
      }} else {{
        scf.yield %sum{n - 1} : i64
      }}"""
        for n in range(1, blocks + 1)
    )
    return "".join(
        ["%sum0 = arith.addi %wide, %wide : i64 %off0 = arith.addi %c0, %c1 : index", *steps]
    )


def test_a_guard_costs_nothing_for_what_it_is_not_about():
    few, many = (list(arm(_guarded(blocks)).body.walk()) for blocks in (12, 48))

    def calls(ops: list[Operation]) -> int:
        return function_calls(lambda: _ranges(ops, Integers()))

    _ranges(few, Integers())  # What is done once only is done now.
    assert calls(many) < 5 * calls(few)


def _ranges(ops: Iterable[Operation], ranges: Integers) -> list[Range]:
    """The ranges of the operands of some ops, where these stand."""
    return [ranges.range_at(value, op.parent) for op in ops for value in op.operands]


class _UnderEveryGuard(Integers):
    """Asks of every value again under every guard, whatever it is about."""

    def place(self, value: SSAValue, block: Block | None) -> Place:
        own = block_of(value)
        while block is not None and block is not own:
            if any(guards_at(block)):
                return (value, own) if own is None or block.is_ancestor(own) else (value, block)
            block = block_around(block)
        return value, own


@pytest.mark.slow
def test_nothing_is_lost_where_a_guard_is_not_asked():
    compared = 0

    def check(sample: Sample) -> None:
        nonlocal compared
        module = sample.module.clone()
        apply_pipeline(module, f"vyre-expand,{SHAPED}", make_context())
        ops = list(module.walk())
        expected = _ranges(ops, _UnderEveryGuard())
        assert _ranges(ops, Integers()) == expected
        compared += sum(any(guards_of(op.parent)) for op in ops)

    for_each(programs(), check, examples=12)
    assert compared > 100
