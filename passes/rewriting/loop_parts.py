"""Loops whose range is run in parts, one after the other."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from vyre_dialect.builder import Loop, Value, for_


@dataclass(frozen=True)
class Part:
    """A part of the range of a loop."""

    loop: Loop
    """Around the parts: it carries what the loop did, and is to yield that."""
    begin: Value
    end: Value

    @property
    def carried(self) -> list[SSAValue]:
        """What the loop carries, as the part begins."""
        return [each.ssa for each in self.loop.carried]

    @property
    def bounds(self) -> tuple[SSAValue, SSAValue]:
        """Where the part begins and ends."""
        return self.begin.ssa, self.end.ssa


@contextmanager
def parts_of(loop: scf.ForOp, span: int) -> Generator[Part]:
    """Parts of the range of a loop, so much at a time: a loop around what is built inside."""
    with for_(loop.lb, loop.ub, span, carry=loop.iter_args) as parts:
        begin = parts.counter.named("begin")
        for value, argument in zip(parts.carried, loop.body.block.args[1:], strict=True):
            value.ssa.name_hint = argument.name_hint
        end = begin + (Value(loop.ub) - begin).min(span)
        yield Part(parts, begin, end.named("end"))


def run_over(
    loop: scf.ForOp, bounds: tuple[SSAValue, SSAValue], initial: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """Run the body of a loop, which it loses, within bounds; what is carried then."""
    inner = scf.ForOp(*bounds, loop.step, initial, loop.detach_region(loop.body))
    inner.attributes |= loop.attributes
    return inner.results
