"""What the pass claims of an access is true whenever the access happens."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, UnitAttr, VectorType, i8, i16, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import (
    Buffer,
    Program,
    Value,
    constant,
    for_,
    if_,
    index,
    invocation_id,
    local_id,
    program,
    workgroup_id,
)
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

PIPELINE = "vyre-outline-kernels,vyre-prove-accesses"
CONTEXT = make_context()
TYPES: tuple[Attribute, ...] = (i8, i16, i32, VectorType(i32, [4]))
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FACTORS = (1, 2, 3, 4, 8, 16)
MAX_DEPTH = 2


class Body:
    """Builds random index arithmetic, guards, loops and accesses into an arm."""

    def __init__(self, draw: st.DrawFn, buffers: list[Buffer], data: Buffer):
        self.draw, self.buffers, self.data = draw, buffers, data

    def any_of(self, values: list[Value]) -> Value:
        return self.draw(st.sampled_from(values))

    def number(self) -> Value:
        small = st.integers(-3, 40)
        extreme = st.sampled_from([2**63 - 1, -(2**63), 2**62, 2**32])
        return constant(self.draw(small | small | small | extreme))

    def compute(self, values: list[Value]) -> Value:
        a, b = self.any_of(values), self.any_of(values)
        factor = self.draw(st.sampled_from(FACTORS))
        choices: list[Callable[[], Value]] = [
            lambda: a + b,
            lambda: a - b,
            lambda: a * factor,
            lambda: a // factor,
            lambda: a % factor,
            lambda: a.ceildiv(factor),
            lambda: a & (factor - 1),
            lambda: a & -factor,
            lambda: a << (factor & 7),
            lambda: a >> (factor & 7),
            lambda: a.min(b),
            lambda: a.max(b),
            lambda: self.condition(values).select(a, b),
            self.number,
        ]
        return self.draw(st.sampled_from(choices))()

    def condition(self, values: list[Value]) -> Value:
        single = self.any_of(values).compare(
            self.draw(st.sampled_from(PREDICATES)), self.any_of(values)
        )
        match self.draw(st.integers(0, 5)):
            case 0:
                return single & self.condition(values)
            case 1:
                return single | self.condition(values)
            case 2:
                return ~single
            case _:
                return single

    def access(self, values: list[Value]) -> None:
        buffer = self.draw(st.sampled_from(self.buffers))
        buffer.load(self.any_of(values), self.draw(st.sampled_from(TYPES)))

    def run(self, values: list[Value], depth: int = 0) -> None:
        values = list(values)
        for _ in range(self.draw(st.integers(1, 4))):
            values.append(self.compute(values))
            self.access(values)
            if depth < MAX_DEPTH:
                self.structure(values, depth)

    def structure(self, values: list[Value], depth: int) -> None:
        match self.draw(st.integers(0, 4)):
            case 3 | 4:
                with if_(self.condition(values)) as branch:
                    self.run(values, depth + 1)
                with branch.else_():
                    self.run(values, depth + 1)
            case 2:
                # A loop of a few iterations, wherever it starts.
                begin = self.any_of(values) % 64
                end = self.any_of(values).min(begin + 8)
                with for_(begin, end, self.draw(st.sampled_from((1, 2, 3, 4)))) as loop:
                    self.run([*values, loop.counter], depth + 1)
            case _:
                return


@st.composite
def programs(draw: st.DrawFn) -> ModuleOp:
    with program("random", workgroup_size=[draw(st.sampled_from([1, 4, 8]))]) as p:
        first = p.buffer("first", i8, access=Access.READ_ONLY)
        data = p.buffer("data", i64, 16, access=Access.READ_ONLY)
        size = _size(draw, first.length)
        sized = p.buffer("sized", i8, size)
        fixed = p.buffer("fixed", i8, draw(st.sampled_from([16, 60, 64])))
        counts = [draw(st.integers(1, 70)), first.length.max(1), (first.length // 16).max(1)]
        _arm(draw, p, draw(st.sampled_from(counts)), [first, sized, fixed], data)
    return p.module


def _size(draw: st.DrawFn, length: Value) -> Value:
    return draw(st.sampled_from([length, length // 4 * 3, length * 2, (length + 15) // 16 * 16]))


def _arm(
    draw: st.DrawFn, p: Program, count: int | Value, buffers: list[Buffer], data: Buffer
) -> None:
    with p.arm("random", count) as i:
        values = [i, *(buffer.length for buffer in buffers), constant(0)]
        values.append(data[i % 16].to(index, signed=True))
        Body(draw, buffers, data).run(values)


INPUTS = {
    "data": np.array([0, 1, 2, -1, 5, 63, 64, 2**63 - 1, -(2**63), 2**62, 16, 3, 9, 31, 47, -4]),
}


@given(programs(), st.integers(0, 50))
def test_no_claim_is_false(module: ModuleOp, length: int):
    """The interpreter fails on an access that is not what it is marked as."""
    apply_pipeline(module, PIPELINE, CONTEXT)
    interpret(module, INPUTS | {"first": np.arange(length, dtype=np.uint8)})


def test_the_interpreter_notices_a_false_claim():
    with program("false") as p:
        values = p.buffer("values", i8, 3)
        with p.arm("read", 4) as i:
            _ = values[i]
    apply_pipeline(p.module, PIPELINE, CONTEXT)
    (load,) = (op for op in p.module.walk() if isinstance(op, LoadOp))
    assert load.in_bounds is None
    load.in_bounds = UnitAttr()
    with pytest.raises(VyreError, match="marked in_bounds"):
        interpret(p.module, {})


def test_every_access_of_a_plain_map_is_proven():
    """A map over a buffer into one of the same size needs no checks at all."""
    with program("map") as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        target = p.buffer("target", i32, source.length, live_out=True)
        with p.arm("map", source.length) as i:
            target[i] = source[i] + 1
    apply_pipeline(p.module, PIPELINE, CONTEXT)
    accesses = [op for op in p.module.walk() if isinstance(op, LoadOp | StoreOp)]
    assert [op.in_bounds is not None for op in accesses] == [True, True]


def test_ids_of_a_cooperative_arm_are_bound_by_its_launch():
    with program("cooperative", workgroup_size=[8]) as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        with p.arm("copy", source.length):
            place = workgroup_id() * 8 + local_id()
            _ = source[place], source[invocation_id()], source[place + 1]
    apply_pipeline(p.module, PIPELINE, CONTEXT)
    assert any(isinstance(op, LaunchOp) for op in p.module.walk())
    loads = [op for op in p.module.walk() if isinstance(op, LoadOp)]
    assert [op.in_bounds is not None for op in loads] == [True, True, False]
