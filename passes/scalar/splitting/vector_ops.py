"""Patterns for ops that take lanes of vectors apart, or put them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import AnyFloat, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder.values import Value, constant
from vyre_dialect.ir.types import element_bytes, lane_count, scalar_type
from vyre_dialect.ops.lanes import LookUpLanesOp
from vyre_dialect.passes.scalar.splitting.parts import (
    gathered,
    is_split,
    join,
    lane_of,
    of_pieces,
    part_with,
    parts_of,
    pieces_of,
    split,
)


class Broadcasts(RewritePattern):
    """A scalar is broadcast to each part."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.BroadcastOp, rewriter: PatternRewriter, /) -> None:
        if not parts_of(op.vector.type) or isinstance(op.source.type, VectorType):
            return
        source, whole = op.source, op.vector.type
        with ImplicitBuilder(rewriter):
            joined = of_pieces(whole, lambda _, type: vector.BroadcastOp(source, type).vector)
            rewriter.replace(op, [], [joined])


class Extractions(RewritePattern):
    """A lane is taken from the part that has it; which that is may be known only when it runs."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ExtractOp, rewriter: PatternRewriter, /) -> None:
        if not parts_of(op.vector.type):
            return
        (position,) = op.get_mixed_position()
        with ImplicitBuilder(rewriter):
            if isinstance(position, int):
                lane = lane_of(op.vector, position)
            else:
                lane = _lane_at(op.vector, Value(position), op.result.type)
            rewriter.replace(op, [], [lane])


def _lane_at(whole: SSAValue, position: Value, type: Attribute) -> SSAValue:
    """The lane at a position, and 0 outside, as each part gives it."""
    first, *others = zip(split(whole), pieces_of(cast(VectorType, whole.type)), strict=True)
    found = vector.ExtractOp(first[0], [position.ssa], type).result
    for part, (start, _) in others:
        lane = vector.ExtractOp(part, [(position - start).ssa], type).result
        found = arith.SelectOp((position >= start).ssa, lane, found).result
    return found


class Insertions(RewritePattern):
    """A lane is put into the part that has it, or into the one that turns out to have it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.InsertOp, rewriter: PatternRewriter, /) -> None:
        if not parts_of(op.result.type):
            return
        (position,) = op.get_mixed_position()
        pieces = pieces_of(cast(VectorType, op.result.type))
        with ImplicitBuilder(rewriter):
            parts = [
                _inserted(op.source, part, position, start)
                for part, (start, _) in zip(split(op.dest), pieces, strict=True)
            ]
            rewriter.replace(op, [], [join(parts, op.result.type)])


def _inserted(lane: SSAValue, part: SSAValue, position: SSAValue | int, start: int) -> SSAValue:
    """A part that begins at the lane `start`, with a lane put in if it has that position."""
    if isinstance(position, SSAValue):
        return vector.InsertOp(lane, part, [(Value(position) - start).ssa]).result
    if not 0 <= position - start < lane_count(part.type):
        return part
    return vector.InsertOp(lane, part, [position - start]).result


class Shuffles(RewritePattern):
    """Each part of a shuffle is one of two parts of its operands, or put together lane by lane."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ShuffleOp, rewriter: PatternRewriter, /) -> None:
        if not is_split(op):
            return
        first, whole = lane_count(op.v1.type), op.result.type
        lanes = [
            (op.v1, max(lane, 0)) if lane < first else (op.v2, lane - first)
            for lane in op.mask.get_values()
        ]
        with ImplicitBuilder(rewriter):
            joined = of_pieces(
                whole, lambda start, type: _shuffled(lanes[start : start + lane_count(type)], type)
            )
            rewriter.replace(op, [], [joined])


def _shuffled(lanes: Sequence[tuple[SSAValue, int]], type: VectorType) -> SSAValue:
    """A vector of these lanes of values that may have parts."""
    placed = [(*part_with(whole, lane), lane) for whole, lane in lanes]
    first, *others = dict.fromkeys(part for part, _, _ in placed)
    if len(others) > 1:
        return gathered([lane_of(whole, lane) for whole, lane in lanes], type)
    size = lane_count(first.type)
    mask = [lane - start + (0 if part is first else size) for part, start, lane in placed]
    if mask == list(range(size)):
        return first
    return Value(first).shuffle(Value(others[0] if others else first), mask).ssa


class Masks(RewritePattern):
    """A mask of the first lanes is one of those that each part has of them."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.CreateMaskOp, rewriter: PatternRewriter, /) -> None:
        if not parts_of(op.mask_vector.type):
            return
        (count,) = op.mask_dim_sizes

        with ImplicitBuilder(rewriter):
            # No count is less than none: the least of an index would wrap around.
            lanes = arith.MaxSIOp(count, constant(0).ssa).result

            def mask(start: int, type: VectorType) -> SSAValue:
                return vector.CreateMaskOp([(Value(lanes) - start).ssa], type).mask_vector

            rewriter.replace(op, [], [of_pieces(cast(VectorType, op.mask_vector.type), mask)])


