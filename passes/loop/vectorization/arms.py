"""An arm whose neighbouring invocations become lanes, and arms that do so together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IntegerAttr, i8, i64

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.handoffs import is_intermediate
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    LANES,
    BufferType,
    accessed_elements,
    element_bytes,
    scalar_type,
)
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.refusal import Refusal
from vyre_dialect.passes.loop.vectorization.definitions import defined_copy
from vyre_dialect.passes.loop.vectorization.plan import Plan, plan_for
from vyre_dialect.passes.loop.vectorization.refusal import NOT_VECTORIZED, Reason
from vyre_dialect.passes.loop.vectorization.writer import replace_body
from vyre_dialect.passes.rewriting.rewriters import rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import is_multiple

MOST_BYTES = 16
"""Of an access, such that an invocation of a GPU makes it at once."""
FEWEST = 4
"""Lanes that gain anything there; with two of 8 bytes, programs took 1.1 times as long."""


WORDS_OF_BYTES = (8, 16)
"""Lanes of bytes that gain; with four, `letter_pairs` of the gate took 1.03 times as long."""


@dataclass(frozen=True)
class Form:
    """What arms are to become."""

    lanes: int
    """Those of vectors, at most."""
    vectors: bool = True
    """Also where an invocation computes with vectors as it is."""
    turns: bool = True
    """Also where lanes take turns in loops."""
    asks_each: bool = False
    """What is left is done by a loop over all lanes, which asks each for its item."""


@dataclass(frozen=True)
class Planned:
    """An arm whose invocations may become lanes."""

    arm: RegionOp
    form: Form
    plan: Plan
    """Of the arm, or of a copy behind it with definitions in the place of ops."""

    def write(self, facts: AnalysisManager) -> None:
        """Let its neighbouring invocations become lanes."""
        arm, rewriter = self.plan.arm, rewriter_of(self.arm, facts)
        is_whole = is_multiple(arm.domain[0], self.plan.items, facts.get(Integers, arm))
        replace_body(self.plan, rewriter, is_whole=is_whole, asks_each=self.form.asks_each)
        arm.attributes.pop(NOT_VECTORIZED, None)
        arm.attributes[LANES] = IntegerAttr(self.plan.items, i64)
        rewriter.notify_op_modified(arm)
        if arm is not self.arm:
            rewriter.erase(self.arm)

    def drop(self, facts: AnalysisManager) -> None:
        """Leave it as it is."""
        rewriter = rewriter_of(self.arm, facts)
        if self.plan.arm is not self.arm:
            rewriter.erase(self.plan.arm)


def planned(arm: RegionOp, form: Form, facts: AnalysisManager) -> Planned | Refusal:
    """How the invocations of an arm become lanes, to be written or dropped; or why they do not."""
    rewriter = rewriter_of(arm, facts)
    copy = defined_copy(arm, facts, rewriter)
    chosen = arm if copy is None else copy
    plan = plan_for(chosen, form.lanes, facts, vectors=form.vectors, turns=form.turns)
    if isinstance(plan, Plan):
        return Planned(arm, form, plan)
    if copy is not None:
        rewriter.erase(copy)
    return plan


def vectorize(arm: RegionOp, form: Form, facts: AnalysisManager) -> Refusal | None:
    """Let neighbouring invocations of an arm become lanes; why not, where that is not done."""
    found = planned(arm, form, facts)
    return found if isinstance(found, Refusal) else found.write(facts)


def planned_in_lockstep(
    arms: Sequence[RegionOp], form: Form, facts: AnalysisManager
) -> Mapping[RegionOp, Planned | Refusal]:
    """
    How arms that hand on to each other become lanes where hardware runs invocations in lockstep.

    Those that hand on vectors of bytes as it is may stay: the others get as many lanes.
    """
    most = replace(form, lanes=min(form.lanes, _most_lanes(arms, facts)), turns=False)
    found = {arm: planned(arm, most, facts) for arm in arms}
    wide = [arm for arm, each in found.items() if _is_refused(each, Reason.VECTORS)]
    lanes = _handed_bytes(wide)
    if lanes not in WORDS_OF_BYTES or len(wide) == len(arms):
        return found
    for each in found.values():
        if isinstance(each, Planned):
            each.drop(facts)
    as_wide = replace(most, lanes=lanes)
    return {arm: planned(arm, as_wide, facts) for arm in arms if arm not in wide}


def _is_refused(found: Planned | Refusal, reason: Reason) -> bool:
    return isinstance(found, Refusal) and found.reason is reason


def _handed_bytes(arms: Sequence[RegionOp]) -> int | None:
    """How many bytes at once arms take from and hand on to others, if always as many."""
    sizes = set[int | None]()
    for op in (op for arm in arms for op in ops_inside(arm.body)):
        if isinstance(op, LoadOp | StoreOp) and is_intermediate(op.buffer):
            type = op.buffer.type
            assert isinstance(type, BufferType)
            is_of_bytes = type.element_type == i8
            sizes.add(accessed_elements(type, op.value.type) if is_of_bytes else None)
    return sizes.pop() if len(sizes) == 1 else None


def _most_lanes(arms: Sequence[RegionOp], facts: AnalysisManager) -> int:
    """How many lanes arms can have that load and store up to `MOST_BYTES` at once; one for few."""
    widest = max((size for arm in arms for size in _element_sizes(arm, facts)), default=1)
    return most if (most := MOST_BYTES // widest) >= FEWEST else 1


def _element_sizes(arm: RegionOp, facts: AnalysisManager) -> Iterator[int]:
    """The bytes of elements of which neighbouring invocations take different ones."""
    divergence = facts.get(DivergenceAnalysis, arm)
    for op in ops_inside(arm.body):
        if isinstance(op, LoadOp | StoreOp) and divergence.differs_along_x(op.index):
            yield element_bytes(scalar_type(op.value.type)) or MOST_BYTES
