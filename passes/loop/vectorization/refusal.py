"""Why the invocations of an arm do not become lanes."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.passes.loop.refusal import Refusal

NOT_VECTORIZED = "vyre.not_vectorized"
"""Attribute of an arm: why its invocations did not become lanes."""


class Reason(StrEnum):
    """Machine-readable reasons; stable names that tests and tools match on."""

    COOPERATIVE = "cooperative"
    """The arm depends on its workgroups, or hands on to, or takes from, one that does."""
    COARSENED = "coarsened"
    """An invocation of the arm does several items already."""
    TOO_FEW = "too-few"
    """There are fewer invocations than lanes."""
    TOO_WIDE = "too-wide"
    """A vector of one item leaves no room for a second item."""
    VECTORS = "vectors"
    """An invocation computes with vectors as it is."""
    UNKNOWN_OP = "unknown-op"
    """An op does not say what it touches, or on which ids it depends."""
    PRIVATE_MEMORY = "private-memory"
    """Invocations that become one would share the private memory of one."""
    NO_VECTOR_FORM = "no-vector-form"
    """An op of values that differ between lanes is not one that works lane by lane."""
    DIVERGENT_LOOP = "divergent-loop"
    """Lanes run a loop a different number of times."""
    TURNS_IN_LOOPS = "turns-in-loops"
    """Lanes would take turns in a loop, or wait in one for those that run it longer."""
    NEIGHBOUR = "neighbour"
    """An arm that it hands on to, or takes from, stays as it is."""
    MOSTLY_SCALAR = "mostly-scalar"
    """Most of the accesses and ops would be done one lane after the other."""


def no_vector_form(op: Operation) -> Refusal:
    """The refusal of an op that has no vector form."""
    taken, made = (", ".join(str(each.type) for each in of) for of in (op.operands, op.results))
    detail = f"'{op.name}' of values that differ between lanes has no vector form"
    return Refusal(Reason.NO_VECTOR_FORM, f"{detail}: ({taken}) -> ({made})")
