"""`vyre-prove-accesses`: marks accesses that lie inside their buffer, and how they are aligned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.analysis.divisors import power_of_two_divisor
from vyre_dialect.analysis.forms import LinearForm
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import (
    IN_BOUNDS,
    BufferAccess,
    HasAccessesInterface,
    HasInvocationsInterface,
    may_be_in_bounds,
)
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, element_bytes, scalar_type
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

BASE_ALIGNMENT = 128
"""Bytes to which every buffer is aligned: what OpenCL promises for global memory."""


@dataclass(frozen=True)
class ProveAccessesPass(RewritePass):
    """
    Sets `in_bounds` on each op of an arm or kernel that has this property and touches elements
    inside of their buffers only, whatever the input, and `aligned` on each load and store that
    covers several elements and starts at a known multiple of bytes. What cannot be proven stays
    as it is.
    """

    name = "vyre-prove-accesses"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("canonicalize",),
        invalidates=("vyre-split-index-sets",),  # whose loops may be split once that is done
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        rewriter = rewriter_of(module, facts=None)  # as facts do not rest on what they prove
        for arm, forms in facts.of_arms(LinearForms, module):
            _Prover(arm, forms, rewriter).prove()
        return rewriter.has_done_action


@dataclass
class _Prover:
    """Proves the accesses of one arm or kernel."""

    arm: HasInvocationsInterface
    forms: LinearForms
    rewriter: PatternRewriter

    def prove(self) -> None:
        """Mark what can be proven of each access."""
        for op in ops_inside(self.arm.body):
            if may_be_in_bounds(op) and self._is_in_bounds(op):
                op.properties[IN_BOUNDS] = UnitAttr()
                self.rewriter.notify_op_modified(op)
            if isinstance(op, LoadOp | StoreOp):
                self._set_alignment(op)

    def _is_in_bounds(self, op: Operation) -> bool:
        assert isinstance(op, HasAccessesInterface) and op.parent is not None
        block = op.parent
        return all(self._is_inside(access, block) for access in op.get_accesses())

    def _is_inside(self, access: BufferAccess, block: Block) -> bool:
        if access.index is None or access.count is None:
            return False
        index, count = self._form(access.index, block), self._form(access.count, block)
        length = self.forms.length_at(access.buffer, block)
        past_the_end = index.plus(count).plus(length, -1)
        return all(
            self.forms.is_never_positive(goal, block) for goal in (index.times(-1), past_the_end)
        )

    def _form(self, number: SSAValue | int, block: Block) -> LinearForm:
        if isinstance(number, int):
            return LinearForm((), number)
        return self.forms.at(number, block)

    def _set_alignment(self, op: LoadOp | StoreOp) -> None:
        type = op.buffer.type
        assert isinstance(type, BufferType)
        unit, value = element_bytes(scalar_type(type.element_type)), element_bytes(op.value.type)
        element = element_bytes(type.element_type)
        if unit is None or value is None or element is None or op.elements <= 1:
            return
        proven = self.forms.integers.divisor_at(op.index, op.parent) * power_of_two_divisor(element)
        useful = 1 << (value - 1).bit_length()
        alignment = min(proven, useful, BASE_ALIGNMENT)
        known = 0 if op.alignment is None else op.alignment.value.data
        if alignment > max(unit, known):
            op.alignment = IntegerAttr(alignment, i64)
            self.rewriter.notify_op_modified(op)
