"""What `strategy=auto` finds cheap, and the limits and numbers by which it tells what is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from support.fusion import fused
from xdsl.dialects.builtin import ModuleOp, i8

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Value, program
from vyre_dialect.ir.types import Access, Initial, MemorySpace
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import Limits
from vyre_dialect.passes.fusion.tiling.options import REGISTER_BUDGET, Home, Options
from vyre_dialect.passes.fusion.tiling.outcome import Outcome
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.search import plan_in

ON_CPU = Options(local_memory="global")
LIMITS = (Limits.of("dedicated"), Limits.of("global"))


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("invocations", range(2, 20))
def test_what_is_too_far_apart_is_dear_for_any_number_of_invocations(
    limits: Limits, invocations: int
) -> None:
    steps = [Fraction(halves, 2) for halves in range(1, 2000)]
    far = [step for step in steps if limits.are_too_far_apart(step)]
    allowed = min(limits.consumer_bytes * invocations, limits.tile_bytes)
    assert all(step * (invocations - 1) + 1 > allowed for step in far)
    assert far


@pytest.mark.parametrize("limits", LIMITS)
def test_a_step_that_two_invocations_can_hold_is_not_too_far(limits: Limits) -> None:
    assert not limits.are_too_far_apart(Fraction(2 * limits.consumer_bytes - 1))


@dataclass(frozen=True)
class Shape:
    """How much a scanner reads, and what a decoder does for it."""

    reads: int = 1
    """Elements, side by side."""
    step: int = 1
    """Elements from where an invocation begins to read to where the next does."""
    writes: int = 1
    """Elements by an invocation of the decoder."""
    operations: int = 0
    """Additions beside the five that it takes to load and store an element."""

    def fuse(self) -> Outcome:
        """What becomes of the two on a device whose workgroup memory is ordinary memory."""
        return fused(self.module(), ON_CPU)[1]

    def in_registers(self) -> Plan | Refusal:
        """What becomes of them there, were there private values alone."""
        child = self.module().body.block.first_op
        assert isinstance(child, ProgramOp)
        analysis = AnalysisManager().get(ProgramAnalysis, child)
        (handoff,) = (each for each in child.buffers() if each.sym_name.data == "handoff")
        return plan_in(Home.REGISTERS, analysis, handoff, ON_CPU)

    def module(self) -> ModuleOp:
        """A program of the two."""
        with program("pair", workgroup_size=[4]) as p:
            source = p.buffer("source", i8, 4096, access=Access.READ_ONLY)
            handoff = p.buffer("handoff", i8, 4096, initial=Initial.UNDEFINED)
            out = p.buffer("out", i8, 8, live_out=True)
            with p.arm("decode", 4096 // self.writes) as i:
                value = _many_times(self.operations, lambda value: value + 1, source[i])
                for k in range(self.writes):
                    handoff[i * self.writes + k] = value
            with p.arm("scan", 8) as i:
                first = i * self.step
                out[i] = sum((handoff[first + k] for k in range(1, self.reads)), handoff[first])
        return p.module


def _many_times(count: int, step: Callable[[Value], Value], value: Value) -> Value:
    for _ in range(count):
        value = step(value)
    return value


DEAR = {
    "bytes": (Shape(reads=257, step=257, writes=64), "an arm hands 257 bytes on to an invocation"),
    "copies": (Shape(reads=65, step=65), "65 invocations of 'decode' run for an invocation"),
    "redundancy": (Shape(reads=3), "'decode' decodes each element 3 times on average"),
    "fractions": (
        Shape(reads=7, step=3, writes=2),
        "'decode' decodes each element 2.7 times on average",
    ),
    "operations": (
        Shape(reads=2, operations=60),
        "65 operations of 'decode' are repeated for an invocation",
    ),
}
LIMITS_OF = {"bytes": 256, "copies": 64, "redundancy": 2, "fractions": 2, "operations": 64}
CHEAP = [
    Shape(reads=256, step=256, writes=64),
    Shape(reads=64, step=64),
    Shape(reads=2),
    Shape(reads=2, operations=59),
]
"""Each at one of the limits."""


@pytest.mark.parametrize("shape", CHEAP)
def test_what_is_at_a_limit_is_cheap(shape: Shape) -> None:
    assert not shape.fuse().refusals


@pytest.mark.parametrize("limit", DEAR)
def test_what_is_dear_is_told_with_its_number_and_the_limit(limit: str) -> None:
    shape, what = DEAR[limit]
    refusal = shape.in_registers()
    assert isinstance(refusal, Refusal)
    assert refusal.reason == Reason.UNPROFITABLE
    assert refusal.detail == f"{what}, the limit is {LIMITS_OF[limit]}"
    (number,) = re.findall(r"[0-9.]+", what)
    assert float(number) > LIMITS_OF[limit]


@pytest.mark.parametrize("limit", DEAR)
def test_what_is_too_dear_for_registers_is_held_in_a_cache(limit: str) -> None:
    shape, _ = DEAR[limit]
    outcome = shape.fuse()
    assert not outcome.refusals
    (plan,) = outcome.plans
    assert plan.space == MemorySpace.PRIVATE
    assert plan.bytes > REGISTER_BUDGET
