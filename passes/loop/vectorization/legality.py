"""What keeps the invocations of an arm from becoming lanes, whatever its values are."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Operation

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.handoffs import is_intermediate
from vyre_dialect.ir.cooperation import cooperative_op, unknown_op
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import arm_of, buffers_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    GROUPS,
    ITEMS,
    BufferType,
    MemorySpace,
    lane_count,
    scalar_type,
)
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import knows_its_invocation
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.refusal import Refusal, first_of
from vyre_dialect.passes.loop.vectorization.refusal import Reason, no_vector_form


def items_of(
    arm: RegionOp, lanes: int, divergence: DivergenceAnalysis, *, vectors: bool
) -> int | Refusal:
    """
    How many invocations vectors of `lanes` hold, whatever `vectors` one of them computes with, if
    it may; or why the invocations of an arm cannot become lanes.
    """
    refusal = (
        _refusal_of_arm(arm)
        or _refusal_of_neighbours(arm)
        or first_of(_refusal_of_op(op) for op in ops_inside(arm.body))
    )
    if refusal is not None:
        return refusal
    sizes = _item_sizes(arm, divergence)
    return sizes if isinstance(sizes, Refusal) else _items(arm, lanes, sizes, vectors=vectors)


def _refusal_of_arm(arm: RegionOp) -> Refusal | None:
    if ITEMS in arm.attributes or GROUPS in arm.attributes:
        return Refusal(Reason.COARSENED, "an invocation does several items already")
    if (op := unknown_op(arm.body)) is not None:
        return _unknown(op)
    if (op := cooperative_op(arm.body)) is not None:
        return Refusal(Reason.COOPERATIVE, f"'{op.name}' depends on the workgroup")
    return None


def _refusal_of_neighbours(arm: RegionOp) -> Refusal | None:
    """Tiles are shared with cooperative arms by as many invocations as these have."""
    for buffer in {buffer for op in ops_inside(arm.body) for buffer in buffers_of(op)}:
        if not is_intermediate(buffer):
            continue
        for other in {arm_of(use.operation) for use in buffer.uses} - {arm, None}:
            if isinstance(other, RegionOp) and cooperative_op(other.body) is not None:
                assert isinstance(buffer.owner, BufferOp)
                place, name = buffer.owner.sym_name.data, other.generator.data
                detail = f"'{name}', which uses '@{place}', too, depends on the workgroup"
                return Refusal(Reason.COOPERATIVE, detail)
    return None


def _refusal_of_op(op: Operation) -> Refusal | None:
    if not states_effects(op):
        return _unknown(op)
    if knows_its_invocation(op):
        detail = f"'{op.name}' cannot be told to run as another invocation"
        return Refusal(Reason.UNKNOWN_OP, detail)
    for buffer in buffers_of(op):
        assert isinstance(buffer.type, BufferType)
        if buffer.type.space == MemorySpace.PRIVATE:
            detail = f"'{op.name}' touches private memory, which is one invocation's"
            return Refusal(Reason.PRIVATE_MEMORY, detail)
    return None


def _unknown(op: Operation) -> Refusal:
    detail = f"'{op.name}' does not say what it touches, or on which ids it depends"
    return Refusal(Reason.UNKNOWN_OP, detail)


def _item_sizes(arm: RegionOp, divergence: DivergenceAnalysis) -> set[int] | Refusal:
    """The numbers of lanes of the values that differ between invocations."""
    sizes = {1}
    for op in ops_inside(arm.body):
        blocks = (block for region in op.regions for block in region.blocks)
        for value in (*op.results, *(each for block in blocks for each in block.args)):
            if not divergence.differs_along_x(value):
                continue
            if not _can_be_lane(value.type):
                return no_vector_form(op)
            sizes.add(lane_count(value.type))
    return sizes


def _can_be_lane(type: Attribute) -> bool:
    """Whether vectors can hold values of a type: numbers, and flat vectors of numbers."""
    is_flat = not isinstance(type, VectorType) or (
        len(type.get_shape()) == 1 and not type.get_num_scalable_dims()
    )
    is_number = isinstance(scalar_type(type), IntegerType | AnyFloat)
    return is_flat and (is_number or isinstance(type, IndexType))


def _items(arm: RegionOp, lanes: int, sizes: set[int], *, vectors: bool) -> int | Refusal:
    """How many items of these sizes vectors of `lanes` hold."""
    widest = max(sizes)
    if widest > 1 and not vectors:
        detail = f"an invocation computes with vectors of {widest} lanes already"
        return Refusal(Reason.VECTORS, detail)
    if any(lanes % size for size in sizes) or widest * 2 > lanes:
        detail = f"items compute with vectors of {widest} lanes, vectors of {lanes} hold too few"
        return Refusal(Reason.TOO_WIDE, detail)
    count = arm.domain[0]
    if isinstance(count, int) and count < lanes // widest:
        detail = f"{count} invocations are fewer than {lanes // widest} lanes"
        return Refusal(Reason.TOO_FEW, detail)
    return lanes // widest
