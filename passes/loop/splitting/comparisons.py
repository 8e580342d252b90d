"""What comparisons of indices give, for all that sums say of both sides."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation

from vyre_dialect.analysis.forms import LinearForm
from vyre_dialect.analysis.guards import NEGATED, PREDICATES
from vyre_dialect.analysis.linear_forms import LinearForms


def condition_of(op: Operation) -> arith.CmpiOp | None:
    """The comparison of indices that an `scf.if` asks for."""
    condition = op.cond.owner if isinstance(op, scf.IfOp) else None
    if isinstance(condition, arith.CmpiOp) and isinstance(condition.lhs.type, IndexType):
        return condition
    return None


def truth(
    op: arith.CmpiOp, block: Block, forms: LinearForms, known: Sequence[LinearForm] = ()
) -> bool | None:
    """
    What a comparison, signed or for equality, gives wherever `block` runs and forms that are
    `known` are at most 0, or None when that is not known.
    """
    for is_true in (True, False):
        form = violated(op, block, forms, is_true)
        if form is not None and forms.is_never_positive(form, block, known):
            return is_true
    predicate = PREDICATES[op.predicate.value.data]
    if predicate in ("eq", "ne") and _differ(op, block, forms, known):
        return predicate == "ne"
    return None


def _differ(
    op: arith.CmpiOp, block: Block, forms: LinearForms, known: Sequence[LinearForm]
) -> bool:
    """Whether one side of a comparison is always the smaller one."""
    left, right = forms.at(op.lhs, block), forms.at(op.rhs, block)
    below, above = left.plus(right, -1).shifted(1), right.plus(left, -1).shifted(1)
    return any(forms.is_never_positive(each, block, known) for each in (below, above))


def violated(
    op: arith.CmpiOp, block: Block, forms: LinearForms, is_true: bool
) -> LinearForm | None:
    """The form that is positive exactly where a comparison is not what it is said to be."""
    left, right = forms.at(op.lhs, block), forms.at(op.rhs, block)
    predicate = PREDICATES[op.predicate.value.data]
    match predicate if is_true else NEGATED[predicate]:
        case "sle":
            return left.plus(right, -1)
        case "slt":
            return left.plus(right, -1).shifted(1)
        case "sge":
            return right.plus(left, -1)
        case "sgt":
            return right.plus(left, -1).shifted(1)
        case _:
            return None
