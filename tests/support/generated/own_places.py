"""Arms whose invocations store to and load from places of their own, in branches and loops."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import i8, i16, i32

from support.generated.bound_program import BoundProgram
from support.generated.drawing import any_of, sometimes
from vyre_dialect.builder import Buffer, Value, constant, for_, if_, index, program
from vyre_dialect.ir.types import Access, MemorySpace

INVOCATIONS = 6
ROW = 8
"""Elements of each buffer that an invocation has to itself."""
STATEMENTS = 9
DEPTH = 2
"""Branches and loops in one another."""


@dataclass
class _Body:
    """Builds statements over a private buffer and a row of a global one."""

    draw: st.DrawFn
    i: Value
    data: Buffer
    buffers: list[Buffer]
    indices: list[Value]
    """What places are computed from: small numbers that are never negative."""
    values: list[Value] = field(default_factory=list[Value])

    def place(self, buffer: Buffer) -> Value:
        """Where to access a buffer, at times beyond its end in private memory."""
        one = self.draw(st.sampled_from(self.indices))
        match self.draw(
            any_of("number", "number", "same", "same", "same", "twice", "mask", "split")
        ):
            case "number":
                place = constant(self.draw(any_of(0, 0, 1, 1, 2, ROW)))
            case "same":
                place = one
            case "twice":
                place = one * 2 + self.draw(st.integers(0, 1))
            case "mask":
                place = (one & self.draw(any_of(1, 2, 3, 6))) + self.draw(st.integers(0, 3))
            case _:
                place = one // 4 * 4 + one % 4
        if buffer is self.buffers[0]:
            return place
        return self.i * ROW + place.min(ROW - 4)  # a word, too, stays in the row

    def statement(self, depth: int) -> None:
        """A store of something new or loaded, or a branch or loop with more of them."""
        buffer = self.draw(st.sampled_from(self.buffers))
        kind = self.draw(any_of("store", "store", "copy", "copy", "copy", "if", "for"))
        if kind == "if" and depth:
            self.branch(depth - 1)
        elif kind == "for" and depth:
            begin, trips = self.draw(st.integers(0, 2)), self.draw(any_of(0, 1, 2, 2, 3))
            with for_(begin, begin + trips) as loop:
                self.inside(depth - 1, loop.counter)
        elif kind == "copy":
            self.values.append(buffer[self.place(buffer)].to(i32) * 3 + 1)
            self.store(self.buffers[0])
        else:
            self.store(buffer)

    def store(self, buffer: Buffer) -> None:
        """Store one element, or four as a word."""
        value = self.draw(st.sampled_from(self.values[-2:]))
        wide = self.draw(sometimes(10))
        buffer.store(value if wide else value.to(i8), self.place(buffer))

    def branch(self, depth: int) -> None:
        """A branch by the invocation or by the data, with or without another side."""
        chosen = self.draw(st.sampled_from([*self.indices, self.data[self.i].to(index)]))
        limit = self.draw(st.integers(0, 6))
        with if_(chosen.compare(self.draw(any_of("slt", "sge", "eq")), limit)) as branch:
            self.inside(depth)
        if self.draw(sometimes(50)):
            with branch.else_():
                self.inside(depth)

    def inside(self, depth: int, *counters: Value) -> None:
        """Statements whose values nobody sees outside."""
        indices, values = list(self.indices), list(self.values)
        self.indices += counters
        for _ in range(self.draw(st.integers(1, 4))):
            self.statement(depth)
        self.indices, self.values = indices, values


@st.composite
def own_places(draw: st.DrawFn) -> BoundProgram:
    """Some statements, and loads of all that they may have stored."""
    with program("own") as p:
        data = p.buffer("data", i16, INVOCATIONS, access=Access.READ_ONLY)
        rows = p.buffer("rows", i8, INVOCATIONS * ROW, live_out=True)
        out = p.buffer("out", i32, INVOCATIONS * ROW, live_out=True)
        own = p.buffer("own", i8, ROW, memory_space=MemorySpace.PRIVATE)
        with p.arm("own", INVOCATIONS) as i:
            for each in range(0, ROW, 4):
                own.store(constant(0, i32), each)
            numbers = [data[i].to(i32), constant(-2, i32), constant(0x01020304, i32)]
            body = _Body(draw, i, data, [own, own, rows], [i % 2], numbers)
            for _ in range(STATEMENTS):
                body.statement(DEPTH)
            with for_(0, ROW) as loop:
                out[i * ROW + loop.counter] = own[loop.counter].to(i32) + body.values[-1]
    read = draw(st.lists(st.integers(0, 7), min_size=INVOCATIONS, max_size=INVOCATIONS))
    return BoundProgram(p.module, {"data": np.array(read, np.uint16)})
