"""
Programs of arms that hand a buffer on: as plain data that can be counted through by hand, and
as vyre programs built from it.

The values are such that every reader notices every wrong element: what a producer writes into
element `e` depends on `e` alone, and a consumer's result on each value that it reads and on
their order. So two writers of an element agree, and no two elements look alike. Only stores that
are marked differ from invocation to invocation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32

from support.generated.arms import FILL, TYPES, Arm, Effect, Glance, Handoff, SideEffect, Steering
from support.generated.places import Branches, HostValue, Size, Touch
from vyre_dialect.builder import (
    Buffer,
    Program,
    Value,
    barrier,
    constant,
    for_,
    if_,
    index,
    local_id,
    program,
    while_,
    workgroup_id,
)
from vyre_dialect.ir.types import Access, AtomicKind, Initial, MemorySpace


@dataclass(frozen=True)
class Case:
    """A program of arms and handoffs, of `n` inputs."""

    arms: tuple[Arm, ...]
    handoffs: tuple[Handoff, ...]
    n: int
    run_time: bool = False
    """Whether the sizes are known to the host only."""
    host: HostValue | None = None
    glances: tuple[Glance, ...] = ()
    """What the host reads of handoffs, in order; for programs only."""

    def length(self, name: str) -> int:
        """The element count of a handoff."""
        return next(each for each in self.handoffs if each.name == name).size.of(self.n)

    def at(self, n: int, host: int | None = None) -> Case:
        """The same with another number of inputs, and another value of the host, if it has one."""
        if self.host is None or host is None:
            return replace(self, n=n)
        return replace(self, n=n, host=replace(self.host, number=host))

    @property
    def is_possible(self) -> bool:
        """Whether it can be a program: static counts are positive."""
        counts = [self.n, *(arm.invocations.of(self.n) for arm in self.arms)]
        counts += [handoff.size.of(self.n) for handoff in self.handoffs]
        return self.run_time or min(counts) > 0

    def module(self, name: str = "case") -> ModuleOp:
        """The program."""
        return _Builder(self, name).build()

    def inputs(self, seed: int = 0) -> dict[str, npt.NDArray[np.generic]]:
        """Contents for every buffer that the host supplies."""
        generator = np.random.default_rng(seed)

        def some(dtype: type[np.unsignedinteger], count: int) -> npt.NDArray[np.generic]:
            return generator.integers(0, 256, count).astype(dtype)

        words = {1: np.uint8, 2: np.uint16, 4: np.uint32}
        contents: dict[str, npt.NDArray[np.generic]] = {
            f"input_{handoff.name}": some(words[handoff.bytes], self.length(handoff.name))
            for handoff in self.handoffs
        }
        contents["text"] = some(np.uint8, self.n)
        if self.host is not None:
            contents["parameters"] = self.host.contents()
        return contents


class _Builder:
    """Builds the program of a case."""

    def __init__(self, case: Case, name: str):
        self.case = case
        self.name = name
        self.buffers: dict[str, Buffer] = {}
        self.counts: dict[str, int | Value] = {}

    def build(self) -> ModuleOp:
        with program(self.name) as p:
            self._declare(p)
            self._glance(p, 0)
            for number, arm in enumerate(self.case.arms, 1):
                workgroup = [arm.workgroup]
                count = self.counts[arm.name]
                with p.arm(arm.name, count, workgroup_size=workgroup) as i:
                    self._arm(arm, i)
                self._glance(p, number)
        return p.module

    def _declare(self, p: Program) -> None:
        case = self.case
        text = p.buffer("text", i8, None if case.run_time else case.n, access=Access.READ_ONLY)
        self.buffers["text"] = text
        self.host_n = text.length if case.run_time else None
        self.host = None if case.host is None else case.host.declare(p)
        for handoff in case.handoffs:
            type, count = TYPES[handoff.bytes], self._count(handoff.size)
            self.buffers[f"input_{handoff.name}"] = p.buffer(f"input_{handoff.name}", type, count)
            fill = FILL if handoff.initial == Initial.HOST else None
            self.buffers[handoff.name] = p.buffer(
                handoff.name, type, count, initial=handoff.initial, fill=fill
            )
        for arm in case.arms:
            self.counts[arm.name] = self._count(arm.invocations)
            if arm.reads and not arm.writes:
                self.buffers[f"out_{arm.name}"] = p.buffer(
                    f"out_{arm.name}", i32, self.counts[arm.name], live_out=True
                )
            if arm.cooperative:
                self.buffers[f"shared_{arm.name}"] = p.buffer(
                    f"shared_{arm.name}", i32, arm.workgroup, memory_space=MemorySpace.WORKGROUP
                )
        self.buffers["counter"] = p.buffer("counter", i32, 1, live_out=True)
        self.buffers["errors"] = p.buffer("errors", i32, 1, live_out=True, fill=-1)
        size = self._count(Size(scale=2, least=1))
        self.buffers["log"] = p.buffer("log", i32, size, live_out=True)
        self.buffers["bumps"] = p.buffer("bumps", i32, size, live_out=True)

    def _count(self, size: Size) -> int | Value:
        return size.of(self.case.n) if self.host_n is None else size.value(self.host_n)

    def _arm(self, arm: Arm, i: Value) -> None:
        if arm.reads and not arm.writes:
            self._consume(arm, i)
        mixed = self._read_all(arm, i) if arm.reads and arm.writes else None
        for name, touch in arm.writes:
            self._write(name, touch, i, mixed)
        self._effect(arm, i)

    def _glance(self, p: Program, after: int) -> None:
        """What the host reads after so many arms, each put into a buffer by an arm of its own."""
        seen = constant(0)
        for number, glance in enumerate(self.case.glances):
            if glance.after != after:
                continue
            handoff = self.buffers[glance.handoff]
            first = glance.index.value(constant(0), handoff.length, self.host)
            if glance.further:
                first = first + (seen & 3) * glance.further
            value = _resized(handoff.load(first, self._run_type(glance.handoff, glance)), i32)
            seen = value.to(index)
            kept = p.buffer(f"seen{number}", i32, 1, live_out=True)
            with p.arm(f"keep{number}", 1):
                kept[0] = value

    def _run_type(self, name: str, touch: Touch | Glance) -> IntegerType:
        data = next(each for each in self.case.handoffs if each.name == name).bytes
        return IntegerType(8 * data * touch.width)

    def _write(self, name: str, touch: Touch, i: Value, mixed: Value | None) -> None:
        """Store what depends on the element alone, or on `mixed` too."""
        handoff, source = self.buffers[name], self.buffers[f"input_{name}"]
        type = self._run_type(name, touch)
        splat = int.from_bytes(b"\x5a" * (type.width.data // 8), "little")

        def store(first: Value) -> None:
            value = source.load(first, type) ^ splat
            if touch.marked:
                value = value + i.to(i32).to(type) * 29
            if mixed is not None:
                value = value ^ _resized(mixed, type)
            store_by_data(value, first)

        def store_by_data(value: Value, first: Value) -> None:
            if touch.branches == Branches.NONE:
                handoff.store(value, first)
                return
            with if_((value & 1).eq(0)) as branch:
                handoff.store(value, first)
            if touch.branches == Branches.BOTH:
                with branch.else_():
                    handoff.store(value + 13, first)

        self._each(touch, i, handoff.length, store)

    def _each(self, touch: Touch, i: Value, length: Value, do: Callable[[Value], None]) -> None:

        def all_of_it() -> None:
            first = touch.index.value(i, length, self.host)
            if touch.count == 1:
                do(first)
                return
            with for_(0, touch.count) as loop:
                do(first + loop.counter * touch.width)

        condition = touch.condition(i, length, self.host)
        if condition is None:
            all_of_it()
            return
        with if_(condition) as branch:
            if not touch.otherwise:
                all_of_it()
        if touch.otherwise:
            with branch.else_():
                all_of_it()

    def _read_all(self, arm: Arm, i: Value) -> Value:
        """A number that depends on all that the invocation reads, in order."""
        total = constant(1, i32)
        for name, touch in arm.reads:
            total = self._read(name, touch, i, total)
        return total

    def _read(self, name: str, touch: Touch, i: Value, total: Value) -> Value:
        handoff = self.buffers[name]
        type = self._run_type(name, touch)
        length = handoff.length

        def mixed(first: Value, before: Value) -> Value:
            if touch.branches == Branches.NONE:
                return before * 31 + _resized(handoff.load(first, type), i32)
            with if_((self.buffers["text"][i] & 1).eq(0)) as branch:
                branch.yields(before * 31 + _resized(handoff.load(first, type), i32))
            with branch.else_():
                other = before * 37
                if touch.branches == Branches.BOTH:
                    other = other + _resized(handoff.load(first, type), i32)
                branch.yields(other)
            return branch.results[0]

        def all_of_it() -> Value:
            first = touch.index.value(i, length, self.host)
            if touch.count == 1:
                return mixed(first, total)
            with for_(0, touch.count, carry=[total]) as loop:
                loop.yields(mixed(first + loop.counter * touch.width, loop.carried[0]))
            return loop.results[0]

        condition = touch.condition(i, length, self.host)
        if condition is None:
            return all_of_it()
        with if_(condition) as branch:
            branch.yields(total if touch.otherwise else all_of_it())
        with branch.else_():
            branch.yields(all_of_it() if touch.otherwise else total)
        return branch.results[0]

    def _consume(self, arm: Arm, i: Value) -> None:
        total = self._read_all(arm, i)
        out = self.buffers[f"out_{arm.name}"]
        if arm.cooperative:
            total = self._pass_on(arm, total)
        out[i] = total

    def _pass_on(self, arm: Arm, total: Value) -> Value:
        """What the invocation makes of its own total and of the next one's."""
        shared, lane = self.buffers[f"shared_{arm.name}"], local_id()

        def once(own: Value) -> Value:
            shared[lane] = own
            barrier()
            return own * 7 + shared[(lane + 1) % arm.workgroup]

        if arm.steering == Steering.NONE:
            return once(total)
        handoff = self.buffers[arm.reads[0][0]]
        steered = handoff[arm.steered_by.value(workgroup_id(), handoff.length)].to(index)
        return _steered(arm.steering, steered, total, once)

    def _effect(self, arm: Arm, i: Value) -> None:
        effect = arm.effect
        if effect.kind == Effect.NONE:
            return
        at = effect.index.value(i, self.buffers["log"].length, self.host)
        word = i.to(i32)
        if effect.kind == Effect.FIRST_BAD:
            self.buffers["errors"].atomic(AtomicKind.MINU, word)
        elif effect.kind == Effect.LAST_BAD:
            self.buffers["errors"].atomic(AtomicKind.MAXU, word)
        elif effect.kind == Effect.COUNT:
            self.buffers["counter"].atomic(AtomicKind.ADDI, word + 1)
        elif effect.kind == Effect.LOG:
            self._log(effect, at)
        elif effect.kind == Effect.BUMP:
            bumps = self.buffers["bumps"]
            bumps[i] = bumps[i] + (word + 1)
        elif effect.kind == Effect.READ_LOG:
            out = self.buffers[f"out_{arm.name}"]
            out[i] = out[i] + self.buffers["log"][at] * 5
        elif effect.kind == Effect.CLEAR_INPUT:
            source = self.buffers[f"input_{self.case.handoffs[0].name}"]
            source[effect.index.of(i, source.length)] = 0

    def _log(self, effect: SideEffect, at: Value) -> None:
        log, number = self.buffers["log"], at.to(i32) * 3 + 1
        if effect.count == 1:
            log[at] = number
        elif effect.unrolled:
            for k in range(effect.count):
                log[at + k // effect.share] = number + 1000 * k
        else:
            with for_(0, effect.count) as loop:
                stored = number + loop.counter.to(i32) * 1000
                log[at + loop.counter // effect.share] = stored


def _steered(steering: Steering, by: Value, total: Value, once: Callable[[Value], Value]) -> Value:
    """Do something, and wait after it, as often as `by` says."""

    def again(own: Value) -> Value:
        done = once(own)
        barrier()
        return done

    if steering == Steering.IF:
        with if_((by & 1).eq(0)) as branch:
            branch.yields(again(total))
        with branch.else_():
            branch.yields(total + 5)
        return branch.results[0]
    if steering == Steering.FOR:
        with for_(0, by & 3, carry=[total]) as loop:
            loop.yields(again(loop.carried[0]))
        return loop.results[0]
    with while_(lambda left, _: left > 0, carry=[by & 3, total]) as waiting:
        left, own = waiting.carried
        waiting.yields(left - 1, again(own))
    return waiting.results[1]


def _resized(value: Value, type: IntegerType) -> Value:
    """An integer of any width as `type`, from its low and its high half where it is wider."""
    assert isinstance(value.type, IntegerType)
    if value.type.width.data <= 32 or type.width.data > 32:
        return value.to(type)
    folded = value
    width = value.type.width.data
    while width > 32:
        width //= 2
        folded = folded ^ (folded >> width)
    return folded.to(type)
