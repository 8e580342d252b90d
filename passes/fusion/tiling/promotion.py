"""Tiles in the place of handoffs: their declarations, and the accesses relative to a tile."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.access_relations import AccessRelation
from vyre_dialect.analysis.isl import isl
from vyre_dialect.builder import Buffer, Value, constant
from vyre_dialect.ir.interfaces import IN_BOUNDS, HasAccessesInterface, may_be_in_bounds
from vyre_dialect.ir.types import Access, BufferType, MemorySpace
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.affine_emitter import AffineEmitter
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.intervals import Interval
from vyre_dialect.passes.fusion.tiling.zeros import Overhang, length_of
from vyre_dialect.passes.rewriting.invocation_body import detached, enclosed


@dataclass(frozen=True, eq=False)
class Promotion:
    """Tiles that are declared, under the names of their handoffs, and not yet accessed."""

    analysis: ProgramAnalysis
    rewriter: PatternRewriter
    footprints: Mapping[BufferOp, Interval]
    buffers: Mapping[BufferOp, Buffer]
    """The tile in the place of each handoff."""
    colliding: Set[BufferOp]
    """Handoffs outside of which stores would meet in a tile, unless they are guarded."""

    def bases_of(self, tile: Value) -> Mapping[BufferOp, Value]:
        """Where the footprints of tile `tile` begin, at the current place."""
        emitter = AffineEmitter(self.analysis.symbols, tile)
        return {
            handoff: emitter.emit(footprint.base).named(f"{handoff.sym_name.data}_base")
            for handoff, footprint in self.footprints.items()
        }

    def overhang(self, handoff: BufferOp, base: Value) -> Overhang:
        """The tile of a handoff that begins at `base`, as it may lie outside of the handoff."""
        footprint = self.footprints[handoff]
        may_begin_before = not self.analysis.tiles.is_never_negative(footprint.base)
        return Overhang(handoff, self.buffers[handoff], base, footprint.extent, may_begin_before)

    def redirect(
        self, access: AccessRelation, op: HasAccessesInterface, runs: isl.Map, base: Value
    ) -> None:
        """
        Let `op`, a copy of the op of `access`, access the tile that begins at `base` instead of
        the handoff; `runs` relates tiles to the invocations that run the copy.
        """
        position, inside = self.position(access, runs)
        found = op.get_accesses()[access.place]
        assert isinstance(found.index, SSAValue)
        element, before = Value(found.index), Block()
        with ImplicitBuilder(before):
            index = constant(position) if position is not None else element - base
            is_element = None
            if access.writes and access.buffer in self.colliding:
                is_element = (element >= 0) & (element < length_of(access.buffer))
        self.rewriter.insert(detached(before), InsertPoint.before(op))
        op.redirect(found, self.buffers[access.buffer].ssa, index.ssa)
        if inside and may_be_in_bounds(op):
            op.properties[IN_BOUNDS] = UnitAttr()
        self.rewriter.notify_op_modified(op)
        if is_element is not None:
            enclosed(op, is_element, self.rewriter)

    def position(self, access: AccessRelation, runs: isl.Map) -> tuple[int | None, bool]:
        """
        The constant position in the tile of an access by `runs`, if it is one, and whether it
        lies inside.
        """
        footprint, count = self.footprints[access.buffer], access.access.count
        assert access.reach is not None
        bounds = self.analysis.tiles.residues(runs.apply_range(access.reach), footprint.base)
        if bounds is None:
            return None, False
        low, high = bounds
        inside = low >= 0 and high < footprint.extent
        return (low if high - low + 1 == count else None), inside

    def erase_handoffs(self) -> None:
        """Drop the global buffers, which nothing uses any more."""
        for handoff in self.footprints:
            self.rewriter.erase(handoff)


def promoted(
    analysis: ProgramAnalysis,
    rewriter: PatternRewriter,
    footprints: Mapping[BufferOp, Interval],
    space: MemorySpace,
    colliding: Set[BufferOp],
) -> Promotion:
    """Declare the tiles that hold `footprints` in a memory space."""
    buffers = {
        handoff: _declared(rewriter, handoff, footprint.extent, space)
        for handoff, footprint in footprints.items()
    }
    return Promotion(analysis, rewriter, footprints, buffers, colliding)


def _declared(
    rewriter: PatternRewriter, handoff: BufferOp, extent: int, space: MemorySpace
) -> Buffer:
    """The tile of a handoff, whose length is then computed without it."""
    element = handoff.type.element_type
    type = BufferType(extent, element, Access.READ_WRITE, space)
    tile = BufferOp(handoff.sym_name.data, type)
    tile.attributes.update(handoff.attributes)
    tile.location = handoff.location
    rewriter.insert(tile, InsertPoint.before(handoff))
    for use in list(handoff.buffer.uses):
        if isinstance(use.operation, BufLenOp):
            block = Block()
            with ImplicitBuilder(block):
                length = length_of(handoff)
            rewriter.replace(use.operation, detached(block), [length.ssa])
    return Buffer(tile.buffer)
