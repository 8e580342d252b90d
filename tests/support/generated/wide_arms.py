"""Arms that compute with bytes, or other small numbers, in integers that have more bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects import math
from xdsl.dialects.builtin import IntegerType, i8, i16, i32, i64

from support.generated.bound_program import BoundProgram
from support.generated.drawing import any_of, sometimes
from vyre_dialect.builder import if_, invocation_id, program
from vyre_dialect.builder.values import Value, constant, index
from vyre_dialect.ir.types import Access, AtomicKind

LENGTHS = (0, 1, 15, 16, 17, 63, 64, 65, 129, 200)
NUMBERS = st.sampled_from([0, 1, 3, 7, 15, 29, 77, 100, 127, 128, 200, 255, 256, 1000])
DIVISORS = st.sampled_from([1, 2, 3, 10, 255, 256])
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
COMBINED: tuple[Callable[[Value, Value], Value], ...] = (
    *(Value.__add__, Value.__sub__, Value.__mul__, Value.__and__, Value.__or__, Value.__xor__),
    *(Value.min, Value.max, Value.minsi, Value.maxsi),
)
DIVIDED = (Value.__floordiv__, Value.__mod__, Value.divsi, Value.remsi)
SHIFTED = (Value.__lshift__, Value.__rshift__, Value.shrsi)
STEPS = 8


@st.composite
def wide_arms(draw: st.DrawFn, lengths: tuple[int, ...] = LENGTHS) -> BoundProgram:
    """An arm that reads small numbers, and keeps what it computes of them in wide ones."""
    size = draw(st.sampled_from(lengths))
    small, wide = draw(any_of(i8, i16)), draw(any_of(i32, i64))
    with program("wide") as p:
        read = p.buffer("read", small, access=Access.READ_ONLY)
        count = p.buffer("count", i32, 1, live_out=True)
        total = p.buffer("total", i64, 1, live_out=True)
        bins = p.buffer("bins", i32, draw(st.sampled_from([4, 16, 300])), live_out=True)
        low = p.buffer("low", draw(any_of(i8, i16)), read.length, live_out=True)
        all_bits = p.buffer("all_bits", wide, read.length, live_out=True)
        with p.arm("compute", read.length):
            i = invocation_id()
            known = [_widened(draw, read[i + offset], wide) for offset in _offsets(draw)]
            for _ in range(draw(st.integers(1, STEPS))):
                known.append(_step(draw, known))
            low[i] = known[-1].to(low.type.element_type)
            if draw(sometimes(50)):
                all_bits[i] = draw(st.sampled_from(known))
            with if_(_holds(draw, known)):
                count.atomic(AtomicKind.ADDI, 1)
                total.atomic(AtomicKind.ADDI, draw(st.sampled_from(known)).to(i64))
            if draw(sometimes(50)):
                bins.atomic(AtomicKind.ADDI, 1, draw(st.sampled_from(known)).to(index))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    type = np.uint8 if small == i8 else np.uint16
    return BoundProgram(p.module, {"read": random.integers(0, np.iinfo(type).max, size, type)})


def _offsets(draw: st.DrawFn) -> list[int]:
    return [0, *draw(st.lists(st.sampled_from([-3, -1, 1, 16]), max_size=2))]


def _widened(draw: st.DrawFn, value: Value, wide: IntegerType) -> Value:
    return value.to(wide, signed=draw(sometimes(30)))


def _step(draw: st.DrawFn, known: list[Value]) -> Value:
    """Another number, of those that are known."""
    first, second = draw(st.sampled_from(known)), draw(st.sampled_from(known))
    match draw(st.integers(0, 7)):
        case 0 | 1:
            return draw(st.sampled_from(COMBINED))(first, second)
        case 2:
            return draw(st.sampled_from(COMBINED))(first, _number(draw, first))
        case 3:
            return draw(st.sampled_from(SHIFTED))(first, draw(st.sampled_from([0, 1, 4, 7, 8, 15])))
        case 4:
            return draw(st.sampled_from(DIVIDED))(first, draw(DIVISORS))
        case 5:
            return Value(math.AbsIOp(first.ssa).result)
        case 6:
            return first & draw(st.sampled_from([1, 15, 31, 255]))
        case _:
            return _holds(draw, known).select(second, first)


def _number(draw: st.DrawFn, like: Value) -> Value:
    return constant(draw(NUMBERS) * draw(any_of(1, -1)), like.type)


def _holds(draw: st.DrawFn, known: list[Value]) -> Value:
    first, second = draw(st.sampled_from(known)), draw(st.sampled_from(known))
    other = second if draw(sometimes(40)) else _number(draw, first)
    return first.compare(draw(st.sampled_from(PREDICATES)), other)
