"""
The proofs: may these arms run tile by tile, one after the other inside each tile?

Every question is a set that must be empty; where it is not, a point of it is the
counterexample (the method of Feautrier's dataflow analysis and of loopy's checks, with isl).
"""

from __future__ import annotations

from collections.abc import Iterable

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from vyre_dialect.interfaces import AccessKind
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.passes.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.counterexamples import crossing, missing_writer
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refused
from vyre_dialect.passes.fusion.tiling.tiles import Share
from vyre_dialect.types import Initial, MemorySpace
from vyre_dialect.uniformity import Uniformity


def require_coverage(
    analysis: ProgramAnalysis, handoff: BufferOp, producer: ArmAccesses, consumer: ArmAccesses
) -> None:
    """Raise Refused unless every element that `consumer` reads is one that `producer` writes."""
    reads, writes = consumer.reads_of(handoff), producer.writes_to(handoff)
    written, ranges = producer.touched(writes).range(), analysis.symbols.ranges()

    def missing(some: list[AccessRelation]) -> isl.Map:
        return consumer.touched(some).subtract_range(written).intersect_params(ranges)

    if missing(reads).is_empty():
        return
    read = next(read for read in reads if not missing([read]).is_empty())
    initial = handoff.initial_contents == Initial.HOST
    raise Refused(
        Reason.READS_INITIAL_CONTENTS if initial else Reason.NOT_COVERED,
        "the consumer reads an element that the producer does not write",
        consumer=consumer.arm,
        cause=read.op,
        earlier=writes[0].op if writes else None,
        counterexample=missing_writer(analysis, handoff, missing([read]), consumer),
    )


def require_order(
    analysis: ProgramAnalysis, earlier: Share, later: Share, promoted: Iterable[BufferOp]
) -> None:
    """
    Raise Refused unless every dependence from `earlier` to `later` through a buffer that is
    not promoted stays inside one tile.
    """
    kept = set(_visible(earlier.arm, promoted)) & set(later.arm.buffers())
    for buffer in sorted(kept, key=analysis.position):
        for before in earlier.arm.to(buffer):
            for after in later.arm.to(buffer):
                _require_ordered(analysis, earlier, before, later, after)


def _visible(arm: ArmAccesses, promoted: Iterable[BufferOp]) -> list[BufferOp]:
    """
    The buffers that others see: no tiles, and none that every invocation or workgroup has of
    its own, undefined at its start.
    """
    return [
        buffer
        for buffer in arm.buffers()
        if buffer not in promoted and buffer.type.space == MemorySpace.GLOBAL
    ]


def _require_ordered(
    analysis: ProgramAnalysis,
    earlier: Share,
    before: AccessRelation,
    later: Share,
    after: AccessRelation,
) -> None:
    if not (before.writes or after.writes) or before.access.commutes_with(after.access):
        return
    if before.touched is None or after.touched is None:
        unknown = before if before.touched is None else after
        raise Refused(
            Reason.NON_AFFINE,
            f"cannot tell which elements of '@{before.buffer.sym_name.data}' are touched",
            consumer=later.arm.arm,
            cause=unknown.cause,
        )
    violations = _violations(earlier, before, later, after)
    violations = violations.intersect_params(analysis.symbols.ranges())
    if violations.is_empty():
        return
    raise Refused(
        Reason.CROSS_WORKGROUP,
        f"a dependence through '@{before.buffer.sym_name.data}' crosses tiles",
        consumer=later.arm.arm,
        cause=after.op,
        earlier=before.op,
        counterexample=crossing(analysis, earlier, before, later, after, violations),
    )


def _violations(
    earlier: Share, before: AccessRelation, later: Share, after: AccessRelation
) -> isl.Map:
    """Pairs of different tiles `{ T[v] -> T[w] }` that touch one element."""
    assert before.touched is not None
    assert after.touched is not None
    depends = before.touched.apply_range(after.touched.reverse())
    needed_in = depends.apply_range(later.runs.reverse())
    pairs = earlier.runs.apply_range(needed_in)
    return pairs.subtract(isl.Map.identity(pairs.get_space()))


def conflict(first: ArmAccesses, second: ArmAccesses) -> bool:
    """Whether both arms touch a buffer that one of them writes."""
    for buffer in set(first.buffers()) & set(second.buffers()):
        if any(access.writes for access in (*first.to(buffer), *second.to(buffer))):
            return True
    return False


def is_repeated(share: Share, ranges: isl.Set) -> bool:
    """Whether some invocation runs in more than one tile."""
    return not share.runs.intersect_params(ranges).reverse().is_single_valued()


def require_harmless_repetition(share: Share, promoted: Iterable[BufferOp]) -> None:
    """Raise Refused if running an invocation of the arm again could be noticed."""
    for buffer in _visible(share.arm, promoted):
        accesses = share.arm.to(buffer)
        if not any(access.writes for access in accesses):
            continue
        for access in accesses:
            _require_repeatable(access, accesses)


