"""Lanes of vectors combined: by halves, or in their order."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import VectorType, i32

from vyre_dialect.builder import Value, program
from vyre_dialect.ir.types import Access, lane_count
from vyre_dialect.passes.rewriting.reductions import halved, one_by_one, reduction
from vyre_dialect.runtime.interpreter import interpret


@pytest.mark.parametrize("lanes", [2, 3, 4, 6, 8, 16, 24])
def test_all_lanes_are_combined(lanes: int) -> None:
    with program("lanes") as p:
        data = p.buffer("data", i32, lanes, access=Access.READ_ONLY)
        out = p.buffer("out", i32, 3, live_out=True)
        with p.arm("combine", 1) as i:
            vector = data.load(i, VectorType(i32, [lanes]))
            out[0] = reduction(Value.__add__, vector)
            out[1] = one_by_one(Value.maxsi, halved(Value.maxsi, vector))
            out[2] = one_by_one(Value.__sub__, vector)
    numbers = np.arange(lanes, dtype=np.int32) ** 2 - 7
    first, *others = numbers.tolist()
    assert list(interpret(p.module, {"data": numbers}).outputs["out"]) == [
        numbers.sum(),
        numbers.max(),
        first - sum(others),
    ]


@pytest.mark.parametrize(
    ("lanes", "down_to", "left"), [(16, 2, 2), (16, 1, 1), (2, 2, 2), (12, 2, 3), (3, 1, 3)]
)
def test_halves_are_combined_as_long_as_there_are_any(lanes: int, down_to: int, left: int) -> None:
    with program("halves") as p:
        data = p.buffer("data", i32, lanes, access=Access.READ_ONLY)
        with p.arm("combine", 1) as i:
            vector = data.load(i, VectorType(i32, [lanes]))
            assert lane_count(halved(Value.__add__, vector, down_to).type) == left
