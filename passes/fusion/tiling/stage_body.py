"""What a tile runs of one stage: the bodies of its invocations, with its handoffs in tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.isl import isl
from vyre_dialect.builder import Value, constant, workgroup_id
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.interfaces import HasAccessesInterface
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import LANES, UNROLL, Axis
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import AtomicRMWOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.affine_emitter import AffineEmitter
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Stage, TileSpace
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.promotion import Promotion
from vyre_dialect.passes.rewriting.invocation_body import guarded, looped, run_as
from vyre_dialect.passes.rewriting.moving import take_out_all

UNROLLED_IN_CACHE = 4
"""Iterations side by side of a loop over a tile in a cache."""
LONG = 4096
"""
Ops of all stages from which on iterations run by themselves: written out four times, the eight long
stages of TPC-H's first query took a device's compiler four times as long.
"""
UNROLLED_SHARES = 8
"""Producer invocations per private tile up to which they are unrolled."""


@dataclass(frozen=True, eq=False)
class Tile:
    """A tile whose work is added at the end of a block."""

    body: Block
    number: Value
    lane: Value
    """The invocation of the workgroup; 0 where each invocation has tiles of its own."""
    bases: Mapping[BufferOp, Value]
    """Where its footprints begin."""

    def inside(self, body: Block) -> Tile:
        """The same tile in an inner block."""
        return replace(self, body=body)


@dataclass(frozen=True, eq=False)
class _Run:
    """An invocation of a stage that is about to be written."""

    id: Value
    invocations: isl.Map
    """The relation from each tile to the invocations that it may be."""
    in_share: Value | None = None
    """Whether it is one of the share, if that is to be asked."""
    begin: int = 0
    """The place in the share from which on it may be."""
    keep: bool = False
    """Whether the arm keeps its body for others."""


@dataclass(frozen=True, eq=False)
class StageWriter:
    """Writes the stages of a plan, whose arms lose their bodies by that."""

    analysis: ProgramAnalysis
    plan: Plan
    promotion: Promotion
    rewriter: PatternRewriter
    ops: int
    """How many there are in the arms, before they lose any."""

    def producer(self, tile: Tile, stage: Stage, *, ahead: bool) -> None:
        """The share of a producer; `ahead` of a loop, what tiles have in common with the next."""
        if not stage.arm.is_data_parallel:
            self._cooperative(tile, stage, always=stage.always_runs)
            return
        with ImplicitBuilder(tile.body):
            emitter = AffineEmitter(self.analysis.symbols, tile.number)
            first = emitter.emit(stage.share.base).named("first")
        count, slide = stage.share.extent, self.plan.slides.get(stage.arm.arm)
        overlap = 0 if slide is None else slide.overlap
        copies = range(overlap) if ahead else range(overlap, count)
        if self.plan.is_private and len(copies) <= UNROLLED_SHARES:
            for copy in copies:
                with ImplicitBuilder(tile.body):
                    own = (first + copy if copy else first).named("item")
                at = one_of_share(self.analysis.tiles, stage.share, copy)
                keep = ahead or copy + 1 < count
                self._guarded(tile, stage, _Run(own, at, begin=copy, keep=keep))
        elif len(copies) <= self.plan.stride:
            self._item(tile, stage, first, tile.lane, partial=count < self.plan.stride)
        else:
            with ImplicitBuilder(tile.body):
                start = constant(copies.start) if copies.start else tile.lane
            with looped(tile.body, start, copies.stop, self.plan.stride) as (inner, offset):
                begin = copies.start
                self._item(tile.inside(inner), stage, first, offset, begin=begin, keep=ahead)
            self._mark_loop(tile, len(copies))

    def sink(self, tile: Tile, stage: Stage) -> None:
        """The share of a sink."""
        count, scatters = stage.share.extent, _scatters(stage.arm.arm)
        if not stage.arm.is_data_parallel:
            self._cooperative(tile, stage, always=self.plan.is_exact)
        elif self.plan.is_private and count == 1:
            self._guarded(tile, stage, _Run(tile.number, stage.spread))
        elif count <= self.plan.stride:
            self._at(tile, stage, tile.lane, partial=count < self.plan.stride)
        else:
            with looped(tile.body, tile.lane, count, self.plan.stride) as (inner, offset):
                self._at(tile.inside(inner), stage, offset)
            self._mark_loop(tile, count, scatters=scatters)

    def _mark_loop(self, tile: Tile, count: int, *, scatters: bool = False) -> None:
        """
        Let the loop at the end of a tile, of `count` iterations, stay one, where what it fills is
        no register, and where it updates much.
        """
        loop = tile.body.last_op
        if loop is None or not (self.plan.is_cached or scatters):
            return
        is_long = self.ops > LONG or scatters
        factor = 1 if is_long or count <= UNROLLED_IN_CACHE else UNROLLED_IN_CACHE
        loop.attributes[UNROLL] = IntegerAttr(factor, i64)
        self.rewriter.notify_op_modified(loop)

    def _item(
        self,
        tile: Tile,
        stage: Stage,
        first: Value,
        offset: Value,
        *,
        partial: bool = False,
        begin: int = 0,
        keep: bool = False,
    ) -> None:
        """The producer invocation `first + offset`, if it exists; offsets are from `begin` on."""
        with ImplicitBuilder(tile.body):
            own = (first + offset).named("item")
            in_share = offset < stage.share.extent if partial else None
        self._guarded(tile, stage, _Run(own, stage.spread, in_share, begin, keep))

    def _at(self, tile: Tile, stage: Stage, offset: Value, *, partial: bool = False) -> None:
        """The sink's invocation at `offset` in the tile's share, if there is one."""
        with ImplicitBuilder(tile.body):
            start = tile.number * stage.share.extent
            own = (start + offset).named("i")
            in_share = offset < stage.share.extent if partial else None
        self._guarded(tile, stage, _Run(own, stage.spread, in_share))

    def _cooperative(self, tile: Tile, stage: Stage, *, always: bool) -> None:
        """An arm with workgroups of its own: its body as it is, in its own workgroups."""
        assert stage.share.extent == self.plan.stride
        ops = self._taken(tile, stage, None)
        if always:
            self.rewriter.insert(ops, InsertPoint.at_end(tile.body))
            return
        with ImplicitBuilder(tile.body):
            # Asked of the workgroup, so that its barriers stay in uniform control flow.
            group = workgroup_id() * self.plan.request.workgroup_size
            inside = group < count_of(stage)
        guarded(tile.body, inside, ops)

    def _guarded(self, tile: Tile, stage: Stage, run: _Run) -> None:
        """What an invocation does, if there is one."""
        with ImplicitBuilder(tile.body):
            exists = self._exists(stage, run)
        ops = self._taken(tile, stage, run)
        if exists is None:
            self.rewriter.insert(ops, InsertPoint.at_end(tile.body))
        else:
            guarded(tile.body, exists, ops)

    def _exists(self, stage: Stage, run: _Run) -> Value | None:
        """Whether an invocation is to run; None where it always is."""
        if not stage.is_guarded or stage.always_runs:
            return run.in_share
        exists, tiles = run.id < count_of(stage), self.analysis.tiles
        least = stage.share.base + tiles.constant(run.begin)
        if stage.is_producer and not tiles.is_never_negative(least):
            exists = (run.id >= 0) & exists
        return exists if run.in_share is None else run.in_share & exists

    def _taken(self, tile: Tile, stage: Stage, run: _Run | None) -> list[Operation]:
        """The body of an arm, or a copy of it, for one invocation or as it is."""
        arm = stage.arm.arm
        region, copied = arm.body, dict[Operation, Operation]()
        if run is not None and run.keep:
            region = arm.body.clone()
            copied = dict(zip(ops_inside(arm.body), ops_inside(region), strict=True))
        runs = stage.spread if run is None else run.invocations
        for access in stage.arm.accesses:
            if access.buffer in self.plan.footprints:
                op = copied.get(access.op, access.op)
                assert isinstance(op, HasAccessesInterface)
                self.promotion.redirect(access, op, runs, tile.bases[access.buffer])
        if run is not None:
            run_as(region, {Axis.X: run.id}, self.rewriter)
        return take_out_all(region.block, self.rewriter)


def count_of(stage: Stage) -> Value:
    """How many invocations the arm of a stage has, at the current place."""
    count = stage.arm.arm.domain[0]
    return constant(count) if isinstance(count, int) else Value(count)


def one_of_share(tiles: TileSpace, share: Interval, place: int) -> isl.Map:
    """The relation from each tile to one invocation of a share."""
    return tiles.interval(share.base + tiles.constant(place), 1, share.pace).invocations


def _scatters(arm: RegionOp) -> bool:
    """
    Whether lanes update, one after the other, places that data choose: written out four times, the
    64 updates of an iteration of `letter_pairs` took an AMD EPYC 3.3 times as long.
    """
    updates = (op for op in ops_inside(arm.body) if isinstance(op, AtomicRMWOp))
    return LANES in arm.attributes and any(integer_of(op.index) is None for op in updates)
