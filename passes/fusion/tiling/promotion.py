"""Handoffs as tiles: the declarations, the accesses relative to a tile, and its zeros."""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType

import islpy as isl
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import UnitAttr, VectorType, i32, i64
from xdsl.ir import Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from vyre_dialect.analysis.access_relations import AccessRelation
from vyre_dialect.builder import Buffer, Value, barrier, constant, constants, for_, if_
from vyre_dialect.ir.interfaces import IN_BOUNDS, HasAccessesInterface, may_be_in_bounds
from vyre_dialect.ir.types import Access, BufferType, MemorySpace, accessed_elements, lane_count
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp
from vyre_dialect.passes.fusion.tiling.affine_emitter import AffineEmitter
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.intervals import Interval
from vyre_dialect.passes.fusion.tiling.pieces import Piece, pieces_of
from vyre_dialect.passes.rewriting.invocation_body import detached, enclosed

WORD_BYTES = 4
UNROLLED_WORDS = 64
"""Words of a private tile up to which the loop over its zeros is unrolled."""


class Promotion:
    """Puts tiles in the place of handoffs, under their names."""

    def __init__(
        self,
        analysis: ProgramAnalysis,
        rewriter: PatternRewriter,
        footprints: Mapping[BufferOp, Interval],
        space: MemorySpace,
        colliding: Set[BufferOp] = frozenset(),
    ):
        self.analysis = analysis
        self.rewriter = rewriter
        self.footprints = footprints
        self.space = space
        self.colliding = colliding
        self.tiles = analysis.tiles
        self._buffers: dict[BufferOp, Buffer] = {}
        self._bases: dict[BufferOp, Value] = {}
        for handoff, footprint in footprints.items():
            self._declare(handoff, footprint)

    @property
    def is_private(self) -> bool:
        """Whether every invocation has tiles of its own."""
        return self.space == MemorySpace.PRIVATE

    def tile_of(self, handoff: BufferOp) -> Buffer:
        """The tile in the place of a handoff."""
        return self._buffers[handoff]

    def compute_bases(self, tile: Value) -> None:
        """Compute where the footprints of tile `tile` begin, at the current place."""
        emitter = AffineEmitter(self.analysis.symbols, tile)
        for handoff, footprint in self.footprints.items():
            base = emitter.emit(footprint.base)
            self._bases[handoff] = base.named(f"{handoff.sym_name.data}_base")

    def redirect(self, access: AccessRelation, op: HasAccessesInterface, runs: isl.Map) -> None:
        """
        Let `op`, a copy of the op of `access`, access the tile instead of the handoff; `runs`
        relates tiles to the invocations that run the copy.
        """
        position, inside = self.position(access, runs)
        found = op.get_accesses()[access.place]
        assert isinstance(found.index, SSAValue)
        element, before = found.index, Block()
        with ImplicitBuilder(before):
            index = self._relative(element, access.buffer, position)
            is_element = None
            if access.writes and access.buffer in self.colliding:
                is_element = self._is_element(element, access.buffer)
        Rewriter.insert_op(detached(before), InsertPoint.before(op))
        op.redirect(found, self._buffers[access.buffer].ssa, index.ssa)
        if inside and may_be_in_bounds(op):
            op.properties[IN_BOUNDS] = UnitAttr()
        if is_element is not None:
            enclosed(op, is_element)

    def zero_outside(
        self,
        handoff: BufferOp,
        lane: Value,
        stride: int,
        stores: Mapping[int, Piece] = MappingProxyType({}),
    ) -> None:
        """
        In tiles at the ends of the handoff, zeros where it has no elements; each invocation
        of a workgroup writes those at `lane`, `lane + stride`, … What producers are known to
        store to a private tile, by position, is masked as a whole where words would be many.
        """
        footprint = self.footprints[handoff]
        base, length = self._bases[handoff], _length(handoff)
        at_an_end = base + footprint.extent > length
        if not self.tiles.is_never_negative(footprint.base):
            at_an_end = (base < 0) | at_an_end
        with if_(at_an_end):
            if pieces := self._few_pieces(handoff, stores):
                self._mask_pieces(handoff, pieces)
            else:
                self._zero_words(handoff, lane, stride)
            if not self.is_private:
                barrier()

    def erase_handoffs(self) -> None:
        """Drop the global buffers, which nothing uses any more."""
        for handoff in self.footprints:
            self.rewriter.erase(handoff)

    def _declare(self, handoff: BufferOp, footprint: Interval) -> None:
        element = handoff.type.element_type
        tile = BufferOp(
            handoff.sym_name.data,
            BufferType(footprint.extent, element, Access.READ_WRITE, self.space),
        )
        tile.attributes.update(handoff.attributes)
        tile.location = handoff.location
        self.rewriter.insert(tile, InsertPoint.before(handoff))
        self._buffers[handoff] = Buffer(tile.buffer)
        for use in list(handoff.buffer.uses):
            if isinstance(use.operation, BufLenOp):
                self._replace_length(use.operation, handoff)

    def _replace_length(self, op: BufLenOp, handoff: BufferOp) -> None:
        block = Block()
        with ImplicitBuilder(block):
            length = _length(handoff)
        self.rewriter.replace(op, detached(block), [length.ssa])

    def position(self, access: AccessRelation, runs: isl.Map) -> tuple[int | None, bool]:
        """
        The constant position in the tile of an access by `runs`, if it is one, and whether it
        lies inside.
        """
        footprint, count = self.footprints[access.buffer], access.access.count
        assert access.reach is not None
        bounds = self.tiles.residues(runs.apply_range(access.reach), footprint.base)
        if bounds is None:
            return None, False
        low, high = bounds
        inside = low >= 0 and high < footprint.extent
        return (low if high - low + 1 == count else None), inside

    def _is_element(self, index: SSAValue, handoff: BufferOp) -> Value:
        return (Value(index) >= 0) & (Value(index) < _length(handoff))

    def _relative(self, index: SSAValue, handoff: BufferOp, position: int | None) -> Value:
        if position is not None:
            return constant(position)
        return Value(index) - self._bases[handoff]

    def _few_pieces(
        self, handoff: BufferOp, stores: Mapping[int, Piece]
    ) -> list[tuple[int, Piece]]:
        """The pieces of a private tile of many words, if there are few with the vectors stored."""
        tile = self._buffers[handoff].type
        words = self.footprints[handoff].extent // (accessed_elements(tile, i32) or 1)
        if not self.is_private or words <= UNROLLED_WORDS:
            return []
        vectors = {at: piece for at, piece in stores.items() if _lanes(piece) > 1}
        pieces = list(pieces_of(tile, vectors, 0, self.footprints[handoff].extent))
        return pieces if len(pieces) <= UNROLLED_WORDS else []

    def _mask_pieces(self, handoff: BufferOp, pieces: list[tuple[int, Piece]]) -> None:
        """The same as by words, at positions that are known without unrolling a loop."""
        tile = self._buffers[handoff]
        for place, piece in pieces:
            position = constant(place)
            if _lanes(piece) > 1:
                self._mask_vector(handoff, tile, position, piece)
            elif piece.count > 1:
                self._mask_word(handoff, tile, position, piece.count)
            else:
                self._zero_element(handoff, tile, position)

    def _mask_vector(self, handoff: BufferOp, tile: Buffer, position: Value, piece: Piece) -> None:
        """Keep those of the elements of a vector of words that lie in the handoff."""
        first = self._bases[handoff] + position
        end = (_length(handoff) - first).max(0).min(piece.count)
        keep, is_partly = _low_bits_of_lanes(end, piece), end > 0
        if not self.tiles.is_never_negative(self.footprints[handoff].base):
            begin = (0 - first).max(0).min(piece.count)
            keep = keep & (_low_bits_of_lanes(begin, piece) ^ constant(-1, piece.type))
            is_partly = is_partly & (begin < piece.count)
        # Nobody may have written a vector that lies outside as a whole.
        with if_(is_partly) as partly:
            partly.yields(tile.load(position, piece.type, in_bounds=True) & keep)
        with partly.else_():
            partly.yields(constant(0, piece.type))
        tile.store(partly.results[0], position, in_bounds=True)

    def _zero_words(self, handoff: BufferOp, lane: Value, stride: int) -> None:
        """
        Zero what lies outside word by word: a private tile is accessed in words only, at
        constant positions once the loop is unrolled, and so can become registers.
        """
        tile, extent = self._buffers[handoff], self.footprints[handoff].extent
        per_word = accessed_elements(tile.type, i32) or 1
        if extent % per_word:
            per_word = 1
        words = extent // per_word
        unroll = words if self.is_private and words <= UNROLLED_WORDS else None
        with for_(lane, words, stride, unroll=unroll) as loop:
            position = loop.counter
            if per_word > 1:
                position = (position * per_word).named("position")
            if per_word == 1:
                self._zero_element(handoff, tile, position)
            else:
                self._mask_word(handoff, tile, position, per_word)

    def _zero_element(self, handoff: BufferOp, tile: Buffer, position: Value) -> None:
        element = self._bases[handoff] + position
        outside = element >= _length(handoff)
        if not self.tiles.is_never_negative(self.footprints[handoff].base):
            outside = (element < 0) | outside
        with if_(outside):
            zero = constant(0, handoff.type.element_type)
            StoreOp(zero.ssa, tile.ssa, position.ssa).in_bounds = UnitAttr()

    def _mask_word(self, handoff: BufferOp, tile: Buffer, position: Value, per_word: int) -> None:
        """Keep those of the word's elements that lie in the handoff."""
        first = self._bases[handoff] + position
        bits = 8 * WORD_BYTES // per_word
        end = (_length(handoff) - first).max(0).min(per_word)
        keep = _low_bits(end * bits)
        if not self.tiles.is_never_negative(self.footprints[handoff].base):
            begin = (0 - first).max(0).min(per_word)
            keep = keep & ~_low_bits(begin * bits)
        keep = keep.named("keep")
        with if_(keep.ne(-1)):
            # Nobody may have written a word that lies outside as a whole.
            with if_(keep.ne(0)) as partly:
                load = LoadOp(tile.ssa, position.ssa, i32)
                load.in_bounds = UnitAttr()
                partly.yields(Value(load.value) & keep)
            with partly.else_():
                partly.yields(constant(0, i32))
            word = partly.results[0]
            StoreOp(word.ssa, tile.ssa, position.ssa).in_bounds = UnitAttr()


def _length(handoff: BufferOp) -> Value:
    """The element count of a handoff, at the current place."""
    if (count := handoff.type.static_count) is not None:
        return constant(count)
    assert handoff.size is not None
    return Value(handoff.size)


def _low_bits(count: Value) -> Value:
    """A word whose `count` lowest bits are set, 0 to 32 of them."""
    return ((constant(1, i64) << count.to(i64)) - 1).to(i32)


def _lanes(piece: Piece) -> int:
    """The lanes of a vector of words; one for whatever else is stored."""
    is_of_words = isinstance(piece.type, VectorType) and piece.type.element_type == i32
    return lane_count(piece.type) if is_of_words else 1


def _low_bits_of_lanes(count: Value, piece: Piece) -> Value:
    """A vector of words of whose elements the first ones, `count` of them, have all bits set."""
    assert isinstance(piece.type, VectorType)
    lanes = _lanes(piece)
    per_word = piece.count // lanes
    places = constants(range(0, piece.count, per_word), piece.type)
    held = (count.to(i32).broadcast(lanes) - places).maxsi(constant(0, piece.type))
    bits = held.minsi(constant(per_word, piece.type)) * constant(32 // per_word, piece.type)
    one = constant(1, piece.type)
    return (one << bits) - one
