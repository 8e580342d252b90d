"""
Generated programs of one arm that writes a handoff and reads it back, legal to promote and
illegal.

What is stored differs from store to store and from invocation to invocation, and depends on
what was read before; the result of an invocation, on everything that it reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from random import Random

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32

from support.pairs import FILL, TYPES, Index, Size, Touch, Twist
from vyre_dialect.builder import Buffer, Value, barrier, constant, for_, if_, local_id, program
from vyre_dialect.types import Access, Initial, MemorySpace

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
    touch: Touch = Touch(Index())
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


def random_arm(random: Random) -> OneArm:
    """
    An arm that stores to its handoff and loads from it, in an order that is mostly defined:
    with barriers where workgroups hand on, and inside of the handoff or past its end.
    """
    while True:
        cooperative = random.random() < 0.6
        workgroup = random.choice((4, 4, 8))
        run = random.choice((1, 1, 1, 2, 3))
        whole = workgroup if cooperative else 1
        invocations = Size(offset=random.choice((0, 0, 0, 3, -2)), divide=run, whole=whole)
        case = OneArm(
            _steps(random, workgroup, run, cooperative=cooperative),
            random.choice((invocations, invocations, invocations, workgroup, 2 * workgroup)),
            Size(
                scale=random.choice((1, 1, 1, 2)),
                offset=random.choice((0, 0, 0, 8, -1, -3, -5)),
                least=random.choice((0, 0, 1)),
                whole=random.choice((1, 1, 1, whole * run)),
            ),
            n=run * random.choice((1, workgroup - 1, workgroup, workgroup, 2 * workgroup, 13, 24)),
            workgroup=workgroup,
            cooperative=cooperative,
            bytes=random.choice((1, 1, 2, 4)) if run != 2 else random.choice((1, 2)),
            initial=random.choice((Initial.HOST, Initial.HOST, Initial.UNDEFINED)),
            run_time=random.random() < 0.3,
        )
        if case.is_possible:
            return case


def _steps(
    random: Random, workgroup: int, run: int, *, cooperative: bool
) -> tuple[Step | Loop, ...]:
    """Some stores, then some loads; sometimes more of both, and sometimes all of it in a loop."""
    offset = random.choice((0, 0, 0, 0, 1, -1))
    steps = list[Step]()
    for _ in range(random.choice((1, 1, 1, 2))):
        steps += _stores(random, workgroup, run, offset, across=cooperative)
        steps += [_wait(random)] if cooperative and random.random() < 0.8 else []
        steps += _loads(random, workgroup, run, offset, across=cooperative)
        steps += [_wait(random)] if cooperative and random.random() < 0.6 else []
    form = random.choice((*["straight"] * 8, "all", "part", "part"))
    if form == "straight" or len(steps) < 2:
        return tuple(steps)
    cut = 0 if form == "all" else random.randrange(1, len(steps))
    stride = random.choice((0, 0, 1, run))
    looped = tuple(
        step if step.act == Act.WAIT else replace(step, stride=stride) for step in steps[cut:]
    )
    return (*steps[:cut], Loop(random.choice((1, 2, 3)), looped))


def _wait(random: Random) -> Step:
    return Step(Act.WAIT, MemorySpace.GLOBAL if random.random() < 0.1 else None)


def _twist(random: Random, *, across: bool) -> Twist:
    """How places are permuted; loads elsewhere than where they were stored must be `across`."""
    if not across or random.random() < 0.4:
        return Twist.NONE
    return random.choice((Twist.REVERSE, Twist.ROTATE, Twist.ROTATE, Twist.GATHER, Twist.MASK))


def _stores(random: Random, workgroup: int, run: int, offset: int, *, across: bool) -> list[Step]:
    """Stores of `run` elements by each invocation, sometimes with one that others overlap."""
    index = Index(
        run,
        offset,
        twist=Twist.ROTATE if across and random.random() < 0.25 else Twist.NONE,
        block=workgroup,
        from_end=random.random() < 0.05,
        clamped=random.random() < 0.15,
    )
    steps = [Step(Act.STORE, touch=_condition(random, touch)) for touch in _run(random, index, run)]
    if random.random() < 0.2:
        further = replace(index, offset=offset + random.choice((1, workgroup, -1)), clamped=False)
        otherwise = random.random() < 0.7
        beyond = Touch(further, unless_outside=True, otherwise=otherwise)
        steps.insert(random.randrange(len(steps) + 1), Step(Act.STORE, touch=beyond))
    return steps


def _loads(random: Random, workgroup: int, run: int, offset: int, *, across: bool) -> list[Step]:
    """Loads of what was stored, by the same invocation or across its workgroup."""
    steps = list[Step]()
    for _ in range(random.choice((1, 1, 2))):
        index = Index(
            run,
            offset + random.choice((0, 0, 0, 0, 1, run - 1)),
            twist=_twist(random, across=across),
            block=workgroup,
            clamped=random.random() < 0.1,
        )
        touches = _run(random, index, run) if random.random() < 0.5 else [Touch(index)]
        steps += [Step(Act.LOAD, touch=_condition(random, touch)) for touch in touches]
    return steps


def _run(random: Random, index: Index, run: int) -> list[Touch]:
    """`run` elements from an index on: in a loop, one by one, or in one access."""
    if run == 1:
        return [Touch(index)]
    form = random.choice(("loop", "unrolled", "wide"))
    if form == "wide" and run in (2, 4):
        return [Touch(index, width=run)]
    if form == "loop":
        return [Touch(index, count=run)]
    return [Touch(replace(index, offset=index.offset + k)) for k in range(run)]


def _condition(random: Random, touch: Touch) -> Touch:
    """The touch, sometimes under a condition."""
    kind = random.choice((*["none"] * 12, "inside", "inside", "some", "few"))
    if kind == "inside":
        return replace(touch, unless_outside=True)
    if kind == "some":
        return replace(touch, modulus=2, remainder=random.randrange(2))
    if kind == "few":
        return replace(touch, limit=random.randrange(1, 12))
    return touch