def _require_repeatable(access: AccessRelation, others: list[AccessRelation]) -> None:
    name = access.buffer.sym_name.data
    if access.kind == AccessKind.UPDATE and not access.access.idempotent:
        raise Refused(
            Reason.SIDE_EFFECTS,
            f"decoding an element twice would update '@{name}' twice",
            cause=access.op,
        )
    if access.kind == AccessKind.READ and any(other.writes for other in others):
        raise Refused(
            Reason.SIDE_EFFECTS,
            f"decoding an element twice would read '@{name}' after writing it",
            cause=access.op,
        )
    overwrites = access.may_repeat or any(_may_overlap(access, other) for other in others)
    if access.kind == AccessKind.WRITE and overwrites:
        raise Refused(
            Reason.SIDE_EFFECTS,
            f"decoding an element twice would overwrite what is stored to '@{name}' later",
            cause=access.op,
        )


def _may_overlap(access: AccessRelation, other: AccessRelation) -> bool:
    """Whether another op writes an element that `access` writes, for all that is known."""
    if other is access or not other.writes:
        return False
    if access.touched is None or other.touched is None:
        return True
    return not access.touched.range().is_disjoint(other.touched.range())


def require_no_uniform_reads(consumer: ArmAccesses, handoffs: Iterable[BufferOp]) -> None:
    """
    Raise Refused if the invocations of a workgroup of `consumer` read one element together: its
    barriers may rely on that, and could not on what each of them decoded by itself.
    """
    uniformity = Uniformity()
    for handoff in handoffs:
        for access in consumer.reads_of(handoff):
            if any(uniformity.is_uniform(result) for result in access.op.results):
                raise Refused(
                    Reason.NON_UNIFORM,
                    "a workgroup of the consumer reads an element together",
                    consumer=consumer.arm,
                    cause=access.op,
                )


def require_no_wide_collisions(
    producer: ArmAccesses, handoffs: Iterable[BufferOp], *, runs_beyond: bool
) -> set[BufferOp]:
    """
    The handoffs outside of which stores of several invocations meet: dropped as they are, they
    would race in a tile. Raises Refused where a store of many elements may be one of them.
    """
    colliding = set[BufferOp]()
    for handoff in handoffs:
        writes = producer.writes_to(handoff)
        outside = producer.reach(writes).subtract_range(writes[0].elements) if writes else None
        if outside is not None and not runs_beyond:
            outside = outside.intersect_domain(producer.invocations)
        if outside is None or outside.is_injective():
            continue
        colliding.add(handoff)
        wide = [write.op for write in writes if not _is_scalar(write.op)]
        if wide:
            raise Refused(
                Reason.COLLIDING_STORES,
                f"stores past the end of '@{handoff.sym_name.data}' meet in a tile",
                cause=wide[0],
            )
    return colliding


def _is_scalar(op: Operation) -> bool:
    return isinstance(op, StoreOp) and op.elements == 1


def may_run_beyond(arm: ArmAccesses, promoted: Iterable[BufferOp], ranges: isl.Set) -> bool:
    """
    Whether invocations past the arm's last may run, too, because nobody would notice: all that
    they do is to write into tiles what lies past the end of the handoffs.
    """
    if arm.values.relies_on_bounds or not all(_is_total(op) for op in arm.arm.body.walk()):
        return False
    beyond = arm.values.ids_as_invocations().subtract(arm.invocations)
    for access in arm.accesses:
        if not access.writes:
            continue
        if access.kind != AccessKind.WRITE or access.buffer not in promoted:
            return False
        if access.reach is None:
            return False
        reached = access.reach.intersect_domain(beyond).intersect_params(ranges).range()
        if not reached.is_disjoint(access.elements):
            return False
    return True


def _is_total(op: Operation) -> bool:
    """Whether an op ends, and touches no memory that is not its own, for any invocation id."""
    if isinstance(op, LoadOp | StoreOp):
        return op.in_bounds is None and op.alignment is None
    if isinstance(op, scf.ForOp):
        return all(_is_from_outside(bound) for bound in (op.lb, op.ub, op.step))
    return not isinstance(op, scf.WhileOp)


def _is_from_outside(value: SSAValue) -> bool:
    """Whether a value is a constant, or one that the host computed."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        return True
    return isinstance(owner, Operation) and isinstance(owner.parent_op(), ProgramOp)


def require_every_effect(
    analysis: ProgramAnalysis, share: Share, promoted: Iterable[BufferOp]
) -> None:
    """Raise Refused if an invocation with effects other than the handoff would not run."""
    ranges = analysis.symbols.ranges()
    visible = set(_visible(share.arm, promoted))
    for access in share.arm.accesses:
        if not access.writes or access.buffer not in visible:
            continue
        effective = share.arm.invocations if access.touched is None else access.touched.domain()
        if not effective.intersect_params(ranges).is_subset(share.runs.range()):
            name = access.buffer.sym_name.data
            raise Refused(
                Reason.SIDE_EFFECTS,
                f"no tile would run every invocation that updates '@{name}'",
                cause=access.op,
            )
