"""What ops that compute a number compute for all lanes of vectors at once: their vector forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import Operation, SSAValue

from vyre_dialect.ir.meaning import Facet

if TYPE_CHECKING:
    from vyre_dialect.passes.loop.vectorization.body import Body

VectorForm: TypeAlias = Callable[["Body", Any], SSAValue]
"""Computes the vector of the results of an op of one result."""
VECTOR_FORM = Facet[VectorForm]("lanes")
"""The vector forms of ops; one that does not say it has none."""


def lane_by_lane(body: Body, op: Operation) -> SSAValue:
    """The same op, which does with vectors, lane by lane, what it does with scalars."""
    wide = type(op).create(
        operands=[body.value(operand).wide() for operand in op.operands],
        result_types=[body.wide_type(type) for type in op.result_types],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    body.drop_proofs(wide)
    return wide.results[0]


def takes_vectors(op: Operation) -> bool:
    """Whether an op does with vectors, lane by lane, what it does with scalars."""
    return VECTOR_FORM.of(type(op)) is lane_by_lane