class LookUps(RewritePattern):
    """Positions are looked up part by part in a table that is whole."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LookUpLanesOp, rewriter: PatternRewriter, /) -> None:
        if not parts_of(op.result.type) or parts_of(op.table.type):
            return
        with ImplicitBuilder(rewriter):
            parts = [LookUpLanesOp(op.table, each).result for each in split(op.positions)]
            rewriter.replace(op, [], [join(parts, op.result.type)])


class Reductions(RewritePattern):
    """Each part goes on from what those before it have come to; floats go on lane by lane."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ReductionOp, rewriter: PatternRewriter, /) -> None:
        if not parts_of(op.vector.type):
            return
        reduce = _floats if isinstance(op.dest.type, AnyFloat) else _integers
        with ImplicitBuilder(rewriter):
            rewriter.replace(op, [], [reduce(op, split(op.vector))])


def _integers(op: vector.ReductionOp, parts: Sequence[SSAValue]) -> SSAValue:
    total = op.acc
    for part in parts:
        total = _reduced(op, part, total)
    assert total is not None
    return total


def _floats(op: vector.ReductionOp, parts: Sequence[SSAValue]) -> SSAValue:
    """From the first lane to the last, and the accumulator in front: as a reduction is defined."""
    total = _reduced(op, parts[0], None)
    for part in parts[1:]:
        for number in range(lane_count(part.type)):
            total = _combined(str(op.kind.data), total, lane_of(part, number))
    return total if op.acc is None else _combined(str(op.kind.data), op.acc, total)


def _reduced(op: vector.ReductionOp, part: SSAValue, acc: SSAValue | None) -> SSAValue:
    operands = [part] if acc is None else [part, acc]
    reduction = op.create(
        operands=operands, result_types=[op.dest.type], properties=dict(op.properties)
    )
    return reduction.results[0]


def _combined(kind: str, left: SSAValue, right: SSAValue) -> SSAValue:
    """What a reduction of this kind makes of two floats."""
    match kind:
        case "add":
            return arith.AddfOp(left, right).result
        case "mul":
            return arith.MulfOp(left, right).result
        case "minnumf":
            return arith.MinnumfOp(left, right).result
        case "maxnumf":
            return arith.MaxnumfOp(left, right).result
        case "minimumf":
            return arith.MinimumfOp(left, right).result
        case _:
            return arith.MaximumfOp(left, right).result


class Bitcasts(RewritePattern):
    """Bits are cast in pieces of as many bytes as the wider lanes have, and put together."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.BitcastOp, rewriter: PatternRewriter, /) -> None:
        source, target = op.source.type, op.result.type
        if not is_split(op):
            return
        assert isinstance(source, VectorType) and isinstance(target, VectorType)
        taken, given = element_bytes(source.element_type), element_bytes(target.element_type)
        if taken is None or given is None:
            return
        piece, lanes = max(taken, given), list[SSAValue]()
        with ImplicitBuilder(rewriter):
            for start in range(0, lane_count(source), piece // taken):
                places = range(start, start + piece // taken)
                lanes += _cast(op.source, places, scalar_type(target), piece // given)
            joined = of_pieces(
                target, lambda start, type: gathered(lanes[start : start + lane_count(type)], type)
            )
            rewriter.replace(op, [], [joined])


def _cast(whole: SSAValue, places: Sequence[int], type: Attribute, count: int) -> list[SSAValue]:
    """The `count` lanes of a type that some lanes of a value become."""
    source = VectorType(scalar_type(whole.type), [len(places)])
    piece = gathered([lane_of(whole, place) for place in places], source)
    found = vector.BitcastOp(piece, VectorType(type, [count])).result
    return [lane_of(found, number) for number in range(count)]


VECTOR_OPS = (
    *(Broadcasts, Extractions, Insertions, Shuffles, Masks, LookUps, Reductions, Bitcasts),
)
