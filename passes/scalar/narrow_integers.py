"""
`vyre-narrow-integers`: integers are computed in as few bits as hold what they can be.

    %a = arith.extui %x : i8 to i32           %a = arith.extui %x : i8 to i16
    %b = arith.extui %y : i8 to i32           %b = arith.extui %y : i8 to i16
    %s = arith.addi %a, %b : i32        -->   %s = arith.addi %a, %b : i16
    %c = arith.cmpi ult, %s, %k : i32         %c = arith.cmpi ult, %s, %k16 : i16

Lanes of them then fill fewer registers. Source: MLIR's `arith-int-range-narrowing`, which asks the
same of ranges op by op; here, ops that hand on to each other are narrowed together where less is
computed then, conversions included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.signed_ranges import SignedRanges
from vyre_dialect.builder.values import Value, constant
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.rewriting.carried_values import erase_dead
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import after_definition, building, rewriter_of
from vyre_dialect.passes.scalar.narrowing.choice import Choice
from vyre_dialect.passes.scalar.narrowing.forms import Reading, Width

WIDTHS = (8, 16, 32)
"""In bits, as they are tried."""


@dataclass(frozen=True)
class NarrowIntegersPass(RewritePass):
    """
    Narrows arithmetic on scalar integers in arms that are known to fit into 8, 16 or 32 bits, or of
    which only so many are read: sums, differences, products, what is bitwise, shifts by less than
    so many, quotients by numbers, extremes, absolute values, selections, comparisons, and what
    packages describe by `narrow` or define by these. What is computed from places alone is left.
    """

    name = "vyre-narrow-integers"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.EXPAND,  # as there are as many lanes as registers hold of what they compute with
        Family.UNKNOWN,
        requires=("vyre-expand",),
        invalidates=("vyre-vectorize",),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        arms = [op for op in ops_outside_arms(module) if isinstance(op, RegionOp)]
        return any([_narrow(arm, bits, facts) for bits in WIDTHS for arm in arms])


def _narrow(arm: RegionOp, bits: int, facts: AnalysisManager) -> bool:
    """Narrow what gains by having so many bits; whether anything does."""
    ops = ops_inside(arm.body)
    width = Width(bits, facts.get(Integers, arm).range_at, facts.get(SignedRanges, arm).fact)
    choice = Choice(ops, width)
    rewriter = rewriter_of(arm, facts)
    if choice.forms:
        _Narrowing(rewriter, choice).write(ops)
        erase_dead(arm.body.block, rewriter)
    return rewriter.has_done_action


@dataclass
class _Narrowing:
    """Writes what is narrowed of an arm, and knows the few bits of its values."""

    rewriter: PatternRewriter
    choice: Choice
    _narrow: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])

    def write(self, ops: Sequence[Operation]) -> None:
        """Narrow, which leaves the ops with nothing that reads them."""
        for op in ops:
            if op in self.choice.forms:
                self._write(op)

    def _write(self, op: Operation) -> None:
        form, (result,) = self.choice.forms[op], op.results
        operands = list(op.operands)
        for place in form.places:
            operands[place] = self._narrowed(op.operands[place]).ssa
        with building(self.rewriter, InsertPoint.before(op)):
            narrow = Value(form.compute(*operands))
        narrow.ssa.name_hint = result.name_hint
        if not self.choice.width.is_exceeded_by(result):
            self.rewriter.replace_all_uses_with(result, narrow.ssa)
            return
        self._narrow[result] = narrow
        self._replace(op, narrow)

    def _replace(self, op: Operation, narrow: Value) -> None:
        """Let what is not narrowed read the result of an op in as many bits as before, or cut."""
        (result,), forms = op.results, self.choice.forms
        others = [use.operation for use in result.uses if use.operation not in forms]
        for cut in filter(self.choice.cuts, others):
            with building(self.rewriter, InsertPoint.before(cut)):
                self.rewriter.replace(cut, [], [narrow.to(cut.results[0].type).ssa])
        is_read = any(use.operation not in forms for use in result.uses)
        if is_read:
            is_signed = self.choice.readings[op] == Reading.SIGNED
            with building(self.rewriter, InsertPoint.before(op)):
                wide = narrow.to(result.type, signed=is_signed).ssa
            self.rewriter.replace_uses_with_if(result, wide, lambda use: use.operation not in forms)

    def _narrowed(self, value: SSAValue) -> Value:
        """The low bits of a value, by the least that makes them."""
        if value in self._narrow:
            return self._narrow[value]
        type = self.choice.width.type
        with building(self.rewriter, after_definition(value)):
            self._narrow[value] = self._converted(value, type)
        return self._narrow[value]

    def _converted(self, value: SSAValue, type: IntegerType) -> Value:
        if (number := integer_of(value)) is not None:
            return constant(number % (1 << type.width.data), type)
        if (extension := self.choice.extended(value)) is not None:
            is_signed = isinstance(extension, arith.ExtSIOp)
            return Value(extension.input).to(type, signed=is_signed)
        return Value(value).to(type)
