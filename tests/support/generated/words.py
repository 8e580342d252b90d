"""Words that shifts, masks, shuffles, sums and ors make of others, as arms that store them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, VectorType, i32

from support.generated.drawing import ShownAsText, any_of
from vyre_dialect.builder import program
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.types import Access
from vyre_dialect.runtime.interpreter.arrays import Array

ROWS = 8
LANES = 4
MASKS = (0xFF, 0xFF00, 0xFFFF, 0xFF0000, 0xFFFFFF, 0x00FF00FF, 0xFF000000, 0x0F0F0F0F, 0xFFFF0000)
SHIFTS = (8, 16, 24, 8, 16, 24, 4, 12)
STEPS = 12

Draw = Callable[[st.SearchStrategy[int]], int]


@dataclass(frozen=True)
class Words(ShownAsText):
    """A program that stores words, and what it reads."""

    module: ModuleOp
    inputs: dict[str, Array]


@st.composite
def words(draw: Draw) -> Words:
    """Words of lanes that were loaded, most of which only move bytes."""
    numbers = np.random.default_rng(draw(st.integers(0, 99)))
    type = VectorType(i32, [LANES])
    with program("words") as p:
        source = p.buffer("source", i32, ROWS * LANES, access=Access.READ_ONLY)
        count = draw(st.integers(1, 4))
        out = p.buffer("out", i32, ROWS * count, live_out=True)
        with p.arm("words", ROWS) as row:
            vectors = [source.load(row * LANES, type)]
            vectors.append(_moved(draw, vectors))
            scalars = [vectors[draw(any_of(0, 1))].lane(lane) for lane in range(LANES)]
            for _ in range(draw(st.integers(1, STEPS))):
                scalars.append(_moved(draw, scalars))
            for number, word in enumerate(scalars[-count:]):
                out[row * count + number] = word
    inputs = {"source": numbers.integers(0, 1 << 32, ROWS * LANES, dtype=np.uint32)}
    return Words(p.module, inputs)


def _moved(draw: Draw, known: list[Value]) -> Value:
    """One step further: a word or vector that is made of one or two others."""
    # Of recent ones rather, so that steps build on each other.
    near = st.integers(max(0, len(known) - 5), len(known) - 1)
    first, second = known[draw(near)], known[draw(near)]
    match draw(st.integers(0, 6)):
        case 0:
            return first & draw(any_of(*MASKS))
        case 1:
            return first << draw(any_of(*SHIFTS))
        case 2:
            return first >> draw(any_of(*SHIFTS))
        case 3:
            return first << 8 * draw(any_of(1, 2, 3)) | second >> 8 * draw(any_of(1, 2, 3))
        case 4:
            mask = draw(any_of(*MASKS))
            return (first & mask) + (second & ~mask)
        case 5 if isinstance(first.type, VectorType):
            return first.shuffle(
                second, [draw(st.integers(0, 2 * LANES - 1)) for _ in range(LANES)]
            )
        case _:
            return first | second
