"""
`vyre-cancel-terms`: sums and differences of integers in which terms cancel each other.

    (i * 8 + 3) * 12 - i * 96  -->  36

Forms are linear modulo two to the power of the width, which is how addition, subtraction and
multiplication compute: that something might wrap around makes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from vyre_dialect.analysis.value_ranges import bit_width
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside

MAX_TERMS = 8
"""Values that a form may be a sum of; what is a sum of more counts as one value."""


@dataclass(frozen=True)
class CancelTermsPass(ModulePass):
    """
    Replaces additions and subtractions, and products with constants, whose terms cancel: by a
    number, by the one value that is left, or by its sum with a number. Nothing needs to be known
    of ranges.
    """

    name = "vyre-cancel-terms"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.SCALAR,
        requires=("vyre-unroll", "vyre-cse"),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses"),
        on_request=True,
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        forms = dict[SSAValue, _Form]()
        for each in list(ops_inside(op)):
            form = _form_of(each, forms)
            if form is None:
                continue
            result = each.results[0]
            forms[result] = form
            if form.is_simpler_than(each, forms):
                forms[_replaced(each, form)] = form


@dataclass(frozen=True)
class _Form:
    """`sum(factor * value) + constant`, modulo two to the power of the width."""

    terms: Mapping[SSAValue, int]
    constant: int

    def plus(self, other: _Form, times: int, modulus: int) -> _Form:
        """The sum with `times` the other form."""
        factors = dict(self.terms)
        for value, factor in other.terms.items():
            factors[value] = (factors.get(value, 0) + times * factor) % modulus
        kept = {value: factor for value, factor in factors.items() if factor}
        return _Form(kept, (self.constant + times * other.constant) % modulus)

    @property
    def value(self) -> SSAValue | None:
        """The one value that it is, apart from the constant."""
        ((value, factor), *others) = self.terms.items() or [(None, 0)]
        return value if factor == 1 and not others else None

    def is_simpler_than(self, op: Operation, forms: Mapping[SSAValue, _Form]) -> bool:
        """Whether it says in fewer ops what `op` computes: fewer terms than the operands have."""
        if self.terms and self.value is None:
            return False
        return any(len(_known(operand, forms).terms) > len(self.terms) for operand in op.operands)


def _known(value: SSAValue, forms: Mapping[SSAValue, _Form]) -> _Form:
    """The form of a value; one of which nothing is known is a term."""
    if (form := forms.get(value)) is not None:
        return form
    if (number := integer_of(value)) is not None:
        return _Form({}, number % _modulus(value))
    return _Form({value: 1}, 0)


def _modulus(value: SSAValue) -> int:
    return 1 << bit_width(value.type)


def _form_of(op: Operation, forms: Mapping[SSAValue, _Form]) -> _Form | None:
    """The form of what `op` computes, if it is a sum, a difference or a multiple."""
    if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
        return None
    if not isinstance(op.result.type, IndexType | IntegerType):
        return None
    left, right = _known(op.lhs, forms), _known(op.rhs, forms)
    modulus = _modulus(op.result)
    if isinstance(op, arith.MuliOp):
        form = _product(left, right, modulus)
    else:
        form = left.plus(right, 1 if isinstance(op, arith.AddiOp) else -1, modulus)
    return form if form is not None and len(form.terms) <= MAX_TERMS else None


def _product(left: _Form, right: _Form, modulus: int) -> _Form | None:
    """The product of two forms, one of which is a number."""
    if not left.terms:
        left, right = right, left
    return None if right.terms else _Form({}, 0).plus(left, right.constant, modulus)


def _replaced(op: Operation, form: _Form) -> SSAValue:
    """Put what the form says in the place of `op`."""
    (result,) = op.results
    assert isinstance(result.type, IndexType | IntegerType)
    if form.value is not None and not form.constant:
        Rewriter.replace_op(op, [], [form.value])
        return form.value
    number = arith.ConstantOp(IntegerAttr(_signed(form.constant, _modulus(result)), result.type))
    new: list[Operation] = [number]
    if form.value is not None:
        new.append(arith.AddiOp(form.value, number.result))
    Rewriter.replace_op(op, new)
    return new[-1].results[0]


def _signed(number: int, modulus: int) -> int:
    return number - modulus if number >= modulus // 2 else number
