"""What is known of integers is true of every number that generated programs compute."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects.builtin import IndexType, ModuleOp, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.value_ranges import Range, full_range
from vyre_dialect.builder import Buffer, Value, constant, for_, if_, index, program, while_
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.interpreter.run import interpret

DATA = np.array([0, 1, -1, 63, 2**63 - 1, -(2**63), 2**62, 12], np.int64)
NUMBERS = (0, 1, 2, 3, 4, 6, 8, 12, 40, -8, 2**62, 2**63 - 1)
MAX_DEPTH = 3


class Body:
    """Builds arithmetic on multiples, under guards and around loops that carry numbers."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw

    def any_of(self, values: list[Value]) -> Value:
        return self.draw(st.sampled_from(values))

    def number(self) -> int:
        return self.draw(st.sampled_from(NUMBERS))

    def compute(self, values: list[Value]) -> Value:
        a, b, number = self.any_of(values), self.any_of(values), self.number()
        choices: list[Callable[[], Value]] = [
            lambda: a + b,
            lambda: a - b,
            lambda: a * number,
            lambda: a & number,
            lambda: a | number,
            lambda: a.min(b),
            lambda: a.max(number),
            lambda: a << (number & 7),
            lambda: a >> (number & 7),
            lambda: a // (number or 1),
            lambda: a % (number or 4),
            lambda: a.to(i32).to(index, signed=True),
            lambda: self.condition(values).select(a, b),
        ]
        return self.draw(st.sampled_from(choices))()

    def condition(self, values: list[Value]) -> Value:
        predicate = self.draw(st.sampled_from(("eq", "ne", "slt", "sge", "ult", "ule", "ugt")))
        other = self.draw(st.booleans())
        return self.any_of(values).compare(
            predicate, self.any_of(values) if other else constant(self.number())
        )

    def run(self, values: list[Value], depth: int = 0) -> list[Value]:
        values = list(values)
        for _ in range(self.draw(st.integers(1, 4))):
            values.append(self.compute(values))
        shape = self.draw(st.integers(0, 4)) if depth < MAX_DEPTH else 0
        if shape in (1, 2):
            with if_(self.condition(values)) as branch:
                branch.yields(self.any_of(self.run(values, depth + 1)))
            with branch.else_():
                branch.yields(self.any_of(self.run(values, depth + 1)))
            values.append(branch.results[0])
        elif shape == 3:
            begin, trips = self.draw(st.integers(0, 8)), self.draw(st.integers(0, 3))
            step = self.draw(st.integers(1, 4))
            with for_(begin, begin + trips * step, step, carry=[self.any_of(values)]) as loop:
                inside = self.run([*values, loop.counter, loop.carried[0]], depth + 1)
                loop.yields(self.any_of(inside))
            values.append(loop.results[0])
        elif shape == 4:
            carry = [constant(0), self.any_of(values)]
            with while_(lambda count, _: count < 3, carry) as loop:
                inside = self.run([*values, loop.carried[1]], depth + 1)
                loop.yields(loop.carried[0] + 1, self.any_of(inside))
            values.append(loop.results[1])
        return values


@st.composite
def programs(draw: st.DrawFn) -> ModuleOp:
    with program("random", workgroup_size=[4]) as p:
        data = p.buffer("data", i64, len(DATA))
        _ = p.buffer("wrong", i32, 1, live_out=True)
        out = p.buffer("out", i64, 12, live_out=True)
        with p.arm("random", 12) as i:
            values = Body(draw).run([i, data[i & 7].to(index), data.length, constant(6)])
            out[i] = values[-1].to(i64)
    return p.module


def check_facts(module: ModuleOp) -> int:
    """
    Let the program count, in @wrong, the operands that are not as is known; of how many something
    is known.
    """
    (wrong,) = (
        Buffer(op.buffer)
        for op in module.walk()
        if isinstance(op, BufferOp) and op.sym_name.data == "wrong"
    )
    arm = next(op for op in module.walk() if isinstance(op, RegionOp))
    integers = Integers()
    operands = [
        (op, operand)
        for op in ops_inside(arm.body)
        for operand in op.operands
        if isinstance(operand.type, IndexType)
    ]
    known = [integers.range_at(operand, op.parent) for op, operand in operands]
    divisors = [integers.divisor_at(operand, op.parent) for op, operand in operands]
    for (op, operand), each, divisor in zip(operands, known, divisors, strict=True):
        _check(op, operand, each, divisor, wrong)
    return sum(each != full_range(IndexType()) for each in known)


def _check(op: Operation, operand: SSAValue, known: Range, divisor: int, wrong: Buffer) -> None:
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        value = Value(operand)
        is_wrong = (value < known.low) | (value > known.high)
        rest = value & (min(divisor, 2**62) - 1)
        wrong.atomic(AtomicKind.ADDI, (is_wrong | rest.compare("ne", constant(0))).to(i32))


def wrong_in(module: ModuleOp) -> int:
    return interpret(module, {"data": DATA}).outputs["wrong"].tolist()[0]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(programs())
def test_numbers_are_as_is_known(module: ModuleOp) -> None:
    check_facts(module)
    assert wrong_in(module) == 0


def test_the_check_notices_what_is_not_so() -> None:
    with program("false", workgroup_size=[4]) as p:
        _ = p.buffer("data", i64, len(DATA))
        wrong = p.buffer("wrong", i32, 1, live_out=True)
        out = p.buffer("out", i64, 12, live_out=True)
        with p.arm("odd", 12) as i:
            more = i + 1
            out[i] = more.to(i64)
    (store,) = (op for op in p.module.walk() if op.name == "vyre.store")
    assert check_facts(p.module) > 2
    assert wrong_in(p.module) == 0
    _check(store, more.ssa, Range(1, 10), 1, wrong)
    assert wrong_in(p.module) == 2
    _check(store, more.ssa, Range(1, 12), 2, wrong)
    assert wrong_in(p.module) == 2 + 6
