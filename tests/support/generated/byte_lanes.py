"""Arithmetic, comparisons and sums of lanes of bytes, as arms that store what comes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, VectorType, i8, i32, i64

from support.generated.drawing import ShownAsText, any_of
from vyre_dialect.builder import program
from vyre_dialect.builder.values import Value, constant
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.lanes import CompareLanesOp, Predicate, SelectLanesOp
from vyre_dialect.passes.rewriting.reductions import halved, one_by_one
from vyre_dialect.runtime.interpreter.arrays import Array

ROWS = 4
STEPS = 10
NUMBERS = (0, 1, 9, 32, 97, 127, 128, 192, 255)
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
SHIFTS = st.integers(0, 7)
BITWISE = (Value.__and__, Value.__or__, Value.__xor__)
COMBINED = (
    *(Value.__add__, Value.__sub__, *BITWISE),
    *(Value.min, Value.max, Value.minsi, Value.maxsi),
)


@dataclass(frozen=True)
class ByteLanes(ShownAsText):
    """A program that stores bytes and sums, and what it reads."""

    module: ModuleOp
    inputs: dict[str, Array]


@st.composite
def byte_lanes(draw: st.DrawFn) -> ByteLanes:
    """Vectors of bytes that were loaded and computed of each other, and masks of them."""
    numbers = np.random.default_rng(draw(st.integers(0, 99)))
    lanes = draw(any_of(4, 8, 8, 16))
    size = 2 * ROWS * lanes
    with program("bytes") as p:
        source = p.buffer("source", i8, size, access=Access.READ_ONLY)
        out = p.buffer("out", i8, size, live_out=True)
        sums = p.buffer("sums", i64, 2 * ROWS, live_out=True)
        with p.arm("bytes", ROWS) as row:
            at = [(row * 2 + number) * lanes for number in range(2)]
            known = [source.load(each, VectorType(i8, [lanes])) for each in at]
            masks = [_compared("ult", *known)]
            for _ in range(draw(st.integers(1, STEPS))):
                _step(draw, lanes, known, masks)
            for place, vector in zip(at, known[-2:], strict=True):
                out[place] = vector
            sums[row * 2] = _total(draw, masks[-1].to(VectorType(i32, [lanes]))).to(i64)
            sums[row * 2 + 1] = _total(draw, known[-1].to(VectorType(i64, [lanes])))
    random = numbers.integers(0, 256, size, dtype=np.uint8)
    edges = numbers.choice(np.array(NUMBERS, np.uint8), size)
    return ByteLanes(p.module, {"source": np.where(numbers.random(size) < 0.5, random, edges)})


def _step(draw: st.DrawFn, lanes: int, known: list[Value], masks: list[Value]) -> None:
    """One vector or mask more, of one or two others, recent ones, so that steps build on them."""
    near = st.integers(max(0, len(known) - 4), len(known) - 1)
    first, second = known[draw(near)], known[draw(near)]
    if draw(any_of(True, False)):
        second = constant(draw(any_of(*NUMBERS)), first.type)
    match draw(st.integers(0, 8)):
        case 0:
            masks.append(_compared(draw(any_of(*PREDICATES)), first, second))
        case 1:
            masks.append(draw(any_of(*BITWISE))(masks[-1], masks[0]))
        case 2:
            known.append(Value(SelectLanesOp(masks[-1].ssa, first.ssa, second.ssa).result))
        case 3:
            known.append(masks[-1].to(first.type))
        case 4:
            known.append(draw(any_of(Value.__lshift__, Value.__rshift__))(first, draw(SHIFTS)))
        case 5:
            known.append((first >> draw(SHIFTS)) * draw(any_of(1, 3, 9, 200)))
        case 6:
            places = [draw(st.integers(0, 2 * lanes - 1)) for _ in range(lanes)]
            known.append(first.shuffle(second, places))
        case _:
            known.append(draw(any_of(*COMBINED))(first, second))


def _compared(predicate: str, first: Value, second: Value) -> Value:
    return Value(CompareLanesOp(Predicate(predicate), first.ssa, second.ssa).result)


def _total(draw: st.DrawFn, vector: Value) -> Value:
    """The sum of all lanes, the halves added first or not."""
    first = halved(Value.__add__, vector) if draw(any_of(True, False)) else vector
    return one_by_one(Value.__add__, first)
