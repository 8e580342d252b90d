"""
Drawn programs of one arm whose invocations update shared elements: at fixed places, at places of
their own and at those that the data choose, in branches, loops and between barriers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from hypothesis import strategies as st
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32, i64
from xdsl.ir import Block, Region

from support.generated.bound_program import BoundProgram
from support.generated.drawing import any_of, sometimes
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
    local_id,
    program,
    while_,
    workgroup_id,
)
from vyre_dialect.ir.types import Access, AtomicKind, Axis, MemorySpace
from vyre_dialect.passes.rewriting.whole_workgroups import lane_in

KINDS = tuple(kind for kind in AtomicKind if kind != AtomicKind.ASSIGN)
WORKGROUPS = ((4,), (1,), (3,), (8,), (2, 3), (4, 1, 2), (6,))
MAX_DEPTH = 3


@dataclass(frozen=True)
class Counter:
    """A buffer that invocations update by one kind of atomic."""

    buffer: Buffer
    kind: AtomicKind


class Body:
    """Builds updates, and what decides on them, into an arm."""

    def __init__(
        self, draw: st.DrawFn, data: Buffer, counters: list[Counter], workgroup: tuple[int, ...]
    ):
        self.draw, self.data, self.counters = draw, data, counters
        self.workgroup = workgroup
        self.axes = tuple(Axis)[: len(workgroup)]

    def number(self, values: list[Value], *, cooperative: bool) -> Value:
        """A number of an invocation."""
        axis = self.draw(st.sampled_from(self.axes))
        choices = [
            lambda: constant(self.draw(any_of(0, 1, 2, 5, -1, 300))),
            lambda: self.data.length % 3,
            lambda: invocation_id(axis),
            lambda: invocation_id(axis) % 3,
            lambda: self.data[invocation_id(axis) + self.draw(any_of(0, 1, 40))].to(index),
            lambda: self.data[self.draw(st.sampled_from(values)) % 7].to(index) % 4,
            lambda: self.draw(st.sampled_from(values)),
        ]
        if cooperative:
            choices += [lambda: local_id(axis), lambda: workgroup_id(axis), lambda: workgroup_id()]
        return self.draw(st.sampled_from(choices))()

    def update(self, values: list[Value], *, cooperative: bool) -> None:
        """Update an element by a number."""
        counter = self.draw(st.sampled_from(self.counters))
        index = self.number(values, cooperative=cooperative)
        value = self.number(values, cooperative=cooperative)
        counter.buffer.atomic(
            counter.kind, value.to(counter.buffer.type.element_type, signed=True), index
        )

    def run(self, values: list[Value], depth: int = 0, *, cooperative: bool) -> None:
        """Some updates, on one path or another."""
        for _ in range(self.draw(any_of(1, 1, 2))):
            kinds = ["update", "update", "if", "for", "while", "switch"]
            kind = self.draw(st.sampled_from(kinds)) if depth < MAX_DEPTH else "update"
            values = [*values, self.number(values, cooperative=cooperative)]
            inner = depth + 1
            match kind:
                case "if":
                    with if_(values[-1] < self.draw(any_of(1, 2, 0, 100))) as branch:
                        self.run(values, inner, cooperative=cooperative)
                    if self.draw(sometimes(40)):
                        with branch.else_():
                            self.run(values, inner, cooperative=cooperative)
                case "for":
                    end = constant(3) if self.draw(st.booleans()) else values[-1].min(3)
                    with for_(0, end, carry=[values[-1]]) as loop:
                        numbers = [*values, loop.counter, loop.carried[0]]
                        self.run(numbers, inner, cooperative=cooperative)
                        loop.yields(loop.carried[0] + 1)
                    values = [*values, loop.results[0]]
                case "while":
                    with while_(lambda left: left > 0, carry=[(values[-1] & 3)]) as loop:
                        self.run([*values, loop.carried[0]], inner, cooperative=cooperative)
                        loop.yields(loop.carried[0] - 1)
                case "switch":
                    self.switch(values, inner, cooperative=cooperative)
                case _:
                    self.update(values, cooperative=cooperative)

    def switch(self, values: list[Value], depth: int, *, cooperative: bool) -> None:
        """Updates in one of three regions."""
        regions = list[Region]()
        for _ in range(3):
            block = Block()
            with ImplicitBuilder(block):
                self.run(values, depth, cooperative=cooperative)
                scf.YieldOp()
            regions.append(Region(block))
        cases = DenseArrayBase.from_list(i64, [0, 1])
        scf.IndexSwitchOp((values[-1] % 3).ssa, cases, regions[0], regions[1:], [])


def _counters(draw: st.DrawFn, p: Program) -> list[Counter]:
    counters = list[Counter]()
    for number in range(draw(any_of(1, 2, 3))):
        kind = draw(st.sampled_from(KINDS))
        # Without 64-bit atomics a device adds halves; minima and maxima it cannot.
        halves = kind in (AtomicKind.ADDI, AtomicKind.ANDI, AtomicKind.ORI, AtomicKind.XORI)
        type: IntegerType = draw(any_of(i32, i32, i64)) if halves else i32
        count = draw(any_of(1, 3, 8, 37))
        fill = draw(any_of(0, -1, 5))
        buffer = p.buffer(f"counter{number}", type, count, live_out=True, fill=fill)
        counters.append(Counter(buffer, kind))
    return counters


@st.composite
def updates(draw: st.DrawFn) -> BoundProgram:
    """Programs of one arm that updates one to three buffers."""
    workgroup = draw(st.sampled_from(WORKGROUPS))
    cooperative = draw(sometimes(40))
    size = draw(st.integers(0, 40))
    with program("updates", workgroup_size=workgroup) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        counters = _counters(draw, p)
        shared = p.buffer("shared", i32, prod(workgroup), memory_space=MemorySpace.WORKGROUP)
        body = Body(draw, data, counters, workgroup)
        domain = _domain(draw, data, workgroup, cooperative=cooperative)
        body.axes = body.axes[: len(domain)]
        with p.arm("update", domain) as ids:
            first = ids[0] % 5
            if cooperative:
                first = _exchanged(shared, workgroup, first)
            body.run([first], cooperative=cooperative)
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    return BoundProgram(p.module, {"data": random.integers(0, 6, size).astype(np.int32)})


def _domain(
    draw: st.DrawFn, data: Buffer, workgroup: tuple[int, ...], *, cooperative: bool
) -> list[Value | int]:
    """Invocations along each axis; as many axes as workgroups have where they cooperate."""
    counts: list[Value | int] = []
    # A domain may have fewer axes than workgroups have.
    axes = len(workgroup) if cooperative else draw(st.integers(1, len(workgroup)))
    for size in workgroup[:axes]:
        first = any_of(None, 5, 11, 1)
        count = draw(any_of(1, 2, 5) if counts else first)
        if not cooperative:
            counts.append(data.length if count is None else count)
        elif count is None:
            counts.append(data.length.ceildiv(size) * size)
        else:
            counts.append(-(-count // size) * size)
    return counts


def _exchanged(shared: Buffer, workgroup: tuple[int, ...], number: Value) -> Value:
    """The number that the next invocation of the workgroup has, through workgroup memory."""
    lane = lane_in(workgroup)
    shared[lane] = number.to(i32)
    barrier()
    return shared[(lane + 1) % prod(workgroup)].to(index)
