"""Puts probes into a program, and lets what they are for read what they write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.access_relations import AccessRelation
from vyre_dialect.builder import Buffer, Value, invocation_id
from vyre_dialect.builder.values import scalar
from vyre_dialect.ir.interfaces import HasAccessesInterface
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import PROBE, Axis
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.affine_emitter import AffineEmitter
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.intervals import Stage
from vyre_dialect.passes.fusion.tiling.probes import Probe, left_out
from vyre_dialect.passes.rewriting.host_side import temporary
from vyre_dialect.passes.rewriting.invocation_body import detached, guarded, run_as


def insert_probes(
    analysis: ProgramAnalysis, probes: Iterable[Probe], rewriter: PatternRewriter
) -> None:
    """Insert `probes`, those of later handoffs first. Only arms read the handoffs after that."""
    insertion = _Insertion(analysis, rewriter)
    for probe in probes:
        insertion.insert(probe)


@dataclass(frozen=True)
class _Slice:
    """Those elements of a footprint that the handoff has, the first of which is `begin`."""

    buffer: Buffer
    begin: Value

    def redirect(self, op: HasAccessesInterface, place: int, rewriter: PatternRewriter) -> None:
        """Let an access of `op` to the handoff go to the slice: what is outside stays outside."""
        access, before = op.get_accesses()[place], Block()
        assert isinstance(access.index, SSAValue)
        with ImplicitBuilder(before):
            index = Value(access.index) - self.begin
        rewriter.insert(detached(before), InsertPoint.before(op))
        op.redirect(access, self.buffer.ssa, index.ssa)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class _Copy:
    """A probe: an arm of its own, and what became in it of the ops of the producer."""

    arm: RegionOp
    ops: Mapping[Operation, Operation]

    def redirect(
        self, accesses: Iterable[AccessRelation], part: _Slice, rewriter: PatternRewriter
    ) -> None:
        """Let `accesses` of the producer go to a slice in the probe."""
        for access in accesses:
            op = self.ops[access.op]
            assert isinstance(op, HasAccessesInterface)
            part.redirect(op, access.place, rewriter)


class _Insertion:
    def __init__(self, analysis: ProgramAnalysis, rewriter: PatternRewriter):
        self.analysis = analysis
        self.rewriter = rewriter
        self._copies: dict[Stage, _Copy] = {}

    def insert(self, probe: Probe) -> None:
        """Insert a probe, and let its reading read what it writes."""
        reader = self._reader(probe.reading.probe)
        before = probe.reading.before if reader is None else reader.arm
        host = Block()
        with ImplicitBuilder(host):
            part = self._slice(probe)
            first = AffineEmitter(self.analysis.symbols).emit(probe.stage.share.base)
        copy = self._copies[probe.stage] = self._copy(probe, part, first.named("first"))
        self.rewriter.insert([*detached(host), copy.arm], InsertPoint.before(before))
        for load in probe.reading.loads:
            part.redirect(load, 0, self.rewriter)
        if reader is not None and probe.reading.probe is not None:
            reads = probe.reading.probe.arm.reads_of(probe.handoff)
            reader.redirect(reads, part, self.rewriter)
            self.rewriter.notify_op_modified(reader.arm)

    def _reader(self, probe: Stage | None) -> _Copy | None:
        """The probe that reads, which stands in the program already."""
        if probe is None or probe in self._copies:
            return None if probe is None else self._copies[probe]
        return _Copy(probe.arm.arm, {access.op: access.op for access in probe.arm.accesses})

    def _slice(self, probe: Probe) -> _Slice:
        """A slice for what `probe` writes, declared at the current place."""
        handoff, footprint = probe.handoff, probe.reading.footprint
        name = f"{handoff.sym_name.data}_probe"
        base = AffineEmitter(self.analysis.symbols).emit(footprint.base)
        begin = base.max(0).named(f"{name}_begin")
        end = (base + footprint.extent).min(Buffer(handoff.buffer).length)
        count = (end - begin).max(0).named(f"{name}_length")
        element = handoff.type.element_type
        return _Slice(temporary(self.analysis.program, name, element, count), begin)

    def _copy(self, probe: Probe, part: _Slice, first: Value) -> _Copy:
        """The invocations from `first` on, those that there are, as an arm that fills a slice."""
        producer, arm = probe.stage.arm, probe.stage.arm.arm
        region, count = arm.body.clone(), arm.domain[0]
        copy = _Copy(
            RegionOp(
                f"{arm.generator.data}.probe",
                [probe.stage.share.extent],
                Region(Block()),
                source_region=None if arm.source_region is None else arm.source_region.data,
            ),
            dict(zip(ops_inside(arm.body), ops_inside(region), strict=True)),
        )
        copy.redirect(producer.writes_to(probe.handoff), part, self.rewriter)
        for op in left_out(producer, probe.handoff):
            self.rewriter.erase(copy.ops[op])
        with ImplicitBuilder(copy.arm.body.block):
            item = (first + invocation_id()).named("item")
            exists = (item >= 0) & (item < scalar(count))
        run_as(region, {Axis.X: item}, self.rewriter)
        guarded(copy.arm.body.block, exists, detached(region.block))
        copy.arm.attributes.update(arm.attributes | {PROBE: UnitAttr()})
        copy.arm.location = arm.location
        return copy
