"""`vyre-prove-accesses`: marks accesses that lie inside their buffer, and how they are aligned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Block
from xdsl.passes import ModulePass

from vyre_dialect.ops.kernel import KernelOp, LaunchOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp
from vyre_dialect.passes.analysis.alignment import Divisors, power_of_two_divisor
from vyre_dialect.passes.analysis.linear_forms import LinearForms, is_never_positive
from vyre_dialect.passes.analysis.value_ranges import ValueRanges
from vyre_dialect.types import BufferType, element_bytes, scalar_type

BASE_ALIGNMENT = 128
"""Bytes to which every buffer is aligned: what OpenCL promises for global memory."""

_Access: TypeAlias = LoadOp | StoreOp | AtomicRMWOp | AtomicCASOp


@dataclass(frozen=True)
class ProveAccessesPass(ModulePass):
    """
    Sets `in_bounds` on each access of a kernel whose elements all lie inside the buffer
    whatever the input, and `aligned` on each that covers several elements and starts at a known
    multiple of bytes. What cannot be proven stays as it is.
    """

    name = "vyre-prove-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = [launch for launch in op.walk() if isinstance(launch, LaunchOp)]
        for kernel in [child for child in op.walk() if isinstance(child, KernelOp)]:
            _Prover(kernel, _only_launch(kernel, launches)).prove()


def _only_launch(kernel: KernelOp, launches: list[LaunchOp]) -> LaunchOp | None:
    found = [launch for launch in launches if launch.callee() is kernel]
    return found[0] if len(found) == 1 else None


@dataclass
class _Prover:
    """Proves the accesses of one kernel."""

    kernel: KernelOp
    launch: LaunchOp | None
    ranges: ValueRanges = field(default_factory=ValueRanges)
    divisors: Divisors = field(default_factory=Divisors)
    _forms: dict[Block, LinearForms] = field(default_factory=dict[Block, LinearForms])

    def prove(self) -> None:
        """Mark what can be proven of each access."""
        for op in self.kernel.walk():
            if not isinstance(op, _Access):
                continue
            if op.in_bounds is None and self._is_in_bounds(op):
                op.in_bounds = UnitAttr()
            if isinstance(op, LoadOp | StoreOp):
                self._set_alignment(op)

    def _is_in_bounds(self, op: _Access) -> bool:
        block = op.parent
        assert block is not None
        if block not in self._forms:
            self._forms[block] = LinearForms(self.kernel, self.launch, block, self.ranges)
        forms = self._forms[block]
        index, length = forms.of(op.index), forms.length(op.buffer)
        past_the_end = index.plus(length, -1).shifted(_elements(op))
        facts = forms.facts()
        return is_never_positive(index.times(-1), facts) and is_never_positive(past_the_end, facts)

    def _set_alignment(self, op: LoadOp | StoreOp) -> None:
        type = op.buffer.type
        assert isinstance(type, BufferType)
        unit, value = element_bytes(scalar_type(type.element_type)), element_bytes(op.value.type)
        element = element_bytes(type.element_type)
        if unit is None or value is None or element is None or op.elements <= 1:
            return
        proven = self.divisors.of(op.index) * power_of_two_divisor(element)
        useful = 1 << (value - 1).bit_length()
        alignment = min(proven, useful, BASE_ALIGNMENT)
        known = 0 if op.alignment is None else op.alignment.value.data
        if alignment > max(unit, known):
            op.alignment = IntegerAttr(alignment, i64)


def _elements(op: _Access) -> int:
    return op.elements if isinstance(op, LoadOp | StoreOp) else 1
