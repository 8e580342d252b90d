"""
Drawn programs of one arm that writes a handoff and reads it back, legal to promote and
illegal.

What is stored differs from store to store and from invocation to invocation, and depends on
what was read before; the result of an invocation, on everything that it reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32

from support.generated.arms import FILL, TYPES
from support.generated.drawing import any_of, sometimes
from support.generated.places import Index, Size, Touch, Twist
from vyre_dialect.builder import Buffer, Value, barrier, constant, for_, if_, local_id, program
from vyre_dialect.ir.types import Access, Initial, MemorySpace

KEPT = "kept"
"""The handoff of an arm to itself."""


class Act(Enum):
    """What an arm does in one step."""

    STORE = auto()
    LOAD = auto()
    WAIT = auto()
    """A barrier."""


@dataclass(frozen=True)
class Step:
    """One step of an arm."""

    act: Act
    fence: MemorySpace | None = None
    """The only space that a barrier orders, if it does not order all memory."""
    touch: Touch = field(default_factory=lambda: Touch(Index()))
    stride: int = 0
    """How many elements further on each iteration of the loop around it is."""


@dataclass(frozen=True)
class Loop:
    """Steps that are done several times."""

    count: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class OneArm:
    """A program of one arm, for `n` inputs."""

    steps: tuple[Step | Loop, ...]
    invocations: Size | int
    """By the number of inputs, or always so many."""
    size: Size
    """Elements of the handoff."""
    n: int
    workgroup: int = 4
    cooperative: bool = False
    """Whether it depends on its workgroups, also without a barrier."""
    bytes: int = 1
    initial: Initial = Initial.HOST
    run_time: bool = False
    """Whether the sizes are known to the host only."""

    def at(self, n: int, host: int | None = None) -> OneArm:
        """The same with another number of inputs; no value of the host is in it."""
        del host
        return replace(self, n=n)

    @property
    def is_possible(self) -> bool:
        """Whether it can be a program: static counts are positive."""
        counts = [self.n, self.size.of(self.n)]
        if isinstance(self.invocations, Size):
            counts.append(self.invocations.of(self.n))
        return self.run_time or min(counts) > 0

    def module(self, name: str = "one_arm") -> ModuleOp:
        """The program."""
        with program(name, workgroup_size=[self.workgroup]) as p:
            text = p.buffer("text", i8, None if self.run_time else self.n, access=Access.READ_ONLY)

            def count(size: Size | int) -> int | Value:
                if isinstance(size, int):
                    return size
                return size.value(text.length) if self.run_time else size.of(self.n)

            fill = FILL if self.initial == Initial.HOST else None
            kept = p.buffer(
                KEPT, TYPES[self.bytes], count(self.size), initial=self.initial, fill=fill
            )
            invocations = count(self.invocations)
            out = p.buffer("out", i32, invocations, live_out=True)
            with p.arm("keep", invocations) as i:
                _Builder(self, text, kept, i).build(out)
        return p.module

    def inputs(self, seed: int = 0) -> dict[str, npt.NDArray[np.generic]]:
        """Contents for every buffer that the host supplies."""
        text = np.random.default_rng(seed).integers(0, 256, self.n).astype(np.uint8)
        return {"text": text}


class _Builder:
    """Builds the body of the arm; `total` depends on all that the invocation has read."""

    def __init__(self, arm: OneArm, text: Buffer, kept: Buffer, i: Value):
        self.arm = arm
        self.kept = kept
        self.i = i
        self.total = text[i].to(i32) + 1
        if arm.cooperative:
            self.total = self.total * 5 + local_id().to(i32)

    def build(self, out: Buffer) -> None:
        for number, step in enumerate(self.arm.steps):
            if isinstance(step, Step):
                self._step(step, number, constant(0))
            else:
                self._loop(step, number)
        out[self.i] = self.total

    def _loop(self, loop: Loop, number: int) -> None:
        with for_(0, loop.count, carry=[self.total]) as built:
            (self.total,) = built.carried
            for place, step in enumerate(loop.steps):
                self._step(step, 10 * number + place, built.counter)
            built.yields(self.total)
        (self.total,) = built.results

    def _step(self, step: Step, number: int, iteration: Value) -> None:
        if step.act == Act.WAIT:
            barrier(step.fence)
            return
        act = self._store if step.act == Act.STORE else self._load
        touch, length = step.touch, self.kept.length
        condition = touch.condition(self.i, length)

        def all_of_it(total: Value) -> Value:
            first = touch.index.value(self.i, length)
            if step.stride:
                first = first + iteration * step.stride
            return self._accesses(touch, number, first, total, act)

        if condition is None:
            self.total = all_of_it(self.total)
            return
        before = self.total
        with if_(condition) as branch:
            branch.yields(before if touch.otherwise else all_of_it(before))
        with branch.else_():
            branch.yields(all_of_it(before) if touch.otherwise else before)
        (self.total,) = branch.results

    def _accesses(
        self,
        touch: Touch,
        number: int,
        first: Value,
        total: Value,
        act: Callable[[Touch, int, Value, Value], Value],
    ) -> Value:
        if touch.count == 1:
            return act(touch, number, first, total)
        with for_(0, touch.count, carry=[total]) as loop:
            place = first + loop.counter * touch.width
            loop.yields(act(touch, number, place, loop.carried[0]))
        return loop.results[0]

    def _type(self, touch: Touch) -> IntegerType:
        return IntegerType(8 * self.arm.bytes * touch.width)

    def _store(self, touch: Touch, number: int, first: Value, total: Value) -> Value:
        stored = total * 7 + first.to(i32) * 3 + number
        self.kept.store(stored.to(self._type(touch)), first)
        return total

    def _load(self, touch: Touch, number: int, first: Value, total: Value) -> Value:
        loaded = self.kept.load(first, self._type(touch)).to(i32)
        return total * 31 + loaded + number


def one_arms() -> st.SearchStrategy[OneArm]:
    """
    Arms that store to their handoff and load from it, in an order that is mostly defined: with
    barriers where workgroups hand on, and inside of the handoff or past its end.
    """
    return _one_arms().filter(lambda case: case.is_possible)


@st.composite
def _one_arms(draw: st.DrawFn) -> OneArm:
    cooperative = draw(sometimes(60))
    workgroup = draw(any_of(4, 4, 8))
    run = draw(any_of(1, 1, 1, 2, 3))
    whole = workgroup if cooperative else 1
    invocations = Size(offset=draw(any_of(0, 0, 0, 3, -2)), divide=run, whole=whole)
    sizes = any_of(1, workgroup - 1, workgroup, workgroup, 2 * workgroup, 13, 24)
    return OneArm(
        draw(_orders(_Shape(workgroup, run, draw(any_of(0, 0, 0, 0, 1, -1)), cooperative))),
        draw(any_of(*[invocations] * 3, workgroup, 2 * workgroup)),
        Size(
            scale=draw(any_of(1, 1, 1, 2)),
            offset=draw(any_of(0, 0, 0, 8, -1, -3, -5)),
            least=draw(any_of(0, 0, 1)),
            whole=draw(any_of(1, 1, 1, whole * run)),
        ),
        n=run * draw(sizes),
        workgroup=workgroup,
        cooperative=cooperative,
        bytes=draw(any_of(1, 1, 2, 4) if run != 2 else any_of(1, 2)),
        initial=draw(any_of(Initial.HOST, Initial.HOST, Initial.UNDEFINED)),
        run_time=draw(sometimes(30)),
    )


@dataclass(frozen=True)
class _Shape:
    """What the accesses of an arm have in common."""

    workgroup: int
    run: int
    """Elements of each invocation."""
    offset: int
    across: bool
    """Whether loads may be elsewhere than where the invocation stored."""


@st.composite
def _orders(draw: st.DrawFn, shape: _Shape) -> tuple[Step | Loop, ...]:
    """Some stores, then some loads; sometimes more of both, and sometimes all of it in a loop."""
    steps = list[Step]()
    for _ in range(draw(any_of(1, 1, 1, 2))):
        steps += draw(_stores(shape))
        steps += draw(_waits()) if shape.across and draw(sometimes(80)) else []
        steps += draw(_loads(shape))
        steps += draw(_waits()) if shape.across and draw(sometimes(60)) else []
    form = draw(any_of(*["straight"] * 8, "all", "part", "part"))
    if form == "straight" or len(steps) < 2:
        return tuple(steps)
    cut = 0 if form == "all" else draw(st.integers(1, len(steps) - 1))
    stride = draw(any_of(0, 0, 1, shape.run))
    looped = tuple(
        step if step.act == Act.WAIT else replace(step, stride=stride) for step in steps[cut:]
    )
    return (*steps[:cut], Loop(draw(any_of(1, 2, 3)), looped))


@st.composite
def _waits(draw: st.DrawFn) -> list[Step]:
    return [Step(Act.WAIT, MemorySpace.GLOBAL if draw(sometimes(10)) else None)]


@st.composite
def _stores(draw: st.DrawFn, shape: _Shape) -> list[Step]:
    """Stores of a run by each invocation, sometimes with one that others overlap."""
    index = Index(
        shape.run,
        shape.offset,
        twist=Twist.ROTATE if shape.across and draw(sometimes(25)) else Twist.NONE,
        block=shape.workgroup,
        from_end=draw(sometimes(5)),
        clamped=draw(sometimes(15)),
    )
    touches = draw(_runs(index, shape.run))
    steps = [Step(Act.STORE, touch=draw(_under_conditions(touch))) for touch in touches]
    if draw(sometimes(20)):
        offset = shape.offset + draw(any_of(1, shape.workgroup, -1))
        further = replace(index, offset=offset, clamped=False)
        beyond = Touch(further, unless_outside=True, otherwise=draw(sometimes(70)))
        steps.insert(draw(st.integers(0, len(steps))), Step(Act.STORE, touch=beyond))
    return steps


@st.composite
def _loads(draw: st.DrawFn, shape: _Shape) -> list[Step]:
    """Loads of what was stored, by the same invocation or across its workgroup."""
    steps = list[Step]()
    for _ in range(draw(any_of(1, 1, 2))):
        index = Index(
            shape.run,
            shape.offset + draw(any_of(0, 0, 0, 0, 1, shape.run - 1)),
            twist=draw(_twists()) if shape.across else Twist.NONE,
            block=shape.workgroup,
            clamped=draw(sometimes(10)),
        )
        touches = draw(_runs(index, shape.run)) if draw(st.booleans()) else [Touch(index)]
        steps += [Step(Act.LOAD, touch=draw(_under_conditions(touch))) for touch in touches]
    return steps


def _twists() -> st.SearchStrategy[Twist]:
    """How places are permuted across a workgroup, often not at all."""
    moved = (Twist.REVERSE, Twist.ROTATE, Twist.ROTATE, Twist.GATHER, Twist.MASK)
    return any_of(*[Twist.NONE] * 3, *moved)


@st.composite
def _runs(draw: st.DrawFn, index: Index, run: int) -> list[Touch]:
    """`run` elements from an index on: one by one, in a loop, or in one access."""
    if run == 1:
        return [Touch(index)]
    form = draw(any_of("unrolled", "loop", "wide"))
    if form == "wide" and run in (2, 4):
        return [Touch(index, width=run)]
    if form == "loop":
        return [Touch(index, count=run)]
    return [Touch(replace(index, offset=index.offset + k)) for k in range(run)]


@st.composite
def _under_conditions(draw: st.DrawFn, touch: Touch) -> Touch:
    """The touch, sometimes under a condition."""
    kind = draw(any_of(*["none"] * 12, "inside", "inside", "some", "few"))
    if kind == "inside":
        return replace(touch, unless_outside=True)
    if kind == "some":
        return replace(touch, modulus=2, remainder=draw(any_of(0, 1)))
    if kind == "few":
        return replace(touch, limit=draw(st.integers(1, 11)))
    return touch
