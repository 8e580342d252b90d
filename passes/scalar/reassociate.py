"""
`vyre-reassociate`: sums and differences of integers in which terms cancel each other.

    (i * 8 + 3) * 12 - i * 96  -->  36

Forms are linear modulo two to the power of the width, which is how addition, subtraction and
multiplication compute: that something might wrap around makes no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.analysis.forms import LinearForm, Sums, Symbol
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.value_ranges import bit_width, full_range
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

MAX_TERMS = 8
"""Values that a form may be a sum of; what is a sum of more counts as one value."""


@dataclass(frozen=True)
class ReassociatePass(RewritePass):
    """
    Replaces sums, differences and multiples whose terms cancel: by a number, by the one value that
    is left, or by its sum with a number. Nothing needs to be known of ranges.
    """

    name = "vyre-reassociate"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.SCALAR,
        requires=("vyre-unroll", "vyre-cse"),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses"),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        rewriter = rewriter_of(module, facts)
        reassociate(module, rewriter)
        return rewriter.has_done_action


def reassociate(scope: Operation | Region, rewriter: PatternRewriter) -> None:
    """Replace the sums inside of a scope whose terms cancel."""
    sums = _WrappingSums()
    for each in ops_inside(scope):
        if sums.is_sum(each) and sums.are_simpler_than(each):
            _replace(each, sums.fact(each.results[0]), rewriter)


class _WrappingSums(Sums):
    """Sums modulo two to the power of the width, which is how ops compute them."""

    def is_taken_apart(self, op: Operation) -> bool:
        if not isinstance(op.results[0].type, IndexType | IntegerType):
            return False
        amount = integer_of(op.operands[1]) if isinstance(op, arith.ShLIOp) else 0
        return amount is not None and 0 <= amount < bit_width(op.results[0].type)

    def symbol(self, value: SSAValue) -> Symbol:
        return Symbol(value, full_range(value.type))

    def normal(self, form: LinearForm, value: SSAValue) -> LinearForm | None:
        modulus = _modulus(value)
        factors = {symbol: factor % modulus for symbol, factor in form.terms}
        form = LinearForm.of(factors, form.constant % modulus)
        return form if len(form.terms) <= MAX_TERMS else None

    def are_simpler_than(self, op: Operation) -> bool:
        """Whether they say in fewer ops what `op` computes: fewer terms than the operands have."""
        form = self.fact(op.results[0])
        if form.terms and _one_value(form) in (None, op.results[0]):
            return False
        return any(len(self.fact(each).terms) > len(form.terms) for each in op.operands)


def _one_value(form: LinearForm) -> SSAValue | None:
    """The one value that a form is, apart from the constant."""
    ((symbol, factor), *others) = form.terms or [(None, 0)]
    if symbol is None or factor != 1 or others:
        return None
    assert isinstance(symbol.key, SSAValue)
    return symbol.key


def _modulus(value: SSAValue) -> int:
    return 1 << bit_width(value.type)


def _replace(op: Operation, form: LinearForm, rewriter: PatternRewriter) -> None:
    """Put what the form says in the place of `op`."""
    (result,) = op.results
    assert isinstance(result.type, IndexType | IntegerType)
    value = _one_value(form)
    if value is not None and not form.constant:
        rewriter.replace(op, [], [value])
        return
    number = arith.ConstantOp(IntegerAttr(_signed(form.constant, _modulus(result)), result.type))
    new: list[Operation] = [number]
    if value is not None:
        new.append(arith.AddiOp(value, number.result))
    rewriter.replace(op, new)


def _signed(number: int, modulus: int) -> int:
    return number - modulus if number >= modulus // 2 else number
