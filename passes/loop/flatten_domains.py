"""
`vyre-flatten-domains`: invocations along several axes lie along one.

    invocations [640, %height]            invocations [640 * %height]
      x, y                           -->    y = i / 640, x = i - y * 640
      load %shades[y * 640 + x]             load %shades[i]

What arms hand to each other lies along one axis, and so do tiles, and the lanes of vectors, which
then need not end with a row. Source: Polychronopoulos, "Loop coalescing: a compiler transformation
for parallel machines", 1987.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.divergence import Divergence, DivergenceAnalysis
from vyre_dialect.analysis.handoffs import joint_arms
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Value, constant, invocation_id
from vyre_dialect.ir.cooperation import unknown_op
from vyre_dialect.ir.interfaces import HasCombinerInterface, ops_outside_arms
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    GROUPS,
    ITEMS,
    LANES,
    MAX_COUNT,
    MAX_WORKGROUP_INVOCATIONS,
    Axis,
    sizes_attr,
)
from vyre_dialect.ops.invocation import InvocationIdOp, knows_its_invocation
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import set_domain
from vyre_dialect.passes.scalar.reassociate import reassociate

MOST_LANES = 16
"""Of a vector, which lies in one row where rows are whole multiples of it."""
MAX_ROW = 2**24
"""Invocations of a row, or of all axes but the last, at most."""


@dataclass(frozen=True)
class FlattenDomainsPass(RewritePass):
    """
    Gives data-parallel arms one axis that hand buffers to each other, where rows have a static
    number of invocations, a multiple of 16, and no row chooses an element that is updated: sums of
    rows stay where a workgroup does a row; nor a column, unless `columns` says that lanes keep the
    sums of columns.
    """

    name = "vyre-flatten-domains"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.EXPAND,
        Family.UNKNOWN,
        requires=("vyre-expand",),
        invalidates=("vyre-vectorize",),
        boundary=Boundary.PROGRAM,
        on_request=True,
    )

    columns: bool = False

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        programs = [each for each in ops_outside_arms(module) if isinstance(each, ProgramOp)]
        rewriter = rewriter_of(module, facts)
        for arms in [arms for program in programs for arms in joint_arms(program)]:
            _flatten_together(arms, self._choosing, facts, rewriter)
        return rewriter.has_done_action

    @property
    def _choosing(self) -> Divergence:
        """The places of an invocation that may choose no element that is updated."""
        return Divergence.Y | Divergence.Z if self.columns else Divergence.INVOCATION


def _flatten_together(
    arms: Sequence[RegionOp],
    choosing: Divergence,
    facts: AnalysisManager,
    rewriter: PatternRewriter,
) -> None:
    """Flatten the arms that hand on to each other: all that have several axes, or none."""
    rows = {arm: _rows(arm) for arm in arms if arm.axes > 1}
    if (
        len(arms) > 1
        and all(rows.values())
        and not any(_updates_by(choosing, arm, facts) for arm in rows)
    ):
        for arm, sizes in rows.items():
            _flatten(arm, sizes, facts, rewriter)


def _rows(arm: RegionOp) -> list[int]:
    """The sizes of all axes but the last, where they can be done without."""
    is_divided = any(each in arm.attributes for each in (LANES, ITEMS, GROUPS))
    if is_divided or not arm.is_data_parallel or unknown_op(arm.body) is not None:
        return []
    sizes = [size for size in arm.domain[:-1] if isinstance(size, int)]
    if len(sizes) != arm.axes - 1 or not sizes or sizes[0] % MOST_LANES:
        return []
    is_told = not any(map(knows_its_invocation, ops_inside(arm.body)))
    known = prod(size for size in arm.domain if isinstance(size, int))
    fits = prod(arm.workgroup) <= MAX_WORKGROUP_INVOCATIONS and prod(sizes) <= MAX_ROW
    return sizes if is_told and fits and known <= MAX_COUNT else []


def _updates_by(choosing: Divergence, arm: RegionOp, facts: AnalysisManager) -> bool:
    """Whether a place of an invocation chooses which element is updated, whatever the data is."""
    divergence = facts.get(DivergenceAnalysis, arm)
    updates = [op for op in ops_inside(arm.body) if isinstance(op, HasCombinerInterface)]
    places = [divergence.of(access.index) for op in updates for access in op.get_accesses()]
    return any(each.is_decided and each & choosing for each in places)


def _flatten(
    arm: RegionOp, rows: Sequence[int], facts: AnalysisManager, rewriter: PatternRewriter
) -> None:
    """Let the invocations of rows of these sizes follow each other."""
    count = _count(arm, prod(rows), facts, rewriter)
    ids = [op for op in ops_inside(arm.body) if isinstance(op, InvocationIdOp)]
    with building(rewriter, InsertPoint.at_start(arm.body.block)):
        along = _along(rows)
    for op in ids:
        rewriter.replace(op, [], [along[op.axis.data].ssa])
    if arm.workgroup_size is not None:
        arm.workgroup_size = sizes_attr([prod(arm.workgroup)])
        rewriter.notify_op_modified(arm)
    set_domain(arm, [count], rewriter)
    reassociate(arm.body, rewriter)


def _count(
    arm: RegionOp, row: int, facts: AnalysisManager, rewriter: PatternRewriter
) -> Value | int:
    """
    How many invocations there are; too many to be launched, or too few, where the product would
    wrap.
    """
    last, most = arm.domain[-1], MAX_COUNT // row + 1
    if isinstance(last, int):
        return last * row
    with building(rewriter, InsertPoint.before(arm)):
        known, count = facts.get(Integers, arm).range_at(last, None), Value(last)
        count = count if known.high <= most else count.min(most)
        return (count if known.low >= -most else count.max(-most)) * row


def _along(rows: Sequence[int]) -> dict[Axis, Value]:
    """The place of an invocation along any axis, the remainder written such that terms cancel."""
    i, size, places = invocation_id(), 1, list[Value]()
    whole = i
    for row in rows:
        size *= row
        above = i // size
        places.append(whole - above * row)
        whole = above
    places += [whole, *[constant(0)] * (len(Axis) - len(places) - 1)]
    return dict(zip(Axis, places, strict=True))
