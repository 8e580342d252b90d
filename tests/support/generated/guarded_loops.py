"""Loops that do something only where comparisons of their counters hold, of bounds of all kinds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import i16, i32, i64

from support.generated.bound_program import BoundProgram
from support.generated.drawing import any_of, sometimes
from vyre_dialect.builder import Buffer, Value, constant, for_, if_, index, program
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.lanes import Predicate

INVOCATIONS = 5
ROW = 64
"""Elements that each invocation may write."""
NUMBERS = 8
SIGNED = ("slt", "sle", "sgt", "sge") * 4
HUGE = (2**63 - 1, -(2**63), 2**62, -(2**62))


@dataclass
class _Drawing:
    draw: st.DrawFn
    i: Value
    numbers: Buffer
    invariant: list[Value] = field(default_factory=list[Value])
    """What conditions compare with."""

    def number(self, *, may_be_huge: bool = False) -> Value:
        """A number that is the same in every iteration: known, read, or of the invocation."""
        kind = self.draw(any_of("constant", "read", "read", "read", "id", "huge"))
        if kind == "huge" and may_be_huge:
            return constant(self.draw(any_of(*HUGE)))
        if kind == "id":
            return self.i * self.draw(any_of(1, 2, -1)) + self.draw(st.integers(-4, 8))
        if kind == "read":
            read = self.numbers[self.draw(st.integers(0, NUMBERS - 1))].to(index)
            return read - self.draw(any_of(0, 0, 20))
        return constant(self.draw(st.integers(-12, 40)))

    def comparison(self, counter: Value) -> Value:
        """A comparison of a multiple of the counter and more with something."""
        factor = self.draw(any_of(1, 1, 1, 1, 1, 2, 4, -1, -2, -4, 3, 0))
        subject = counter if factor == 1 else counter * factor
        if self.draw(sometimes(50)):
            subject = subject + self.draw(st.sampled_from(self.invariant))
        limit = self.draw(st.sampled_from(self.invariant))
        sides = (limit, subject) if self.draw(sometimes(30)) else (subject, limit)
        return sides[0].compare(str(self.draw(any_of(*Predicate, *SIGNED))), sides[1])

    def condition(self, counter: Value) -> Value:
        """One comparison, or two."""
        first = self.comparison(counter)
        match self.draw(any_of("one", "one", "and", "and", "and", "or")):
            case "and":
                return first & self.comparison(counter)
            case "or":
                return first | self.comparison(counter)
            case _:
                return first


@st.composite
def guarded_loops(draw: st.DrawFn) -> BoundProgram:
    """A loop in which most effects, and changes of what is carried, stand under a condition."""
    with program("guarded") as p:
        numbers = p.buffer("numbers", i16, NUMBERS, access=Access.READ_ONLY)
        seen = p.buffer("seen", i32, INVOCATIONS * ROW, live_out=True)
        sums = p.buffer("sums", i64, INVOCATIONS, live_out=True)
        with p.arm("loop", INVOCATIONS) as i:
            drawing = _Drawing(draw, i, numbers)
            begin, end = drawing.number(), drawing.number()
            drawing.invariant += [drawing.number(may_be_huge=True) for _ in range(4)]
            with for_(begin, end, draw(any_of(1, 1, 1, 2, 3, 4)), carry=[constant(1, i64)]) as loop:
                counter, (carried,) = loop.counter, loop.carried
                place = i * ROW + (counter & (ROW - 1))
                condition = drawing.condition(counter)
                if draw(sometimes(5)):
                    seen[place] = constant(-1, i32)
                with if_(condition if draw(sometimes(90)) else ~condition) as branch:
                    seen[place] = counter.to(i64).to(i32) + 1
                    branch.yields(carried * 3 + counter.to(i64))
                with branch.else_():
                    branch.yields(carried + 1 if draw(sometimes(5)) else carried)
                loop.yields(branch.results[0])
            sums[i] = loop.results[0]
    read = draw(st.lists(st.integers(0, 60), min_size=NUMBERS, max_size=NUMBERS))
    return BoundProgram(p.module, {"numbers": np.array(read, np.uint16)})
