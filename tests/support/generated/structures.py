"""Random valid programs, written with the builder: structure, not meaningful work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, VectorType, f32, i1, i8, i16, i32, i64
from xdsl.ir import Attribute

from support.generated.drawing import ShownAsText
from vyre_dialect.builder import (
    Buffer,
    Program,
    Value,
    barrier,
    constant,
    for_,
    if_,
    index,
    invocation_id,
    program,
    while_,
    workgroup_id,
)
from vyre_dialect.ir.types import Access, AtomicKind, Axis, Initial, MemorySpace, accessed_elements

ELEMENTS = (i1, i8, i16, i32, i64, f32, VectorType(i8, [4]), index)
VALUES = (i8, i16, i32, i64, f32, VectorType(i32, [4]))
MAX_DEPTH = 3

Draw = st.DrawFn


def declare(draw: Draw, p: Program, name: str) -> Buffer:
    """A buffer with random, consistent properties."""
    element = draw(st.sampled_from(ELEMENTS))
    space = MemorySpace.GLOBAL if element == index else draw(st.sampled_from(MemorySpace))
    if space != MemorySpace.GLOBAL:
        return p.buffer(name, element, draw(st.integers(1, 512)), memory_space=space)
    count = draw(st.none() | st.integers(1, 1 << 40))
    return p.buffer(
        name,
        element,
        constant(count) if count is not None and draw(st.booleans()) else count,
        access=draw(st.sampled_from(Access)),
        live_out=draw(st.booleans()),
        fill=draw(st.none() | st.just(1)),
    )


def declare_all(draw: Draw, p: Program) -> list[Buffer]:
    """Some random buffers, and those that the rest of the program counts on."""
    buffers = [declare(draw, p, f"b{i}") for i in range(draw(st.integers(0, 4)))]
    table = draw(st.lists(st.integers(0, 255), min_size=1, max_size=9))
    buffers.append(p.buffer("table", i8, contents=table, access=Access.READ_ONLY, binding=0))
    buffers.append(p.buffer("words", i32, buffers[0].length, initial=Initial.UNDEFINED))
    return buffers


class Body:
    """Builds random ops into an arm."""

    def __init__(self, draw: Draw, buffers: list[Buffer], errors: Buffer):
        self.draw, self.buffers, self.errors = draw, buffers, errors

    def of_type(self, values: list[Value], type: Attribute) -> Value:
        """A known value of a type, or a constant."""
        found = [value for value in values if value.type == type]
        if found and self.draw(st.booleans()):
            return self.draw(st.sampled_from(found))
        return constant(self.draw(st.integers(0, 1)), type)

    def run(self, values: list[Value], depth: int = 0) -> None:
        """Some random ops after `values` are known."""
        values = list(values)
        steps: list[Callable[[list[Value], int], Value | None]] = [
            self.load, self.store, self.atomic, self.compute, self.trap, self.identify,
        ]  # fmt: skip
        if depth < MAX_DEPTH:
            steps += [self.branch, self.loop, self.halve]
        for _ in range(self.draw(st.integers(0, 5))):
            made = self.draw(st.sampled_from(steps))(values, depth)
            if made is not None:
                values.append(made)

    def accessed(self, allowed: Callable[[Buffer], bool]) -> tuple[Buffer, Attribute] | None:
        """A buffer and a type that covers whole elements of it."""
        pairs = [
            (buffer, type)
            for buffer in self.buffers
            for type in (*VALUES, buffer.type.element_type)
            if allowed(buffer) and accessed_elements(buffer.type, type) is not None
        ]
        return self.draw(st.sampled_from(pairs)) if pairs else None

    def load(self, values: list[Value], depth: int) -> Value | None:
        access = self.accessed(lambda buffer: buffer.type.readable)
        if access is None:
            return None
        return access[0].load(self.of_type(values, index), access[1])

    def store(self, values: list[Value], depth: int) -> None:
        access = self.accessed(lambda buffer: buffer.type.writable)
        if access is not None:
            access[0].store(self.of_type(values, access[1]), self.of_type(values, index))

    def atomic(self, values: list[Value], depth: int) -> Value:
        words = self.buffers[-1]
        kind = self.draw(st.sampled_from(AtomicKind))
        return words.atomic(kind, self.of_type(values, i32), self.of_type(values, index))

    def compute(self, values: list[Value], depth: int) -> Value:
        value = self.draw(st.sampled_from(values))
        other = self.of_type(values, value.type)
        if self.draw(st.booleans()):
            return value + other
        condition = self.of_type(values, i1)
        return condition.select(value, other)

    def trap(self, values: list[Value], depth: int) -> None:
        self.errors.trap(
            self.draw(st.text(st.characters(max_codepoint=127), max_size=9)),
            self.of_type(values, index),
        )

    def identify(self, values: list[Value], depth: int) -> Value:
        axis = self.draw(st.sampled_from(Axis))
        return self.draw(st.sampled_from([invocation_id, workgroup_id]))(axis)

    def branch(self, values: list[Value], depth: int) -> Value | None:
        yields = self.draw(st.booleans())
        with if_(self.of_type(values, i1)) as branch:
            self.run(values, depth + 1)
            if yields:
                branch.yields(self.of_type(values, i32))
        if not yields and self.draw(st.booleans()):
            return None
        with branch.else_():
            self.run(values, depth + 1)
            if yields:
                branch.yields(self.of_type(values, i32))
        return branch.results[0] if yields else None

    def loop(self, values: list[Value], depth: int) -> Value:
        carried = self.draw(st.sampled_from(values))
        with for_(0, self.of_type(values, index), carry=[carried]) as loop:
            self.run([*values, loop.counter, *loop.carried], depth + 1)
            loop.yields(self.of_type([*values, *loop.carried], carried.type))
        return loop.results[0]

    def halve(self, values: list[Value], depth: int) -> Value:
        with while_(lambda left: left > 1, carry=[self.of_type(values, index)]) as loop:
            self.run([*values, *loop.carried], depth + 1)
            loop.yields(loop.carried[0] // 2)
        return loop.results[0]


@dataclass(frozen=True)
class Example(ShownAsText):
    """A module that shows itself as text where a test fails."""

    module: ModuleOp

    def __repr__(self) -> str:
        return str(self.module)


@st.composite
def programs(draw: Draw) -> Example:
    """Modules of one verified program with random buffers and arms."""
    with program("random", workgroup_size=draw(st.sampled_from([None, [8]]))) as p:
        errors = p.buffer("errors", i32, 1, fill=-1)
        buffers = declare_all(draw, p)
        for number in range(draw(st.integers(0, 3))):
            counts = st.sampled_from([512, buffers[0].length])
            domain = draw(st.lists(counts, min_size=1, max_size=3))
            sizes = draw(st.sampled_from([None, [8, 4, 2][: len(domain)]]))
            with p.arm(f"arm {number}", domain, workgroup_size=sizes) as ids:
                Body(draw, buffers, errors).run([constant(7), *ids])
                if draw(st.booleans()):
                    barrier(draw(st.none() | st.sampled_from(MemorySpace)))
    return Example(p.module)
