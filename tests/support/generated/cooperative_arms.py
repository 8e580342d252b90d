"""
Drawn cooperative arms: workgroups exchange values through a tile, in branches and loops that they
go through together, and what an invocation knows is needed behind barriers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod

import numpy as np
from hypothesis import strategies as st
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, VectorType, i1, i8, i32, i64
from xdsl.ir import Attribute, Block, Region

from support.generated.bound_program import BoundProgram
from support.generated.drawing import any_of, sometimes
from vyre_dialect.builder import (
    Buffer,
    Value,
    async_copy,
    async_wait,
    barrier,
    constant,
    for_,
    if_,
    index,
    invocation_id,
    local_id,
    program,
    workgroup_id,
)
from vyre_dialect.ir.types import Access, AtomicKind, Axis, MemorySpace
from vyre_dialect.passes.rewriting.whole_workgroups import lane_in

WORKGROUPS = ((4,), (3,), (8,), (2, 3), (2, 1, 2), (1, 4))
TYPES = (i32, i32, i32, index, i8, i1, VectorType(i32, [2]))
OWN = 4
"""Elements of the private buffer."""
OUT = 3
"""Elements of the output that an invocation has to itself."""
MAX_DEPTH = 2
STATEMENTS = 4


@dataclass
class _Body:
    """Builds statements that all invocations of a workgroup run together."""

    draw: st.DrawFn
    workgroup: tuple[int, ...]
    data: Buffer
    tile: Buffer
    own: Buffer
    counts: Buffer
    values: list[Value] = field(default_factory=list[Value])
    """What differs between invocations, of any type."""
    shared: list[Value] = field(default_factory=list[Value])
    """Numbers that a workgroup agrees on."""

    @property
    def lanes(self) -> int:
        """Invocations of a workgroup."""
        return prod(self.workgroup)

    def chance(self, percent: int) -> bool:
        """Whether something is done that is done in so many of 100 draws."""
        return self.draw(sometimes(percent))

    def value(self) -> Value:
        """Something that an invocation knows, as a word."""
        return as_word(self.draw(st.sampled_from(self.values)))

    def number(self) -> Value:
        """Something that a workgroup agrees on, an index."""
        return self.draw(st.sampled_from([*self.shared, constant(self.draw(st.integers(0, 3)))]))

    def lane(self) -> Value:
        """The number of the invocation in its workgroup."""
        return lane_in(self.workgroup)

    # Statements.

    def run(self, depth: int = 0) -> None:
        """Some statements, whose values are known to each other."""
        steps: list[Callable[[int], None]] = [
            *(self.compute, self.exchange, self.exchange, self.remember, self.recall),
            *(self.sweep, self.count, self.copy, self.diverge, self.update),
        ]
        if depth < MAX_DEPTH:
            steps += [self.loop, self.loop, self.branch, self.switch]
        for _ in range(self.draw(st.integers(1, STATEMENTS))):
            self.draw(st.sampled_from(steps))(depth + 1)

    def compute(self, depth: int) -> None:
        """A value of any type, of others or of the input."""
        axis = self.draw(st.sampled_from(tuple(Axis)[: len(self.workgroup)]))
        word = self.value() + self.draw(st.integers(-3, 3))
        match self.draw(any_of("value", "value", "load", "id", "far", "shared", "long")):
            case "load":
                word = self.data[invocation_id(axis) + self.draw(st.integers(0, 2))] ^ word
            case "id":
                word = (local_id(axis) * 3 + invocation_id(axis)).to(i32) - 7
            case "far":
                word = self.data[(word & 15).to(index)]
            case "shared":
                word = word * self.data[self.number()] - self.number().to(i32)
            case "long":
                for _ in range(10):
                    word = word * 5 + self.lane().to(i32)
            case _:
                pass
        self.values.append(as_type(word, self.draw(st.sampled_from(TYPES))))

    def exchange(self, depth: int) -> None:
        """What another invocation knows."""
        lane, word = self.lane(), self.value()
        barrier(self.draw(any_of(None, MemorySpace.WORKGROUP)))
        self.tile[self.lanes - 1 - lane] = word
        barrier()
        taken = self.tile[(lane + self.draw(st.integers(0, 3))) % self.lanes]
        self.values.append(taken if self.chance(50) else taken + self.tile[self.number()])
        barrier()

    def remember(self, depth: int) -> None:
        """A store to private memory."""
        place = self.draw(any_of(constant(1), self.number() & (OWN - 1), self.lane() & (OWN - 1)))
        self.own[place] = self.value()

    def recall(self, depth: int) -> None:
        """A load from private memory."""
        place = self.draw(any_of(constant(1), constant(2), self.lane() & (OWN - 1)))
        self.values.append(self.own[place])

    def sweep(self, depth: int) -> None:
        """Stores to the tile by turns."""
        lane, offset = self.lane(), self.number() & 3
        begin = lane + offset if self.chance(30) else lane
        word, own = self.number().to(i32), self.value()
        barrier()
        with for_(begin, self.tile.length, self.lanes) as loop:
            stored = loop.counter.to(i32) * 3 + word
            self.tile[loop.counter] = stored ^ own if self.chance(20) else stored
            if self.chance(30):
                self.counts.atomic(AtomicKind.ADDI, 1, loop.counter)
        barrier()
        self.values.append(self.tile[lane + 1])
        barrier()

    def count(self, depth: int) -> None:
        """Atomic updates of the tile."""
        lane, word = self.lane(), self.value()
        kind = self.draw(st.sampled_from(AtomicKind))
        barrier()
        with for_(lane, self.tile.length, self.lanes) as loop:
            self.tile[loop.counter] = 5
        barrier()
        if self.chance(50):
            kind = AtomicKind.ADDI if kind == AtomicKind.ASSIGN else kind
            self.tile.atomic(kind, word, (word & 15).to(index) - 1)
        elif self.chance(50):
            self.values.append(self.tile.atomic(kind, word, lane))
        else:
            self.values.append(self.tile.compare_and_swap(word & 7, word, lane))
        barrier()
        self.values.append(self.tile[lane] + self.tile[constant(0)])
        barrier()

    def copy(self, depth: int) -> None:
        """A part of the input in the tile."""
        count, begin = self.number(), self.number()
        barrier()
        self.tile[self.lane()] = constant(1, i32)
        barrier()
        async_wait(async_copy(self.data, begin * 2 - 1, self.tile, count & 1, count))
        self.values.append(self.tile[self.lane()])
        barrier()

    def diverge(self, depth: int) -> None:
        """A branch or loop that invocations go through differently."""
        word = self.value()
        if self.chance(50):
            with if_(word < 100) as branch:
                self.own[0] = word
                branch.yields(word + 1)
            with branch.else_():
                branch.yields(self.value())
            self.values.append(branch.results[0])
            return
        with for_(0, (word & 3).to(index), carry=[word]) as loop:
            loop.yields(loop.carried[0] * 3 + loop.counter.to(i32))
        self.values.append(loop.results[0])

    def update(self, depth: int) -> None:
        """An update of global memory."""
        self.counts.atomic(AtomicKind.ADDI, self.value() & 3, (self.value() & 7).to(index))

    # What a workgroup goes through together.

    def inside(self, depth: int, *shared: Value) -> None:
        """Statements whose values nobody sees outside; a word of them is the last one."""
        values, known = list(self.values), list(self.shared)
        self.shared += shared
        self.run(depth)
        self._last = self.value()
        self.values, self.shared = values, known

    def loop(self, depth: int) -> None:
        """A loop that carries what differs and what does not, which may trade places."""
        carried = [self.value(), as_type(self.value(), index), self.number()]
        end = self.number() & 3 if self.chance(50) else constant(2)
        trade = self.chance(40)
        with for_(0, end, carry=carried) as loop:
            word, other, number = loop.carried
            self.values += [word, other]
            self.inside(depth, loop.counter, number)
            del self.values[-2:]
            last = other.to(i32) if trade else self._last
            following = word.to(index) if trade else other + 1
            loop.yields(last, following, number + 2)
        word, other, number = loop.results
        self.values += [word, other]
        self.shared.append(number)

    def branch(self, depth: int) -> None:
        """A branch on what the workgroup agrees on."""
        other, yields = self.value(), self.chance(60)
        with if_((self.number() & 1).eq(0)) as branch:
            self.inside(depth)
            if yields:
                branch.yields(self._last, self.number())
        if not yields:
            return
        with branch.else_():
            if self.chance(50):
                self.inside(depth)
            branch.yields(other, constant(1))
        self.values.append(branch.results[0])
        self.shared.append(branch.results[1])

    def switch(self, depth: int) -> None:
        """One of three regions, by what the workgroup agrees on."""
        regions = list[Region]()
        for _ in range(3):
            block = Block()
            with ImplicitBuilder(block):
                self.inside(depth)
                scf.YieldOp(self._last.ssa)
            regions.append(Region(block))
        cases = DenseArrayBase.from_list(i64, [0, 1])
        op = scf.IndexSwitchOp((self.number() & 3).ssa, cases, regions[0], regions[1:], [i32])
        self.values.append(Value(op.results[0]))


def as_word(value: Value) -> Value:
    """An i32 made of a value of any type."""
    if isinstance(value.type, VectorType):
        return value.lane(0) * 3 + value.lane(1)
    if value.type == i1:
        return value.select(constant(3, i32), constant(8, i32))
    return value.to(i32)


def as_type(word: Value, type: Attribute) -> Value:
    """A value of a type made of an i32."""
    if isinstance(type, VectorType):
        return word.broadcast(2).with_lane(1, word >> 1)
    if type == i1:
        return (word & 4).eq(0)
    return word.to(type, signed=isinstance(type, IntegerType))


@st.composite
def cooperative_arms(draw: st.DrawFn) -> BoundProgram:
    """Programs of one arm that exchanges values in workgroups of some shape."""
    workgroup = draw(st.sampled_from(WORKGROUPS))
    lanes = prod(workgroup)
    groups = [draw(any_of(1, 2, 3)), *([draw(any_of(1, 2))] * (len(workgroup) - 1))]
    shape = [count * size for count, size in zip(groups, workgroup, strict=True)]
    with program("cooperative", workgroup_size=workgroup) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        out = p.buffer("out", i32, prod(shape) * OUT, live_out=True)
        counts = p.buffer("counts", i32, 8, live_out=True)
        tile = p.buffer("tile", i32, 2 * lanes + 1, memory_space=MemorySpace.WORKGROUP)
        own = p.buffer("own", i32, OWN, memory_space=MemorySpace.PRIVATE)
        domain: list[Value | int] = list(shape)
        if draw(sometimes(30)):
            domain[0] = (data.length >> 20) + shape[0]
        with p.arm("exchange", domain):
            body = _Body(draw, workgroup, data, tile, own, counts)
            for each in range(OWN):
                own[each] = each
            with for_(body.lane(), tile.length, lanes) as loop:
                tile[loop.counter] = 0
            body.values = [body.lane(), body.lane().to(i32) + 1]
            body.shared = [workgroup_id(), data.length]
            body.run()
            place = _number_in(shape) * OUT
            for each, value in enumerate(draw(st.permutations(body.values))[:OUT]):
                out[place + each] = as_word(value)
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    inputs = {"data": random.integers(0, 300, draw(st.integers(1, 30))).astype(np.int32)}
    return BoundProgram(p.module, inputs)


def _number_in(shape: list[int]) -> Value:
    """The number of the invocation in a domain."""
    number = invocation_id(tuple(Axis)[len(shape) - 1])
    for axis, size in reversed(list(zip(Axis, shape[:-1], strict=False))):
        number = number * size + invocation_id(axis)
    return number
