"""What a lane computes again is little, however much it may be made of."""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from vyre_dialect.builder import constant, if_, index, program
from vyre_dialect.ir.types import Access
from vyre_dialect.passes.loop.vectorize import VectorizePass
from vyre_dialect.runtime.program.compilation import make_context

LENGTH = 3000
"""Ops, of which each takes what the one before made: more than Python's stack has frames."""


def test_a_long_chain_of_integers_is_taken_out_of_a_vector() -> None:
    with program("long") as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        out = p.buffer("out", i32, data.length, live_out=True)
        with p.arm("chain", data.length) as i:
            value = first = data[i]
            for number in range(LENGTH):
                value = value * 77 if number % 2 else value ^ constant(number, i32)
            with if_(first.eq(0)):
                out[value.to(index)] = value
    VectorizePass(lanes=4).apply(make_context(), p.module)
    p.module.verify()
    assert "[%lane] : i32 from vector<4xi32>" in str(p.module)
