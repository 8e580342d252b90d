"""
Which values differ between neighbouring invocations, and by how much. Source: Karrenberg and Hack,
"Whole-function vectorization".
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from vyre_dialect.analysis.forms import Form, Symbol
from vyre_dialect.analysis.forward_analysis import (
    Computed,
    Counter,
    ForwardAnalysis,
    Given,
    Merged,
    Rule,
    origin_of,
)
from vyre_dialect.analysis.guards import PREDICATES
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ir.effects import buffers_touched
from vyre_dialect.ir.interfaces import AccessKind, accesses_of
from vyre_dialect.ir.types import Axis
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.program import RegionOp

_ID = ("invocation", 0)
"""The key of the symbol that neighbours differ in."""
_SMALL = Range(-(2**61), 2**61)
"""Numbers whose differences do not wrap around."""
MAX_STEP = 2**24
"""Steps whose multiples, for each lane, are an `i32`."""


class Varying(ForwardAnalysis[SSAValue, bool]):
    """Decides of values of a data-parallel arm whether neighbours along x may differ in them."""

    start = False

    def __init__(self, arm: RegionOp):
        super().__init__()
        touched = buffers_touched(arm.body)
        self.written = {buffer for buffer, kinds in touched.items() if AccessKind.WRITE in kinds}
        """The buffers that the arm writes: what is loaded from them depends on the moment."""

    def rule(self, node: SSAValue) -> Rule[SSAValue, bool]:
        """As its op says, or if anything differs that it is computed from."""
        match origin_of(node):
            case Computed(op):
                own = isinstance(op, InvocationIdOp) and op.axis.data == Axis.X
                own |= any(access.buffer in self.written for access in accesses_of(op))
                return Rule(op.operands, lambda facts: own or any(facts))
            case Merged(sources, steering):
                return Rule((*steering, *sources), any)
            case Counter(begin, end, step):
                return Rule((begin, end, step), any)
            case Given():
                return Rule((), any)
            case None:
                return Rule((), lambda _: True)


class Steps:
    """What linear forms say about the values of an arm from lane to lane."""

    def __init__(self, forms: LinearForms, varying: Varying):
        self.forms, self.ranges = forms, forms.ranges
        self._varying = varying

    def of(self, form: Form) -> int | None:
        """By how much a form grows from lane to lane, if that is always the same."""
        step = 0
        for symbol, factor in form.terms:
            if symbol.key == _ID:
                step = factor
            elif not self._is_uniform(symbol):
                return None
        return step

    def of_value(self, value: SSAValue, block: Block) -> int | None:
        """By how much an index grows from lane to lane, if that is always the same."""
        return self.of(self.forms.at(value, block))

    def of_comparison(self, op: arith.CmpiOp) -> tuple[str, int] | None:
        """
        The signed predicate that a comparison of indices asks for, and by how much the left side
        grows more than the right one from lane to lane; None where that is not known exactly.
        """
        block = op.parent
        assert block is not None
        if not isinstance(op.lhs.type, IndexType):
            return None
        ranges = [self.ranges.range_at(operand, block) for operand in op.operands]
        if not all(each.within(_SMALL) for each in ranges):
            return None
        predicate = PREDICATES[op.predicate.value.data]
        if predicate.startswith("u"):
            if not all(each.is_non_negative for each in ranges):
                return None
            predicate = f"s{predicate[1:]}"
        left, right = (self.forms.at(operand, block) for operand in op.operands)
        step = self.of(left.plus(right, -1))
        return None if step is None or abs(step) > MAX_STEP else (predicate, step)

    def _is_uniform(self, symbol: Symbol) -> bool:
        """Whether a symbol stands for the same number in all lanes, as far as its key says."""
        pending = [symbol]
        while pending:
            key = pending.pop().key
            if isinstance(key, SSAValue):
                if self._varying.fact(key):
                    return False
                continue
            assert isinstance(key, tuple)
            kind, *of = cast(tuple[Any, ...], key)
            match kind:
                case "iteration" if not self._varying.fact(of[0]):
                    pass
                case "quotient":
                    pending += [each for each, _ in of[0]]
                case "length":
                    pass
                case "invocation" if of[0] != 0:
                    pass
                case _:
                    return False
        return True
