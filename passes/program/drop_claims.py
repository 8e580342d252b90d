"""`vyre-drop-claims`: takes from a program what it says of itself without a proof."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from vyre_dialect.ir.interfaces import IN_BOUNDS, PROVEN, HasAccessesInterface
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import EACH_ITEM, NO_WRAP, PROBE, WITHIN_WIDTH

_ATTRIBUTES = (NO_WRAP, EACH_ITEM, WITHIN_WIDTH, PROBE)
"""Attributes by which passes say what holds of an op."""


@dataclass(frozen=True)
class DropClaimsPass(ModulePass):
    """
    Drops what passes prove, and a program may only claim: `in_bounds` and `aligned` of accesses,
    `overflow` flags, `vyre.within_width` of shifts, `vyre.no_wrap` and `vyre.each_item` of loops,
    `vyre.probe` of arms. `fastmath` flags go, too: they let an op have several results.

    The runtime does so first with every program that it compiles; with `xdsl-opt`, name it first
    for programs that are not trusted. Later, it would drop what passes have proven.
    """

    name = "vyre-drop-claims"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        drop_claims(op)


def drop_claims(module: ModuleOp) -> frozenset[Operation]:
    """Drop what a program claims, in place; gives the ops that claimed to stay in bounds."""
    claimed = frozenset(
        op for op in ops_inside(module) if IN_BOUNDS in op.properties and _is_access(op)
    )
    for op in ops_inside(module):
        _drop_of(op)
    return claimed


def _drop_of(op: Operation) -> None:
    for name in PROVEN & op.properties.keys() if _is_access(op) else ():
        del op.properties[name]
    for name in _ATTRIBUTES:
        op.attributes.pop(name, None)
    for name, value in [*op.properties.items()]:
        op.properties[name] = _without_flags(value)
    for name, value in [*op.attributes.items()]:
        op.attributes[name] = _without_flags(value)


def _is_access(op: Operation) -> bool:
    return isinstance(op, HasAccessesInterface)


def _without_flags(value: Attribute) -> Attribute:
    """The flags of an op of `arith` or `math`, none of them set; any other attribute."""
    if isinstance(value, IntegerOverflowAttr | FastMathFlagsAttr):
        return type(value)("none")
    return value
