"""`vyre-drop-claims`: takes from a program what it says of itself without a proof."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import IN_BOUNDS, PROVEN, HasAccessesInterface
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import EACH_ITEM, NO_WRAP, PROBE, WITHIN_WIDTH
from vyre_dialect.ops.stream import StreamOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

_ATTRIBUTES = frozenset({NO_WRAP, EACH_ITEM, WITHIN_WIDTH, PROBE})
"""Attributes by which passes say what holds of an op."""


@dataclass(frozen=True)
class DropClaimsPass(RewritePass):
    """
    Drops what passes prove, and a program may only claim: `in_bounds` and `aligned` of accesses,
    `overflow` flags, `vyre.within_width` of shifts, `vyre.no_wrap` and `vyre.each_item` of loops,
    `vyre.probe` of arms, and how `vyre.stream` says that a program is cut. `fastmath` flags go,
    too: they let an op have several results.

    The runtime does so first with every program that it compiles; with `xdsl-opt`, name it first
    for programs that are not trusted. Later, it would drop what passes have proven.
    """

    name = "vyre-drop-claims"

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        rewriter = rewriter_of(module, facts)
        for op in ops_inside(module):
            _drop_of(op, rewriter)
        return rewriter.has_done_action


def claimed_accesses(module: ModuleOp) -> frozenset[Operation]:
    """The ops that claim to stay in bounds."""
    return frozenset(
        op for op in ops_inside(module) if IN_BOUNDS in op.properties and _is_access(op)
    )


def _drop_of(op: Operation, rewriter: PatternRewriter) -> None:
    if isinstance(op, StreamOp):
        rewriter.erase(op)
        return
    proven = PROVEN if _is_access(op) else frozenset[str]()
    properties = _without_claims(op.properties, proven)
    attributes = _without_claims(op.attributes, _ATTRIBUTES)
    if (properties, attributes) != (op.properties, op.attributes):
        op.properties, op.attributes = properties, attributes
        rewriter.notify_op_modified(op)


def _without_claims(said: Mapping[str, Attribute], claims: Set[str]) -> dict[str, Attribute]:
    return {name: _without_flags(value) for name, value in said.items() if name not in claims}


def _is_access(op: Operation) -> bool:
    return isinstance(op, HasAccessesInterface)


def _without_flags(value: Attribute) -> Attribute:
    """The flags of an op of `arith` or `math`, none of them set; any other attribute."""
    if isinstance(value, IntegerOverflowAttr | FastMathFlagsAttr):
        return type(value)("none")
    return value
