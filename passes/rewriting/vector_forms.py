"""What ops that compute a number compute for all lanes of vectors at once: their vector forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.ir.meaning import Facet


class Lanes(Protocol):
    """A value in each of several lanes."""

    def wide(self) -> SSAValue:
        """The vector of all of them, at the current place."""
        ...


class LanesBody(Protocol):
    """What is written for several lanes at once, to which vector forms add."""

    lanes: int

    def value(self, value: SSAValue) -> Lanes:
        """What a value of one lane is in all of them."""
        ...

    def wide_type(self, type: Attribute) -> VectorType:
        """The type of the vector of all lanes' values of a type."""
        ...

    def drop_proofs(self, made: Operation) -> None:
        """Take from a new op what is proven only where the branch is taken that it is of."""
        ...


VectorForm: TypeAlias = Callable[[LanesBody, Any], SSAValue]
"""Computes the vector of the results of an op of one result."""
VECTOR_FORM = Facet[VectorForm]("lanes")
"""The vector forms of ops; one that does not say it has none."""


@dataclass(frozen=True)
class PartialForm:
    """The vector form of some ops of a class."""

    compute: VectorForm
    covers: Callable[[Any], bool]
    """Whether an op has it."""

    def __call__(self, body: LanesBody, op: Operation) -> SSAValue:
        return self.compute(body, op)


def only_where(covers: Callable[[Any], bool]) -> Callable[[VectorForm], PartialForm]:
    """A decorator of the vector form that ops have of which something holds, and no others."""
    return lambda compute: PartialForm(compute, covers)


def form_of(op: Operation) -> VectorForm | None:
    """The vector form of an op, if it has one."""
    form = VECTOR_FORM.of(type(op))
    return None if isinstance(form, PartialForm) and not form.covers(op) else form


def lane_by_lane(body: LanesBody, op: Operation) -> SSAValue:
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
