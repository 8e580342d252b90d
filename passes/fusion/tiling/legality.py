"""
The proofs that arms may run tile by tile, one after the other inside each tile.

Every question is a set that must be empty; where it is not, a point of it is the
counterexample (the method of Feautrier's dataflow analysis and of loopy's checks, with isl).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import product

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.ir.interfaces import (
    AccessKind,
)
from vyre_dialect.ir.types import Initial, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.counterexamples import crossing, missing_writer
from vyre_dialect.passes.fusion.tiling.intervals import Stage
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal


def uncovered(
    analysis: ProgramAnalysis, handoff: BufferOp, producer: ArmAccesses, consumer: ArmAccesses
) -> Refusal | None:
    """The refusal if `consumer` may read an element that `producer` may not write."""
    reads, writes = consumer.reads_of(handoff), producer.writes_to(handoff)

    def missing(some: list[AccessRelation], written: isl.Map) -> isl.Map:
        left = consumer.touched(some).subtract_range(written.range())
        return analysis.symbols.restricted(left)

    surely_written = producer.surely_written(handoff).range()
    if analysis.symbols.is_within(consumer.touched(reads).range(), surely_written):
        return None
    written = producer.touched(writes)
    if missing(reads, written).is_empty():
        unsure = next(write for write in writes if not write.exact)
        return Refusal(
            Reason.NON_AFFINE,
            f"whether '{producer.arm.generator.data}' writes what is read depends on data",
            cause=unsure.cause,
        )
    read = next(read for read in reads if not missing([read], written).is_empty())
    initial = handoff.initial_contents == Initial.HOST
    return Refusal(
        Reason.READS_INITIAL_CONTENTS if initial else Reason.NOT_COVERED,
        "the consumer reads an element that the producer does not write",
        consumer=consumer.arm,
        cause=read.op,
        earlier=writes[0].op if writes else None,
        counterexample=missing_writer(analysis, read, missing([read], written), consumer),
    )


def unordered(
    analysis: ProgramAnalysis, earlier: Stage, later: Stage, promoted: Collection[BufferOp]
) -> Refusal | None:
    """
    The refusal if a dependence from `earlier` to `later`, through a buffer that is not promoted,
    does not stay inside one tile.
    """
    kept = set(visible(earlier.arm, promoted)) & set(later.arm.buffers())
    refusals = (
        _unordered_pair(analysis, earlier, before, later, after)
        for buffer in sorted(kept, key=analysis.position)
        for before, after in product(earlier.arm.to(buffer), later.arm.to(buffer))
    )
    return next((each for each in refusals if each is not None), None)


def visible(arm: ArmAccesses, promoted: Collection[BufferOp]) -> list[BufferOp]:
    """
    The buffers that others see: no tiles, and none that every invocation or workgroup has of
    its own, undefined at its start.
    """
    return [
        buffer
        for buffer in arm.buffers()
        if buffer not in promoted and buffer.type.space == MemorySpace.GLOBAL
    ]


def _unordered_pair(
    analysis: ProgramAnalysis,
    earlier: Stage,
    before: AccessRelation,
    later: Stage,
    after: AccessRelation,
) -> Refusal | None:
    if not (before.writes or after.writes) or before.access.commutes_with(after.access):
        return None
    if before.touched is None or after.touched is None:
        unknown = before if before.touched is None else after
        return Refusal(
            Reason.NON_AFFINE,
            f"cannot tell which elements of '@{before.buffer.sym_name.data}' are touched",
            consumer=later.arm.arm,
            cause=unknown.cause,
        )
    violations = _violations(earlier, before, later, after)
    violations = analysis.symbols.restricted(violations)
    if violations.is_empty():
        return None
    return Refusal(
        Reason.CROSS_WORKGROUP,
        f"a dependence through '@{before.buffer.sym_name.data}' crosses tiles",
        consumer=later.arm.arm,
        cause=after.op,
        earlier=before.op,
        counterexample=crossing(analysis, earlier, before, later, after, violations),
    )


def _violations(
    earlier: Stage, before: AccessRelation, later: Stage, after: AccessRelation
) -> isl.Map:
    """Pairs of different tiles `{ T[v] -> T[w] }` that touch one element."""
    assert before.touched is not None
    assert after.touched is not None
    depends = before.touched.apply_range(after.touched.reverse())
    needed_in = depends.apply_range(later.runs.reverse())
    pairs = earlier.runs.apply_range(needed_in)
    return pairs.subtract(isl.Map.identity(pairs.get_space()))


def is_repeated(stage: Stage, symbols: Symbols) -> bool:
    """Whether some invocation runs in more than one tile."""
    return not symbols.restricted(stage.runs).reverse().is_single_valued()


def noticed_when_repeated(stage: Stage, promoted: Collection[BufferOp]) -> Refusal | None:
    """The refusal if running an invocation of the arm again could be noticed."""
    for buffer in visible(stage.arm, promoted):
        accesses = stage.arm.to(buffer)
        if not any(access.writes for access in accesses):
            continue
        for access in accesses:
            if (refusal := _noticed(access, accesses)) is not None:
                return refusal
    return None


def _noticed(access: AccessRelation, others: list[AccessRelation]) -> Refusal | None:
    name = f"'@{access.buffer.sym_name.data}'"
    if access.kind == AccessKind.UPDATE and not access.access.idempotent:
        what = f"update {name} twice"
    elif access.kind == AccessKind.READ and any(other.writes for other in others):
        what = f"read {name} after writing it"
    elif access.kind == AccessKind.WRITE and (
        access.may_repeat or any(_may_overlap(access, other) for other in others)
    ):
        what = f"overwrite what is stored to {name} later"
    else:
        return None
    return Refusal(Reason.SIDE_EFFECTS, f"decoding an element twice would {what}", cause=access.op)


def _may_overlap(access: AccessRelation, other: AccessRelation) -> bool:
    """Whether another op writes an element that `access` writes, for all that is known."""
    if other is access or not other.writes:
        return False
    if access.touched is None or other.touched is None:
        return True
    return not access.touched.range().is_disjoint(other.touched.range())


def read_together(
    analysis: ProgramAnalysis, consumer: ArmAccesses, handoffs: Iterable[BufferOp]
) -> Refusal | None:
    """
    The refusal if the invocations of a workgroup of `consumer` read one element together: its
    barriers may rely on that, and could not on what each of them decoded by itself.
    """
    divergence = analysis.manager.get(DivergenceAnalysis, consumer.arm)
    for handoff in handoffs:
        for access in consumer.reads_of(handoff):
            if any(divergence.is_uniform(result) for result in access.op.results):
                return Refusal(
                    Reason.NON_UNIFORM,
                    "a workgroup of the consumer reads an element together",
                    consumer=consumer.arm,
                    cause=access.op,
                )
    return None


def left_out(
    analysis: ProgramAnalysis, stage: Stage, promoted: Collection[BufferOp]
) -> Refusal | None:
    """The refusal if an invocation with effects other than the handoffs would not run."""
    seen = set(visible(stage.arm, promoted))
    effects = [each for each in stage.arm.accesses if each.writes and each.buffer in seen]
    if not effects:
        return None
    run = stage.runs.range().coalesce()
    for access in effects:
        effective = stage.arm.invocations if access.touched is None else access.touched.domain()
        if not analysis.symbols.is_within(effective, run):
            name = access.buffer.sym_name.data
            return Refusal(
                Reason.SIDE_EFFECTS,
                f"no tile would run every invocation that updates '@{name}'",
                cause=access.op,
            )
    return None


def torn_apart(analysis: ProgramAnalysis, stage: Stage, size: int, per_tile: int) -> Refusal | None:
    """
    The refusal if the workgroups of a cooperative producer are not those of the tiles, which are of
    `size`, or if its share is other than the `per_tile` invocations of each.
    """
    if stage.arm.arm.workgroup != (size, 1, 1):
        return Refusal(
            Reason.COOPERATIVE_PRODUCER,
            f"{stage.name} has workgroups of its own, other than the {size} of the tiles",
        )
    own = analysis.symbols.relation(
        f"{{ T[w] -> I[i, 0, 0] : {per_tile} w <= i < {per_tile} w + {per_tile} }}",
    )
    if stage.spread.is_equal(own):
        return None
    return Refusal(
        Reason.COOPERATIVE_PRODUCER,
        f"{stage.name} depends on its own workgroups, each of which fills other elements than a "
        "tile of its consumers holds",
    )
