"""An arm whose neighbouring invocations become lanes, and arms that do so together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IndexType, IntegerAttr, VectorType, i8, i64
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.handoffs import is_intermediate
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.places import places
from vyre_dialect.analysis.symbol_keys import IdAlong
from vyre_dialect.ir.interfaces import HasCombinerInterface, Id, arm_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    LANES,
    Axis,
    BufferType,
    accessed_elements,
    element_bytes,
    scalar_type,
)
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.invocation import InvocationIdOp
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

LANES_OF_BYTES = 16
"""Of arms that compute with bytes alone, four of which a word of a GPU holds."""
FEWEST_OF_BYTES = 8
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
    scalars: bool = False
    """Also where most ops are done lane by lane."""


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
    plan = plan_for(
        *(chosen, form.lanes, facts),
        vectors=form.vectors,
        turns=form.turns,
        scalars=form.scalars,
    )
    if isinstance(plan, Plan):
        return Planned(arm, form, plan)
    if copy is not None:
        rewriter.erase(copy)
    return plan


def planned_by_width(
    arms: Sequence[RegionOp], form: Form, lanes_of_bytes: int, facts: AnalysisManager
) -> Mapping[RegionOp, Planned | Refusal]:
    """
    How the invocations of arms that hand on to each other become lanes. Those that compute with
    bytes alone have so many, where each op of them serves all of these.
    """
    found = dict[RegionOp, Planned | Refusal]()
    if lanes_of_bytes > form.lanes:
        wide = replace(form, lanes=lanes_of_bytes)
        chosen = _of_bytes(arms, form.lanes, lanes_of_bytes, facts)
        found |= {arm: planned(arm, wide, facts) for arm in arms if arm in chosen}
        refused = [arm for arm, each in found.items() if isinstance(each, Refusal)]
        found |= {arm: planned(arm, form, facts) for arm in refused}
    plans = [each.plan for each in found.values() if isinstance(each, Planned)]
    if not all(plan.planning.is_all_wide and plan.items == lanes_of_bytes for plan in plans):
        _drop(found, facts)
        found.clear()
    return {arm: found.get(arm) or planned(arm, form, facts) for arm in arms}


def _of_bytes(
    arms: Sequence[RegionOp], lanes: int, lanes_of_bytes: int, facts: AnalysisManager
) -> AbstractSet[RegionOp]:
    """
    The arms that compute with bytes alone, where others have `lanes`; but for those that load once
    what others store in smaller pieces. A load that takes several stores together waits for all of
    them, where both stand side by side; what loads neighbours, too, takes them from a cache.
    """

    def is_small(op: Operation) -> bool:
        if not isinstance(op, StoreOp) or arm_of(op) in found:
            return False
        size = element_bytes(op.value.type) or 1
        is_vector = isinstance(op.value.type, VectorType)
        return (size if is_vector else size * lanes) < lanes_of_bytes

    found = {arm for arm in arms if not _computes_wide(arm, facts)}
    while fed := {arm for arm in found if any(map(is_small, _stores_loaded_once(arm)))}:
        found -= fed
    return found


def _stores_loaded_once(arm: RegionOp) -> Iterator[Operation]:
    """What uses the buffers between arms of which an arm loads in one place."""
    loads = Counter(op.buffer for op in ops_inside(arm.body) if isinstance(op, LoadOp))
    for buffer, count in loads.items():
        if count == 1 and is_intermediate(buffer):
            yield from (use.operation for use in buffer.uses)


def vectorize(arm: RegionOp, form: Form, facts: AnalysisManager) -> Refusal | None:
    """Let neighbouring invocations of an arm become lanes; why not, where that is not done."""
    found = planned(arm, form, facts)
    return found if isinstance(found, Refusal) else found.write(facts)


def planned_in_lockstep(
    arms: Sequence[RegionOp], form: Form, facts: AnalysisManager
) -> Mapping[RegionOp, Planned | Refusal]:
    """
    How arms that hand on to each other become lanes where hardware runs invocations in lockstep,
    and does lane by lane what it would do invocation by invocation.

    There are twice as many of bytes, up to `LANES_OF_BYTES`. Those arms are missing from what is
    returned that hand on vectors of bytes as it is, and stay: the others have as many lanes.
    """
    are_of_bytes = not any(_computes_wide(arm, facts) for arm in arms)
    lanes = min(2 * form.lanes, LANES_OF_BYTES) if are_of_bytes else form.lanes
    narrow = replace(form, lanes=min(lanes, _most_lanes(arms, facts)), turns=False)
    found = {arm: planned(arm, narrow, facts) for arm in arms}
    wide = [arm for arm, each in found.items() if _is_refused(each, Reason.VECTORS)]
    others, handed = [arm for arm in arms if arm not in wide], _handed_bytes(wide)
    if others and handed is not None and FEWEST_OF_BYTES <= handed <= _most_lanes(others, facts):
        _drop(found, facts)
        return {arm: planned(arm, replace(narrow, lanes=handed), facts) for arm in others}
    if _gains_by_loads(found):
        _drop(found, facts)
        return {arm: planned(arm, replace(narrow, scalars=True), facts) for arm in arms}
    return found


def _gains_by_loads(found: Mapping[RegionOp, Planned | Refusal]) -> bool:
    """
    Whether arms stay for no other reason than that most is done lane by lane, though loads of what
    lies apart, as of pixels of three bytes, would be one: `grey_histogram` of the gate took 0.70 of
    the time.
    """
    refused = [each for each in found.values() if isinstance(each, Refusal)]
    has_apart = any(
        isinstance(each, Planned) and each.plan.planning.strided_loads for each in found.values()
    )
    return has_apart and {each.reason for each in refused} == {Reason.MOSTLY_SCALAR}


def _drop(found: Mapping[RegionOp, Planned | Refusal], facts: AnalysisManager) -> None:
    for each in found.values():
        if isinstance(each, Planned):
            each.drop(facts)


def _computes_wide(arm: RegionOp, facts: AnalysisManager) -> bool:
    """Whether neighbouring invocations compute with more than bytes, places and updates aside."""
    divergence, ops = facts.get(DivergenceAnalysis, arm), ops_inside(arm.body)
    known = places(ops)
    return any(
        (element_bytes(scalar_type(result.type)) or 1) > 1
        and not (result in known or isinstance(result.type, IndexType))
        and divergence.differs_along_x(result)
        and not all(isinstance(use.operation, HasCombinerInterface) for use in result.uses)
        for op in ops
        for result in op.results
    )


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
    accesses = [op for arm in arms for op in _differing(arm, facts)]
    most = MOST_BYTES // max(map(_element_size, accesses), default=1)
    handed = {op.buffer for op in accesses if is_intermediate(op.buffer)}
    if handed and all(map(_is_handed_in_place, handed)):
        of_memory = [op for op in accesses if op.buffer not in handed]
        most = max(most, _lanes_that_fill_loads(of_memory, facts))
    return most if most >= FEWEST else 1


def _lanes_that_fill_loads(accesses: Sequence[LoadOp | StoreOp], facts: AnalysisManager) -> int:
    """
    The lanes with which an invocation loads at least `MOST_BYTES`, in one access for each of
    several loads, or in two of a single one, as one that waits for few bytes leaves memory idle.
    One lane where nothing is loaded.
    """
    strided = [op for op in accesses if _is_strided(op, facts)]
    loaded = [_element_size(op) for op in strided if isinstance(op, LoadOp)]
    if not loaded:
        return 1
    most_bytes = MOST_BYTES if len(loaded) > 1 else 2 * MOST_BYTES
    filled = -(-most_bytes // sum(loaded))
    return min(most_bytes // max(map(_element_size, strided)), 1 << (filled - 1).bit_length())


def _differing(arm: RegionOp, facts: AnalysisManager) -> Iterator[LoadOp | StoreOp]:
    """The accesses in which neighbouring invocations take different elements."""
    divergence = facts.get(DivergenceAnalysis, arm)
    for op in ops_inside(arm.body):
        if isinstance(op, LoadOp | StoreOp) and divergence.differs_along_x(op.index):
            yield op


def _element_size(op: LoadOp | StoreOp) -> int:
    return element_bytes(scalar_type(op.value.type)) or MOST_BYTES


def _is_handed_in_place(buffer: SSAValue) -> bool:
    """Whether each invocation has the element of its own id, which stays in its registers."""
    users = (use.operation for use in buffer.uses)
    return all(isinstance(user, BufLenOp) or _is_at_own_id(user) for user in users)


def _is_at_own_id(op: Operation) -> bool:
    """Whether an op accesses the one element of the id along x of its invocation."""
    if not isinstance(op, LoadOp | StoreOp) or not isinstance(op.index.owner, InvocationIdOp):
        return False
    return op.index.owner.axis.data == Axis.X and op.elements == 1


def _is_strided(op: LoadOp | StoreOp, facts: AnalysisManager) -> bool:
    """Whether an access moves with the id along x, by whatever stride."""
    arm = arm_of(op)
    assert arm is not None and op.parent is not None
    form = facts.get(LinearForms, arm).at(op.index, op.parent)
    return any(symbol.key == IdAlong(Id.INVOCATION, 0) for symbol, _ in form.terms)
