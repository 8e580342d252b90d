"""What the gate counts as arithmetic on data."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IntegerType, i8, i64

from benchmarks.gate.arithmetic import data_bits
from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

COUNT = 1000


@pytest.mark.parametrize(
    ("type", "operations", "least", "expected"),
    [
        pytest.param(i8, 1, 8, 8, id="an operation on bytes"),
        pytest.param(i8, 1, 32, 32, id="that takes a whole word"),
        pytest.param(i64, 1, 32, 64, id="or two"),
        pytest.param(i8, 2, 8, 16, id="two operations"),
        pytest.param(i8, 0, 8, 0, id="none"),
    ],
)
def test_each_element_counts(type: IntegerType, operations: int, least: int, expected: int) -> None:
    with program("changed") as p:
        source = p.buffer("source", type, access=Access.READ_ONLY)
        out = p.buffer("out", type, source.length, live_out=True)
        with p.arm("change", source.length) as i:
            value = source[i]
            for _ in range(operations):
                value = value * value
            out[i] = value
    compiled = compile_module(p.module, pipeline=UNFUSED)
    found = data_bits(compiled.program, {"source": COUNT}, least)
    assert found == pytest.approx(expected * COUNT, rel=0.01)
