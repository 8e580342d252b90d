"""
What comparisons of integers give, by the ranges of both sides or by all that forms say of them.

A comparison is taken apart into inequalities that all hold exactly where it does: it is true where
each of them is proven, and false where the opposite of one is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vyre_dialect.analysis.forms import LinearForm, Symbol, inequalities, ordered
from vyre_dialect.analysis.guards import Comparison
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.value_ranges import Range, bit_width, holds_signed_numbers

_Inequalities: TypeAlias = Callable[[Comparison], Iterable[LinearForm]]
_Proof: TypeAlias = Callable[[LinearForm], bool]
"""Whether a form is known to be at most 0."""


def condition_of(op: Operation) -> arith.CmpiOp | None:
    """The comparison of indices that an `scf.if` asks for."""
    condition = op.cond.owner if isinstance(op, scf.IfOp) else None
    if isinstance(condition, arith.CmpiOp) and isinstance(condition.lhs.type, IndexType):
        return condition
    return None


# By ranges.


def are_in_order(type: Attribute, signedness: str, left: Range, right: Range) -> bool:
    """
    Whether what orders `signed` or `unsigned` numbers of a type, or lanes, orders them as their
    ranges do, which are of signed or of unsigned ones: both agree where no sign bit is set.
    """
    if signedness == ("signed" if holds_signed_numbers(type) else "unsigned"):
        return True
    positive = Range(0, 2 ** (bit_width(type) - 1) - 1)
    return left.within(positive) and right.within(positive)


def decide_by_ranges(op: arith.CmpiOp, left: Range, right: Range) -> bool | None:
    """What a comparison gives for all numbers of the ranges of its operands, if that is one."""
    comparison = Comparison.of(op)
    signedness = comparison.signedness
    if signedness is not None and not are_in_order(op.lhs.type, signedness, left, right):
        return None
    one, other = Symbol("left", left).form, Symbol("right", right).form
    return _decide(
        comparison,
        lambda each: ordered(each.predicate, one, other),
        lambda form: form.highest <= 0,
    )


# By forms.


def decide(
    op: arith.CmpiOp, block: Block, forms: LinearForms, known: Sequence[LinearForm] = ()
) -> bool | None:
    """
    What a comparison of indices gives wherever `block` runs and forms that are `known` are at most
    0, or None when that is not known.
    """
    return _decide(
        Comparison.of(op),
        lambda each: required(each, block, forms, known),
        lambda form: forms.is_never_positive(form, block, known),
    )


def required(
    comparison: Comparison, block: Block, forms: LinearForms, known: Sequence[LinearForm] = ()
) -> list[LinearForm]:
    """
    Forms that are all at most 0 exactly where a comparison holds, wherever `block` runs and forms
    that are `known` are at most 0; none where no forms say that.
    """

    def is_non_negative(value: SSAValue) -> bool:
        return forms.is_never_positive(forms.at(value, block).times(-1), block, known)

    left, right = forms.at(comparison.left, block), forms.at(comparison.right, block)
    return list(inequalities(comparison, left, right, is_non_negative))


def _decide(comparison: Comparison, needed: _Inequalities, proves: _Proof) -> bool | None:
    for each, is_true in ((comparison, True), (comparison.negated, False)):
        if forms := list(needed(each)):
            found = _hold(forms, proves)
            return None if found is None else found is is_true
    return None


def _hold(forms: Sequence[LinearForm], proves: _Proof) -> bool | None:
    """Whether all forms are at most 0, or one of them never is; None when neither is known."""
    if all(proves(form) for form in forms):
        return True
    return False if any(proves(form.times(-1).shifted(1)) for form in forms) else None
