"""
Drawn data-parallel arms as somebody writes them who thinks of one item: they compute bytes, words
and indices, with neighbours, strides, tables, guards, branches, loops and reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType, f32, i8, i16, i32, i64

from support.generated.bound_program import BoundProgram
from support.generated.drawing import any_of, sometimes
from vyre_dialect.builder import Buffer, Program, Value, constant, for_, if_, index, program
from vyre_dialect.ir.types import Access, AtomicKind

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
BINARY = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp),
)
DIVISIONS = (arith.DivUIOp, arith.RemUIOp, arith.DivSIOp, arith.RemSIOp)
KINDS = (*(AtomicKind.ADDI,) * 3, AtomicKind.MAXU, AtomicKind.MINS, AtomicKind.ORI, AtomicKind.XORI)
TYPES = (i8, i8, i8, i16, i32, i32, i64)
CARRIED = (*TYPES, f32)
"""What branches yield and loops carry."""
FLOAT_BINARY = (
    *(arith.AddfOp, arith.SubfOp, arith.MulfOp),
    *(arith.MinimumfOp, arith.MaximumfOp, arith.MinnumfOp, arith.MaxnumfOp),
)
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
MAX_DEPTH = 2
SLOTS = 3
"""Elements that each invocation writes of each output."""


@dataclass
class _Arm:
    """An arm under construction."""

    draw: Callable[[st.SearchStrategy[Any]], Any]
    program: Program
    i: Value
    count: Value
    bytes: Buffer
    words: Buffer
    table: Buffer
    out_bytes: Buffer
    out_words: Buffer
    counters: list[tuple[Buffer, AtomicKind]]
    errors: Buffer
    traps: bool
    stored: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def pick(self, *choices: Any) -> Any:
        return self.draw(any_of(*choices))

    def chance(self, percent: int) -> bool:
        return self.draw(sometimes(percent))

    # Places and loads.

    def place(self) -> Value:
        """An index that grows with the item, in one way or another."""
        step, offset = self.pick(1, 1, 1, 2, 3, 4, 4, 5, 0), self.pick(0, 0, 1, 2, 3, -2)
        base = self.i
        if step == 0:
            return constant(self.pick(0, 3, 7))
        if step > 1:
            base = base << 2 if step == 4 and self.chance(30) else base * step
        return base + offset if offset else base

    def load(self) -> Value:
        """A value of one of the inputs."""
        match self.pick(0, 0, 0, 1, 1, 2, 3, 4, 4, 5):
            case 0:
                return self.bytes.load(self.place(), self.pick(i8, i8, i8, i32, i16))
            case 1:
                return self.words.load(self.place(), self.pick(i32, i32, i64))
            case 2:
                at = self.bytes[self.i].to(index) & self.pick(7, 15)
                return self.table[at]
            case 3:
                return self._vector()
            case 5:
                return self._indices()
            case _:
                return self._fields()

    def _fields(self) -> Value:
        """Something made of two parts of the record that is the item's."""
        size = self.pick(2, 3, 4)
        buffer = self.pick(self.bytes, self.words)
        first, second = (self.draw(st.integers(0, size - 1)) for _ in range(2))
        return buffer[self.i * size + first] - buffer[self.i * size + second] * 3

    def _vector(self) -> Value:
        """Something made of a short vector that an item loads."""
        lanes = self.pick(2, 4, 4)
        source = self.bytes if self.chance(60) else self.words
        item = source.load(self.i * lanes, VectorType(source.type.element_type, [lanes]))
        if self.chance(40):
            item = item ^ constant(self.pick(1, 77), item.type)
        if self.chance(40):
            item = item.shuffle(
                item, [self.draw(st.integers(0, 2 * lanes - 1)) for _ in range(lanes)]
            )
        if self.chance(30):
            item = item.with_lane(self.draw(st.integers(0, lanes - 1)), self.pick(0, 9))
        if source is self.bytes and lanes == 4 and self.chance(30):
            return item.bitcast(VectorType(i32, [1])).lane(0)
        return item.lane(self.draw(st.integers(0, lanes - 1)))

    def _indices(self) -> Value:
        """A lane of what is computed with vectors of indices, negative ones among them."""
        lanes = self.pick(2, 4)
        first, second = (self._some_indices(lanes) for _ in range(2))
        op = self.draw(st.sampled_from((*BINARY, *DIVISIONS)))
        result = Value(op(first.ssa, second.ssa).result)
        return result.lane(self.draw(st.integers(0, lanes - 1)))

    def _some_indices(self, lanes: int) -> Value:
        """Indices that are known, of which one may be that of the item or one of its data."""
        found = constant(self.draw(st.integers(-6, 6)), VectorType(index, [lanes]))
        for lane in range(lanes):
            if self.chance(40):
                found = found.with_lane(lane, self.draw(st.integers(-6, 6)))
        if self.chance(60):
            return found
        number = self.pick(self.i - 2, self.bytes[self.i].to(index), self.words[self.i].to(index))
        return found.with_lane(self.draw(st.integers(0, lanes - 1)), number)

    # Values.

    def as_type(self, value: Value, type: IntegerType | AnyFloat) -> Value:
        return value.to(type, signed=self.chance(50))

    def value(self, known: list[Value], type: IntegerType | AnyFloat) -> Value:
        """A known value, or a new one, as a type."""
        found = self.draw(st.sampled_from(known))
        return self.as_type(found, type)

    def compute(self, known: list[Value]) -> Value:
        type = self.pick(*TYPES)
        a, b = self.value(known, type), self.value(known, type)
        match self.draw(st.integers(0, 10)):
            case 10:
                return self._float_value(known)
            case 0 | 1 | 2:
                return Value(self.draw(st.sampled_from(BINARY))(a.ssa, b.ssa).result)
            case 3:
                amount = constant(self.draw(st.integers(0, type.width.data - 1)), type)
                shift = self.pick(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
                return Value(shift(a.ssa, amount.ssa).result)
            case 4:
                by = constant(self.pick(1, 3, 4, 7), type)
                return Value(self.draw(st.sampled_from(DIVISIONS))(a.ssa, by.ssa).result)
            case 5:
                return self.condition(known).select(a, b)
            case 6:
                return self.condition(known).to(type)
            case 7:
                return self.i.to(self.pick(i32, i64)) * self.pick(1, 3) + self.pick(0, 5)
            case _:
                return self.load()

    def _float(self, known: list[Value]) -> Value:
        """A number, or any bits: those of floats that are none, too."""
        if self.chance(70):
            return self.value(known, f32)
        return self.value(known, i32).bitcast(f32)

    def _float_value(self, known: list[Value]) -> Value:
        """A float, which becomes an integer of any width, signed or not, where it is used."""
        a, b = self._float(known), self._float(known)
        if self.chance(30):
            return a.compare(self.pick(*FLOAT_PREDICATES), b).select(a, b)
        return Value(self.draw(st.sampled_from(FLOAT_BINARY))(a.ssa, b.ssa).result)

    def condition(self, known: list[Value]) -> Value:
        match self.draw(st.integers(0, 6)):
            case 6:
                return self._float(known).compare(self.pick(*FLOAT_PREDICATES), self._float(known))
            case 0:
                return self.guard()
            case 1:
                return self.condition(known) & self.condition(known)
            case 2:
                return self.condition(known) ^ constant(1, IntegerType(1))
            case _:
                type = self.pick(*TYPES)
                a = self.value(known, type)
                b = (
                    self.value(known, type)
                    if self.chance(50)
                    else constant(self.pick(0, 100), type)
                )
                return a.compare(self.pick(*PREDICATES), b)

    def guard(self) -> Value:
        """A comparison of indices, as in front of accesses."""
        left = self.place()
        right = self.pick(
            lambda: self.count,
            lambda: self.bytes.length,
            lambda: constant(self.pick(5, 16, 30)),
            lambda: self.count - 3,
            lambda: self.i + 2,
        )()
        return left.compare(self.pick("slt", "slt", "sle", "sge", "sgt", "eq", "ult"), right)

    # Effects.

    def store(self, known: list[Value]) -> None:
        buffer = self.pick(self.out_bytes, self.out_words)
        name = "bytes" if buffer is self.out_bytes else "words"
        free = [slot for slot in range(SLOTS) if (name, slot) not in self.stored]
        if not free:
            return
        slots = free if self.chance(40) else free[:1]
        for slot in slots:
            self.stored.add((name, slot))
            value = self.value(known, buffer.type.element_type)  # pyright: ignore
            buffer[self.i * SLOTS + slot] = value

    def update(self, known: list[Value]) -> None:
        buffer, kind = self.draw(st.sampled_from(self.counters))
        value = self.value(known, i32) if self.chance(60) else constant(self.pick(1, 5), i32)
        at = constant(self.pick(0, 1))
        if self.chance(15):
            at = self.value(known, i8).to(index) & 7
        buffer.atomic(kind, value, at)

    def report(self) -> None:
        """Say that something is wrong."""
        if self.traps:
            self.errors.trap("bad", self.i * 3 + 1)
        else:
            self.errors.atomic(AtomicKind.MINU, (self.i * 3 + 1).to(i32))

    def run(self, known: list[Value], depth: int = 0) -> list[Value]:
        """Compute, with effects; the values that are known at the end."""
        known = list(known)
        for _ in range(self.draw(st.integers(1, 5))):
            known.append(self.compute(known))
            if self.chance(20):
                self.store(known)
            if self.chance(15):
                self.update(known)
        if depth < MAX_DEPTH:
            for _ in range(self.pick(0, 1, 1, 2)):
                known += self._structure(known, depth)
        return known

    def _structure(self, known: list[Value], depth: int) -> list[Value]:
        match self.draw(st.integers(0, 4)):
            case 0:
                return self._loop(known, depth)
            case 1:
                with if_(self.condition(known)):
                    self.report()
                    if self.chance(40):
                        self.run(known, depth + 1)
                return []
            case 2:
                with if_(self.condition(known)):
                    self.run(known, depth + 1)
                return []
            case _:
                return self._choice(known, depth)

    def _choice(self, known: list[Value], depth: int) -> list[Value]:
        type = self.pick(*CARRIED)
        heavy = self.chance(40)
        with if_(self.condition(known)) as branch:
            inner = self.run(known, depth + 1) if heavy else [*known, self.load()]
            branch.yields(self.value(inner, type), self.i + 1)
        with branch.else_():
            inner = self.run(known, depth + 1) if heavy and self.chance(50) else known
            branch.yields(self.value(inner, type), self.i)
        value, place = branch.results
        return [value, self.bytes[place]] if self.chance(40) else [value]

    def _bounds(self) -> tuple[Value, Value]:
        """From one number to another, a window around the item, or as many as the data say."""
        match self.draw(st.integers(0, 5)):
            case 0 | 1:
                return constant(0), constant(self.pick(0, 1, 3))
            case 2:
                return constant(0), self.i % 3
            case 3:
                first = self.bytes[self.i].to(index) & 7
                return first, first + (self.bytes[self.i + 1].to(index) & 3)
            case _:
                base = self.i * self.pick(1, 1, 1, 2)
                low, high = base - self.pick(0, 1, 2), base + self.pick(1, 2, 3)
                if self.chance(60):
                    low = low.maxsi(self.pick(0, 0, 3))
                if self.chance(60):
                    high = high.minsi(self.pick(self.count, constant(20)))
                return low, high

    def _loop(self, known: list[Value], depth: int) -> list[Value]:
        type = self.pick(*CARRIED)
        begin, end = self._bounds()
        carry = [self.value(known, type), constant(1, i32)]
        with for_(begin, end, self.pick(1, 1, 2), carry=carry) as loop:
            carried = list(loop.carried)
            inner = [*known, *carried, loop.counter.to(i32)]
            if self.chance(50):
                inner.append(self.bytes[self.i + loop.counter])
            if self.chance(50):
                inner.append(self.bytes[loop.counter * self.pick(1, 1, 3)])
            inner.append(self.compute(inner))
            if self.chance(20):
                self.update(inner)
            loop.yields(self.value(inner, type), carried[1] * 3)
        return list(loop.results)


@st.composite
def scalar_arms(draw: st.DrawFn, *, traps: bool = False) -> BoundProgram:
    """
    A program of one arm, of few or many invocations, in a number that may be odd; with `traps`,
    one that may report bad input by them.
    """
    count = draw(any_of(0, 1, 3, 7, 16, 31, 32, 33, 48, 64, 77))
    static = count > 0 and draw(sometimes(40))
    with program("scalar", workgroup_size=[4]) as p:
        data = p.buffer("bytes", i8, access=Access.READ_ONLY)
        words = p.buffer("words", i32, access=Access.READ_ONLY)
        table = p.buffer("table", i16, 16, access=Access.READ_ONLY)
        out_bytes = p.buffer("out_bytes", i8, max(1, count * SLOTS), live_out=True)
        out_words = p.buffer("out_words", i32, max(1, count * SLOTS - 1), live_out=True)
        counters = [
            (p.buffer(f"counter{n}", i32, 8, live_out=True), draw(any_of(*KINDS))) for n in range(2)
        ]
        errors = p.buffer("errors", i32, 1, live_out=True, fill=-1)
        size = p.buffer("size", i8, access=Access.READ_ONLY)
        length = size.length
        domain = count if static else length
        with p.arm("scalar", [domain, *draw(any_of((), (), (), (1,)))]) as ids:
            buffers = (data, words, table, out_bytes, out_words, counters, errors)
            arm = _Arm(draw, p, ids[0], length, *buffers, traps)
            known = arm.run([arm.bytes[arm.i], arm.words[arm.i], constant(3, i32)])
            arm.store(known)
    return BoundProgram(p.module, _inputs(draw, count))


def _inputs(draw: st.DrawFn, count: int) -> dict[str, npt.NDArray[Any]]:
    numbers = np.random.default_rng(draw(st.integers(0, 99)))
    around = draw(any_of(-3, -1, 0, 1, 5, 64))
    few = draw(any_of(256, 256, 4))
    return {
        "bytes": numbers.integers(0, few, max(0, count + around), dtype=np.uint8),
        "words": numbers.integers(0, 1 << 32, max(0, 2 * count + around), dtype=np.uint32),
        "table": numbers.integers(0, 1 << 16, 16, dtype=np.uint16),
        "size": np.zeros(count, np.uint8),
    }
