"""Fusion takes ops of other packages by what they say of themselves, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.fusion import fused
from xdsl.dialects.builtin import IndexType, ModuleOp, i32
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def

from vyre_dialect.builder import Buffer, Value, program
from vyre_dialect.ir.interfaces import AccessKind, BufferAccess, HasAccessesInterface
from vyre_dialect.ir.types import Access, BufferType, Initial, MemorySpace
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy

N = 4096
Besides = Callable[[Value, Buffer, Value], object]
"""What a producer does with a value, a live-out buffer and its own index."""


@irdl_op_definition
class PeekOp(IRDLOperation, HasAccessesInterface):
    """Loads an element."""

    name = "acme.peek"

    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    value = result_def(i32)

    def __init__(self, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[buffer, index], result_types=[i32])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.READ, self.buffer, self.index),)


class _UpdateOp(IRDLOperation, HasAccessesInterface):
    """Combines a value with an element, atomically."""

    value = operand_def(i32)
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[value, buffer, index])

    def _update(self, *, idempotent: bool) -> tuple[BufferAccess, ...]:
        access = BufferAccess(
            AccessKind.UPDATE, self.buffer, self.index, idempotent=idempotent, combiner=self.name
        )
        return (access,)


@irdl_op_definition
class AddOp(_UpdateOp):
    """Adds to an element: again is not the same as once."""

    name = "acme.add"

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return self._update(idempotent=False)


@irdl_op_definition
class MergeOp(_UpdateOp):
    """Takes the union with an element: again is the same as once."""

    name = "acme.merge"

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return self._update(idempotent=True)


@irdl_op_definition
class ReportOp(IRDLOperation):
    """Does nobody knows what with a value."""

    name = "acme.report"

    value = operand_def(i32)

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value])


def _with_halo(besides: Besides) -> ModuleOp:
    """A producer that does something `besides`, and a consumer of two elements."""
    with program("halo") as p:
        source = p.buffer("source", i32, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i32, N, initial=Initial.UNDEFINED)
        seen = p.buffer("seen", i32, 16, live_out=True)
        sums = p.buffer("sums", i32, N, live_out=True)
        with p.arm("produce", N) as i:
            value = source[i]
            handoff[i] = value
            besides(value, seen, i % 16)
        with p.arm("consume", N) as i:
            sums[i] = handoff[i] + handoff[i + 1]
    return p.module


def _add(value: Value, seen: Buffer, place: Value) -> None:
    AddOp(value.ssa, seen.ssa, place.ssa)


def _merge(value: Value, seen: Buffer, place: Value) -> None:
    MergeOp(value.ssa, seen.ssa, place.ssa)


def _report(value: Value, seen: Buffer, place: Value) -> None:
    ReportOp(value.ssa)


def test_an_access_of_its_own_fuses() -> None:
    with program("peeking") as p:
        source = p.buffer("source", i32, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i32, N, initial=Initial.UNDEFINED)
        sums = p.buffer("sums", i32, N, live_out=True)
        with p.arm("produce", N) as i:
            handoff[i] = source[i] + 1
        with p.arm("consume", N) as i:
            sums[i] = Value(PeekOp(handoff.ssa, i.ssa).value) + handoff[i + 1]
    after, outcome = fused(p.module, Options("workgroup"))
    assert set(outcome.promoted) == {"handoff"}, list(map(str, outcome.refusals))
    (peek,) = (op for op in after.walk() if isinstance(op, PeekOp))
    assert isinstance(peek.buffer.type, BufferType)
    assert peek.buffer.type.space == MemorySpace.WORKGROUP


@pytest.mark.parametrize("strategy", ["auto", "workgroup", "private"])
def test_an_update_across_a_halo_is_refused(strategy: Strategy) -> None:
    after, outcome = fused(_with_halo(_add), Options(strategy))
    (refusal,) = outcome.refusals
    assert refusal.reason == "side-effects"
    assert sum(isinstance(op, AddOp) for op in after.walk()) == 1


def test_an_idempotent_update_across_a_halo_may_be_repeated() -> None:
    _, outcome = fused(_with_halo(_merge), Options())
    assert set(outcome.promoted) == {"handoff"}


def test_unknown_effects_are_refused_by_name() -> None:
    module = _with_halo(_report)
    after, outcome = fused(module, Options())
    (refusal,) = outcome.refusals
    assert refusal.reason == "unknown-effects"
    assert "'acme.report'" in refusal.detail
    assert after.is_structurally_equivalent(module)
