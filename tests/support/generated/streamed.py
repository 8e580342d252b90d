"""
Programs whose input may be cut, or nearly: arms with halos, of other rates than their input, with
guards, loops and workgroups, and scans that count, collect positions or write in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, i8, i32, i64

from support.generated.drawing import ShownAsText, any_of, sometimes
from support.generated.library import Library, libraries
from vyre_dialect.builder import (
    Buffer,
    Program,
    Value,
    arm,
    barrier,
    for_,
    if_,
    index,
    local_id,
    program,
    workgroup_id,
)
from vyre_dialect.ir.types import Access, AtomicKind, Initial, MemorySpace
from vyre_dialect.runtime.interpreter.arrays import Array

CAPACITY = 512
"""Positions that a list has room for: more than there are."""
KINDS = (
    *(AtomicKind.ADDI, AtomicKind.ADDI, AtomicKind.XORI, AtomicKind.MAXS, AtomicKind.MAXU),
    *(AtomicKind.MINS, AtomicKind.MINU, AtomicKind.ORI, AtomicKind.ANDI),
)


@dataclass(frozen=True)
class Stage:
    """An arm that makes a buffer of another one."""

    kind: str
    factor: int
    reach: int
    guard: str

    def build(self, p: Program, number: int, source: Buffer) -> Buffer:
        """The buffer that it writes."""
        return _STAGES[self.kind](self, p, f"stage{number}", source)


@dataclass(frozen=True)
class Scan:
    """An arm that makes a result of a buffer."""

    kind: str
    atomic: AtomicKind
    factor: int
    reach: int

    def build(self, p: Program, number: int, source: Buffer) -> None:
        """Declare the result, and write it."""
        _SCANS[self.kind](self, p, f"result{number}", source)


@dataclass(frozen=True)
class Streamed(ShownAsText):
    """A program, its input, and where that is to be cut, as parts of it in thousands."""

    stages: tuple[Stage, ...]
    scans: tuple[Scan, ...]
    elements: int
    cuts: tuple[int, ...]
    seed: int
    library: Library | None = None
    """In the place of stages and scans."""

    @cached_property
    def module(self) -> ModuleOp:
        """The program, of arms."""
        if self.library is not None:
            return self.library.module()
        with program("streamed", workgroup_size=[8]) as p:
            source = p.buffer("text", i32, access=Access.READ_ONLY)
            for number, stage in enumerate(self.stages):
                source = stage.build(p, number, source)
            for number, scan in enumerate(self.scans):
                scan.build(p, number, source)
        return p.module

    @cached_property
    def inputs(self) -> dict[str, Array]:
        """Contents for every buffer that the host supplies."""
        if self.library is not None:
            return self.library.inputs(self.seed)
        random = np.random.default_rng(self.seed)
        return {"text": random.integers(-9, 10, self.elements).astype(np.int32)}

    def __repr__(self) -> str:
        given = "\n".join(f"// {name} = {array.tolist()}" for name, array in self.inputs.items())
        return f"\n{given}\n// cuts {self.cuts}\n{self.module}\n"


@st.composite
def streamed(draw: st.DrawFn) -> Streamed:
    """A program of up to three stages and two scans, or one of the libraries."""
    stages = draw(st.lists(_stages(), max_size=3))
    scans = draw(st.lists(_scans(), min_size=1, max_size=2))
    elements = draw(any_of(97, 150, 200, 333, 480, 481, 700, 40, 7, 1, 0))
    cuts = draw(st.lists(st.integers(1, 999), min_size=1, max_size=5))
    library = draw(_long_libraries()) if draw(sometimes(15)) else None
    seed = draw(st.integers(0, 1000))
    return Streamed(tuple(stages), tuple(scans), elements, tuple(cuts), seed, library)


def _long_libraries() -> st.SearchStrategy[Library]:
    """Programs of the libraries, on inputs of several units."""
    return st.builds(_of_length, libraries(), any_of(700, 2000, 5000, 9000))


def _of_length(library: Library, elements: int) -> Library:
    return replace(library, n=elements)


def _stages() -> st.SearchStrategy[Stage]:
    return st.builds(
        Stage,
        any_of("map", "map", "neighbour", "neighbour", "grow", "shrink", "blocks", "tile", "count"),
        any_of(1, 2, 3, 4, 5),
        st.integers(-5, 5),
        any_of("none", "below", "inside", "clamp", "every"),
    )


def _scans() -> st.SearchStrategy[Scan]:
    return st.builds(
        Scan,
        any_of(*_SCANS),
        any_of(*KINDS),
        any_of(1, 2, 3, 4),
        st.integers(-3, 3),
    )


def _handoff(p: Program, name: str, count: Value) -> Buffer:
    return p.buffer(name, i32, count)


def _place(stage: Stage, i: Value, length: Value) -> Value:
    """A place next to `i`, not before the begin and not behind the end if it is clamped."""
    place = i + stage.reach
    return place.max(0).min(length - 1) if stage.guard == "clamp" else place


def _map(stage: Stage, p: Program, name: str, source: Buffer) -> Buffer:
    """Each element by itself, and at times by its place."""
    target = _handoff(p, name, source.length)
    with arm(name, source.length) as i:
        value = source[i] * stage.factor
        if stage.guard == "every":
            value = value ^ (i.to(i32) + stage.reach)
        if stage.guard == "inside":
            with if_((i % stage.factor).eq(0)):
                target[i] = value
        else:
            target[i] = value
    return target


def _neighbour(stage: Stage, p: Program, name: str, source: Buffer) -> Buffer:
    """Each element and one next to it."""
    target = _handoff(p, name, source.length)
    with arm(name, source.length) as i:
        length = source.length
        place = _place(stage, i, length)
        if stage.guard in ("below", "inside"):
            ends = place < length if stage.guard == "below" else (place >= 0) & (place < length)
            with if_(ends):
                target[i] = source[i] - source[place] * stage.factor
        else:
            target[i] = source[i] - source[place] * stage.factor
    return target


def _grow(stage: Stage, p: Program, name: str, source: Buffer) -> Buffer:
    """Several elements of each."""
    target = _handoff(p, name, source.length * stage.factor)
    with arm(name, source.length) as i:
        value = source[i]
        with for_(0, stage.factor) as loop:
            target[i * stage.factor + loop.counter] = value + loop.counter.to(i32)
    return target


def _shrink(stage: Stage, p: Program, name: str, source: Buffer) -> Buffer:
    """Groups of four elements become groups of up to three."""
    kept = min(stage.factor, 3)
    groups = source.length // 4
    target = _handoff(p, name, groups * kept)
    with arm(name, groups) as i:
        for each in range(kept):
            target[i * kept + each] = source[i * 4 + each] + source[i * 4 + 3]
    return target


def _blocks(stage: Stage, p: Program, name: str, source: Buffer) -> Buffer:
    """Sums that begin anew in each block."""
    block = stage.factor + 1
    target = _handoff(p, name, source.length)
    with arm(name, source.length.ceildiv(block)) as i:
        first = i * block
        end = (first + block).min(source.length) if stage.guard == "clamp" else first + block
        with for_(first, end, carry=[source[first]]) as loop:
            (total,) = loop.carried
            following = total + source[loop.counter]
            target[loop.counter] = following
            loop.yields(following)
    return target


def _tile(stage: Stage, p: Program, name: str, source: Buffer) -> Buffer:
    """Each element and another of its workgroup, by workgroup memory."""
    groups = source.length.ceildiv(8)
    target = _handoff(p, name, source.length)
    tile = p.buffer(f"{name}_tile", i32, 8, memory_space=MemorySpace.WORKGROUP)
    with arm(name, groups * 8, workgroup_size=[8]) as _:
        lane, place = local_id(), workgroup_id() * 8
        tile[lane] = source[place + lane]
        barrier()
        target[place + lane] = tile[7 - lane] * stage.factor
    return target


def _count(stage: Stage, p: Program, name: str, source: Buffer) -> Buffer:
    """How many elements of each group are positive, by atomics."""
    group = stage.factor
    target = _handoff(p, name, source.length.ceildiv(group))
    with arm(name, source.length) as i, if_(source[i] > 0):
        target.atomic(AtomicKind.ADDI, 1, i // group)
    return target


_STAGES: dict[str, Callable[[Stage, Program, str, Buffer], Buffer]] = {
    "map": _map,
    "neighbour": _neighbour,
    "grow": _grow,
    "shrink": _shrink,
    "blocks": _blocks,
    "tile": _tile,
    "count": _count,
}


def _reduce(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """One number of all elements."""
    result = p.buffer(name, i32, 1, live_out=True, fill=-scan.reach)
    with arm(name, source.length) as i:
        result.atomic(scan.atomic, source[i] * source[i + scan.reach], 0)


def _bins(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """A number for each of a few values."""
    result = p.buffer(name, i32, 8, live_out=True)
    with arm(name, source.length) as i:
        number = (source[i] & 7).to(index)
        result.atomic(scan.atomic, source[i + scan.factor] + scan.reach, number)


def _list(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """Where elements are, in any order; whether that is right a test sees when it is sorted."""
    count = p.buffer(f"{name}_count", i32, 1, live_out=True)
    places = p.buffer(f"{name}_unsorted", i64, CAPACITY * 8, live_out=True, fill=-1)
    with arm(name, source.length) as i, if_((source[i] & 3).eq(scan.factor - 1)):
        slot = count.atomic(AtomicKind.ADDI, 1, 0).to(index)
        places[slot] = (i * 4 + scan.reach).to(i64)


def _narrow(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """What overflows eight bits, of elements that are others in a piece than in all, or are not."""
    result = p.buffer(name, i32, 1, live_out=True)
    with arm(name, source.length) as i:
        shift = source.length % 4 if scan.reach % 2 else scan.factor
        number = source[i + shift].to(i8) & 127
        number = [number + 100, number * 50, number << 2, number - 5][scan.factor - 1]
        with if_(number.compare("slt", scan.reach)):
            result.atomic(scan.atomic, source[i], 0)


def _farthest(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """The first or the last place of a value."""
    result = p.buffer(name, i64, 1, live_out=True, fill=-1)
    kind = AtomicKind.MINU if scan.factor % 2 else AtomicKind.MAXS
    with arm(name, source.length) as i, if_(source[i] > scan.reach):
        result.atomic(kind, i.to(i64) * scan.factor, 0)


def _write(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """A result for each element."""
    result = p.buffer(name, i32, source.length, live_out=True, fill=scan.reach)
    with arm(name, source.length) as i, if_(source[i] >= 0):
        result[i] = source[i] + source[i + scan.reach]


def _ends(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """Something that only the first or the last element, or one in the middle, has."""
    result = p.buffer(name, i32, 1, live_out=True)
    length = source.length
    places = {1: length * 0, 2: length - 1, 3: length // 2, 4: length * 0 + 5}
    place = places[scan.factor]
    with arm(name, length) as i, if_(i.eq(place)):
        result.atomic(scan.atomic, source[i], 0)


def _finished(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """A sum, and what an arm makes of it once it is known, and of what an arm has put in before."""
    total = p.buffer(f"{name}_total", i32, 1, initial=Initial.HOST)
    result = p.buffer(name, i32, 1, live_out=True)
    with arm(f"{name}.begin", 1) as i:
        total[i] = i.to(i32) + scan.reach
    with arm(name, source.length) as i:
        total.atomic(scan.atomic, source[i], 0)
    with arm(f"{name}.end", 1) as i:
        result[i] = total[i] * 3 + scan.factor


def _prefix(scan: Scan, p: Program, name: str, source: Buffer) -> None:
    """Sums of all elements up to each, which nobody can cut."""
    result = p.buffer(name, i32, source.length, live_out=True)
    with arm(name, source.length) as i, for_(0, i + 1, carry=[source[i] * 0]) as loop:
        (total,) = loop.carried
        following = total + source[loop.counter] * scan.factor
        loop.yields(following)
        result[loop.counter * 0 + i] = following


_SCANS: dict[str, Callable[[Scan, Program, str, Buffer], None]] = {
    "reduce": _reduce,
    "narrow": _narrow,
    "bins": _bins,
    "list": _list,
    "farthest": _farthest,
    "write": _write,
    "ends": _ends,
    "finished": _finished,
    "prefix": _prefix,
}
