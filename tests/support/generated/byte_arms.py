"""Decoders and scanners as users write them, byte by byte: of any length, with neighbours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import i8, i32, i64

from support.generated.bound_program import BoundProgram
from support.generated.drawing import any_of, sometimes
from vyre_dialect.builder import Buffer, if_, invocation_id, program
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.types import Access, AtomicKind, Initial

LENGTHS = (0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 191, 640, 1000, 8191, 8192, 8300, 20001)
"""Around lanes, tiles in a cache, and what several invocations do."""
NUMBERS = st.sampled_from([0, 1, 9, 10, 32, 97, 127, 128, 200, 255])
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sgt")
COMBINED: tuple[Callable[[Value, Value], Value], ...] = (
    *(Value.__add__, Value.__sub__, Value.__and__, Value.__or__, Value.__xor__),
    *(Value.min, Value.max, Value.minsi, Value.maxsi),
)
STEPS = 5
MOST_ARMS = 3


@st.composite
def byte_arms(draw: st.DrawFn, lengths: tuple[int, ...] = LENGTHS) -> BoundProgram:
    """Up to three arms that decode bytes, and one or two that scan what comes of it."""
    size = draw(st.sampled_from(lengths))
    with program("bytes") as p:
        encoded = p.buffer("encoded", i8, access=Access.READ_ONLY)
        n, read = encoded.length, encoded
        for number in range(draw(st.integers(0, MOST_ARMS))):
            initial = draw(any_of(Initial.UNDEFINED, None))
            decoded = p.buffer(f"decoded{number}", i8, n, initial=initial)
            with p.arm(f"decode{number}", n):
                i = invocation_id()
                decoded[i] = _computed(draw, _taken(draw, read, i))
            read = decoded
        for number in range(draw(st.integers(1, 2))):
            count = p.buffer(f"count{number}", i32, 1, live_out=True)
            total = p.buffer(f"total{number}", i64, 1, live_out=True)
            first = p.buffer(f"first{number}", i32, 1, live_out=True)
            out = p.buffer(f"out{number}", i8, n, live_out=True)
            with p.arm(f"scan{number}", n):
                i = invocation_id()
                known = _taken(draw, read, i)
                _scan(draw, known, i, (count, total, first, out))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    data = random.integers(0, 256, size, dtype=np.uint8)
    if draw(sometimes(30)):
        data[:] = draw(NUMBERS)
    return BoundProgram(p.module, {"encoded": data})


def _taken(draw: st.DrawFn, read: Buffer, i: Value) -> list[Value]:
    """A byte, and perhaps neighbours of it, those beyond the ends being zero."""
    known = [read[i]]
    for _ in range(draw(any_of(0, 0, 1, 2))):
        known.append(read[i + draw(any_of(-3, -1, 1, 2, 16))])
    return known


def _computed(draw: st.DrawFn, known: list[Value]) -> Value:
    for _ in range(draw(st.integers(0, STEPS))):
        first, second = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        match draw(st.integers(0, 4)):
            case 0:
                known.append(draw(st.sampled_from(COMBINED))(first, second))
            case 1:
                known.append(first ^ draw(NUMBERS))
            case 2:
                known.append(first + draw(NUMBERS))
            case 3:
                known.append(draw(any_of(Value.__lshift__, Value.__rshift__))(first, 3))
            case _:
                known.append(_holds(draw, first).select(second, first))
    return known[-1]


def _holds(draw: st.DrawFn, value: Value) -> Value:
    return value.compare(draw(st.sampled_from(PREDICATES)), draw(NUMBERS))


def _scan(draw: st.DrawFn, known: list[Value], i: Value, results: tuple[Buffer, ...]) -> None:
    """What is counted, summed up, found first and stored."""
    count, total, first, out = results
    value = _computed(draw, known)
    holds = _holds(draw, value)
    if draw(sometimes(50)):
        holds = holds & _holds(draw, draw(st.sampled_from(known)))
    ways = draw(st.sets(st.integers(0, 4), min_size=1))
    if 0 in ways:
        count.atomic(AtomicKind.ADDI, holds.to(i32))
    if 1 in ways:
        total.atomic(AtomicKind.ADDI, value.to(i64))
    if 2 in ways:
        with if_(holds):
            first.atomic(AtomicKind.MAXU, i.to(i32))
    if 3 in ways:
        with if_(_holds(draw, value)):
            count.atomic(AtomicKind.ADDI, draw(any_of(1, 3, 300)))
    if 4 in ways:
        out[i] = value
