"""
How lanes compute values: an op of numbers becomes the same op of vectors, or, where the results
grow from lane to lane by equal steps, is computed once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.forms import LINEAR, LinearForm, Operands, Symbol
from vyre_dialect.analysis.value_ranges import UNKNOWN
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ops.lanes import CompareLanesOp, Predicate
from vyre_dialect.passes.loop.refusal import Refusal
from vyre_dialect.passes.loop.vectorization.body import Body, Recipe
from vyre_dialect.passes.loop.vectorization.lane_values import numbers
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.recipes import EachLane, plan_once_at_offsets
from vyre_dialect.passes.loop.vectorization.refusal import no_vector_form
from vyre_dialect.passes.loop.vectorization.steps import Offsets
from vyre_dialect.passes.loop.vectorization.wrapped_rows import plan_along_rows
from vyre_dialect.passes.rewriting.vector_forms import (
    VECTOR_FORM,
    VectorForm,
    form_of,
    takes_vectors,
)


def is_elementwise(op: Operation) -> bool:
    """Whether an op computes values, and ops like it have a vector form."""
    return VECTOR_FORM.of(type(op)) is not None


@dataclass(frozen=True)
class Widened(Recipe):
    """An op computes vectors."""

    op: Operation
    form: VectorForm

    def write(self, body: Body) -> None:
        """Compute the vector of its results."""
        body.bind_wide(self.op.results[0], self.form(body, self.op))


@dataclass(frozen=True)
class ComparedSteps(Recipe):
    """
    The comparison of indices that are known numbers apart: by how much more the left side grows,
    compared with what it lacks at first.
    """

    op: arith.CmpiOp
    predicate: str
    offsets: Offsets

    def write(self, body: Body) -> None:
        """Compute the mask of the lanes in which the predicate holds."""
        left, right = (Value(body.value(operand).at(0)) for operand in self.op.operands)
        most, least = max(self.offsets), min(self.offsets)
        lacking = (right - left).minsi(most + 1).maxsi(least - 1)
        type = VectorType(_I32, [body.lanes])
        wide, predicate = lacking.to(_I32).broadcast(body.lanes), Predicate(self.predicate)
        compared = CompareLanesOp(predicate, numbers(self.offsets, type).ssa, wide.ssa)
        body.bind_wide(self.op.result, compared.result)


_I32 = IntegerType(32)


def plan_elementwise(planning: Planning, op: Operation) -> Recipe | Refusal:
    """How an op of values, some of which differ between lanes, is computed for all of them."""
    if (form := form_of(op)) is None:
        return no_vector_form(op)
    (result,) = op.results
    if (offsets := _offsets(planning, op)) is not None:
        return plan_once_at_offsets(planning, op, offsets)
    if _is_of_indices(op):
        return _plan_index(planning, op)
    planning.note(None, result)
    _count(planning, op)
    return _compared_steps(planning, op) or Widened(op, form)


def _count(planning: Planning, op: Operation) -> None:
    """Count an op of vectors by what processors have instructions for."""
    if not isinstance(op, _DIVISIONS):
        planning.wide_ops += 1
    elif integer_of(op.rhs):
        planning.wide_ops += OPS_OF_DIVISION
    else:
        planning.scalar_ops += 1


OPS_OF_DIVISION = 4
"""What compilers divide by a constant by: a wider multiplication, shifts, and a correction."""
_DIVISIONS = (
    *(arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp),
    *(arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
)
"""What processors have no vector instruction for, of integers."""


# Numbers in equal steps, and indices.


def _is_of_indices(op: Operation) -> bool:
    """Whether an op computes indices, or from indices, and has no vector form that takes them."""
    if not takes_vectors(op):
        return False
    return any(isinstance(each.type, IndexType) for each in (*op.operands, *op.results))


def _plan_index(planning: Planning, op: Operation) -> Recipe:
    """Indices choose places, one for each lane, unless they are known numbers apart."""
    (result,), block = op.results, op.parent
    assert block is not None
    if not planning.is_masked and isinstance(result.type, IndexType):
        offsets = planning.steps.offsets(planning.steps.forms.at(result, block))
        if offsets is not None:
            return plan_once_at_offsets(planning, op, offsets)
    if along := plan_along_rows(planning, op):
        return along
    planning.note(None, result)
    return EachLane(op)


def _offsets(planning: Planning, op: Operation) -> Offsets | None:
    """How much larger the result is in each lane, modulo two to the power of its width."""
    transfer = LINEAR.of(type(op)) if LINEAR.is_stated(type(op)) else None
    if transfer is None or isinstance(op.results[0].type, VectorType):
        return None
    known = {operand: planning.offsets_of(operand) for operand in op.operands}
    if None in known.values():
        return None
    offsets = {operand: each for operand, each in known.items() if each is not None and any(each)}
    form = transfer(op, Operands([_in_lane(operand, offsets) for operand in op.operands]))
    return None if form is None else _added(form, offsets, planning.lanes)


def _in_lane(operand: SSAValue, offsets: Mapping[SSAValue, Offsets]) -> LinearForm:
    """An operand in any lane: as in the first, and what it is more."""
    number = integer_of(operand)
    first = Symbol(operand, UNKNOWN).form if number is None else LinearForm((), number)
    return first.plus(_more(operand).form) if operand in offsets else first


def _more(operand: SSAValue) -> Symbol:
    return Symbol(("more", operand), UNKNOWN)


def _added(form: LinearForm, offsets: Mapping[SSAValue, Offsets], lanes: int) -> Offsets:
    """What is added to a form, in each lane, by what operands are more."""
    factors = [(form.factors.get(_more(operand), 0), each) for operand, each in offsets.items()]
    return tuple(sum(factor * each[lane] for factor, each in factors) for lane in range(lanes))


def _compared_steps(planning: Planning, op: Operation) -> Recipe | None:
    if not isinstance(op, arith.CmpiOp) or planning.is_masked:
        return None
    if any(planning.offsets_of(operand) is None for operand in op.operands):
        return None
    known = planning.steps.of_comparison(op)
    return None if known is None else ComparedSteps(op, *known)
