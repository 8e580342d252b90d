"""What ranges say of operands changes no result, whatever their type and signs are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import SSAValue

from vyre_dialect.builder import Value, program
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
LANES = 4
TYPES = (i8, i32, IndexType())
OPS = (
    *(arith.MinUIOp, arith.MaxUIOp, arith.MinSIOp, arith.MaxSIOp),
    *(arith.DivUIOp, arith.DivSIOp, arith.RemUIOp, arith.RemSIOp),
    *(arith.CeilDivUIOp, arith.CeilDivSIOp, arith.FloorDivSIOp),
    *(arith.AddiOp, arith.AndIOp, arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp),
)


@st.composite
def lanes_of(draw: st.DrawFn) -> list[int]:
    """Numbers close to each other, so that ranges decide, on either side of zero."""
    middle = draw(st.sampled_from((-5, -1, 0, 2, 7)))
    return draw(st.lists(st.integers(middle - 2, middle + 2), min_size=LANES, max_size=LANES))


def constant(type: IndexType | IntegerType, numbers: list[int]) -> SSAValue:
    vector = VectorType(type, [LANES])
    inside = numbers if isinstance(type, IndexType) else [n % 2**type.width.data for n in numbers]
    return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(vector, inside)).result


@pytest.mark.one_in(3)
@pytest.mark.parametrize("type", TYPES, ids=str)
@given(left=lanes_of(), right=lanes_of())
def test_lanes_are_what_they_were(
    type: IndexType | IntegerType, left: list[int], right: list[int]
) -> None:
    with program("lanes") as p:
        out = p.buffer("out", i64, len(OPS) * LANES, live_out=True)
        with p.arm("lanes", 1):
            operands = constant(type, left), constant(type, right)
            for number, op in enumerate(OPS):
                computed = Value(op(*operands).result)
                for lane in range(LANES):
                    out[number * LANES + lane] = computed.lane(lane).to(i64)
    expected = interpret(p.module, {}).outputs["out"]
    apply_pipeline(p.module, "vyre-optimize-integers", CONTEXT)
    assert np.array_equal(interpret(p.module, {}).outputs["out"], expected)
