"""The body of a data-parallel arm, written anew for several neighbouring invocations at once."""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, UnknownLoc, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.builder import Value
from vyre_dialect.ir.cooperation import cooperative_op, unknown_op
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import (
    HasAccessesInterface,
    HasCombinerInterface,
    Id,
    arm_of,
    buffers_of,
    ids_of,
)
from vyre_dialect.ir.thread_local_building import current_block
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import (
    GROUPS,
    ITEMS,
    Access,
    Axis,
    BufferType,
    MemorySpace,
    lane_count,
    scalar_type,
)
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp, TrapOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.refusal import RefusedError
from vyre_dialect.passes.loop.vectorization.accesses import (
    Chunks,
    interleaved_stores,
    vectorize_interleaved,
    vectorize_load,
    vectorize_store,
)
from vyre_dialect.passes.loop.vectorization.body import Body, refuse_form
from vyre_dialect.passes.loop.vectorization.branches import vectorize_if
from vyre_dialect.passes.loop.vectorization.elementwise import is_elementwise, vectorize_elementwise
from vyre_dialect.passes.loop.vectorization.lane_values import LaneValue, Stepped, Uniform
from vyre_dialect.passes.loop.vectorization.loops import vectorize_for
from vyre_dialect.passes.loop.vectorization.refusal import Reason
from vyre_dialect.passes.loop.vectorization.updates import (
    is_shared_update,
    replicate,
    vectorize_update,
)

SCALAR_COST = 3
"""Wide ops whose gain an op takes back that is done lane by lane, each of which is moved for it."""


def items_of(arm: RegionOp, lanes: int, divergence: DivergenceAnalysis, *, vectors: bool) -> int:
    """
    How many invocations vectors of `lanes` hold, whatever `vectors` one of them computes with, if
    it may.

    Raises RefusedError where an arm is not one whose invocations can become lanes.
    """
    _check_arm(arm)
    _check_neighbours(arm)
    for op in ops_inside(arm.body):
        _check_op(op)
    sizes = _item_sizes(arm, divergence)
    widest = max(sizes, default=1)
    if widest > 1 and not vectors:
        detail = f"an invocation computes with vectors of {widest} lanes already"
        raise RefusedError(Reason.VECTORS, detail)
    if any(lanes % size for size in sizes) or widest * 2 > lanes:
        detail = f"items compute with vectors of {widest} lanes, vectors of {lanes} hold too few"
        raise RefusedError(Reason.TOO_WIDE, detail)
    count = arm.domain[0]
    if isinstance(count, int) and count < lanes // widest:
        detail = f"{count} invocations are fewer than {lanes // widest} lanes"
        raise RefusedError(Reason.TOO_FEW, detail)
    return lanes // widest


def _check_arm(arm: RegionOp) -> None:
    if ITEMS in arm.attributes or GROUPS in arm.attributes:
        raise RefusedError(Reason.COARSENED, "an invocation does several items already")
    if (op := unknown_op(arm.body)) is not None:
        raise _unknown(op)
    if (op := cooperative_op(arm.body)) is not None:
        raise RefusedError(Reason.COOPERATIVE, f"'{op.name}' depends on the workgroup")


def _check_neighbours(arm: RegionOp) -> None:
    """Tiles are shared with cooperative arms by as many invocations as these have."""
    for buffer in {buffer for op in ops_inside(arm.body) for buffer in buffers_of(op)}:
        if not isinstance(buffer.owner, BufferOp) or not _is_intermediate(buffer.owner):
            continue
        for other in {arm_of(use.operation) for use in buffer.uses} - {arm, None}:
            if isinstance(other, RegionOp) and cooperative_op(other.body) is not None:
                place, name = buffer.owner.sym_name.data, other.generator.data
                detail = f"'{name}', which uses '@{place}', too, depends on the workgroup"
                raise RefusedError(Reason.COOPERATIVE, detail)


def _is_intermediate(buffer: BufferOp) -> bool:
    return buffer.live_out is None and buffer.type.access.data == Access.READ_WRITE


def _check_op(op: Operation) -> None:
    if not states_effects(op):
        raise _unknown(op)
    if Id.INVOCATION in (ids_of(op) or ()) and not isinstance(op, InvocationIdOp):
        detail = f"'{op.name}' cannot be told to run as another invocation"
        raise RefusedError(Reason.UNKNOWN_OP, detail)
    for buffer in buffers_of(op):
        assert isinstance(buffer.type, BufferType)
        if buffer.type.space == MemorySpace.PRIVATE:
            detail = f"'{op.name}' touches private memory, which is one invocation's"
            raise RefusedError(Reason.PRIVATE_MEMORY, detail)


def _unknown(op: Operation) -> RefusedError:
    detail = f"'{op.name}' does not say what it touches, or on which ids it depends"
    return RefusedError(Reason.UNKNOWN_OP, detail)


def _item_sizes(arm: RegionOp, divergence: DivergenceAnalysis) -> set[int]:
    """The numbers of lanes of the values that differ between invocations."""
    sizes = {1}
    for op in ops_inside(arm.body):
        blocks = (block for region in op.regions for block in region.blocks)
        for value in (*op.results, *(each for block in blocks for each in block.args)):
            if divergence.differs_along_x(value):
                sizes.add(_item_size(op, value))
    return sizes


def _item_size(op: Operation, value: SSAValue) -> int:
    type = value.type
    is_flat = not isinstance(type, VectorType) or (
        len(type.get_shape()) == 1 and not type.get_num_scalable_dims()
    )
    lane = scalar_type(type)
    is_number = isinstance(lane, IntegerType | AnyFloat) or isinstance(type, IndexType)
    if not is_flat or not is_number:
        raise refuse_form(op)
    return lane_count(type)


def _place(made: Operation, of: Operation) -> None:
    """Let what an op has become stand where it stood."""
    for each in ops_inside(made):
        if isinstance(each.location, UnknownLoc):
            each.location = of.location


class Vectorizer:
    """Writes the body of an arm anew, for so many neighbours as lanes."""

    def __init__(
        self, arm: RegionOp, lanes: int, forms: LinearForms, divergence: DivergenceAnalysis
    ):
        self._body = Body(arm, lanes, self._run, forms, divergence)
        self._chunks: Chunks = {}

    def write(self, block: Block, first: Value) -> None:
        """
        Write to the end of a block what the invocations from `first` on do, all of which exist.

        Raises RefusedError where they cannot be lanes, or where most would be done one by one.
        """
        body = self._body
        for op in body.arm.body.walk():
            if isinstance(op, InvocationIdOp) and op.axis.data == Axis.X:
                body.values[op.id] = Stepped(body.lanes, first.ssa, 1)
        with ImplicitBuilder(block):
            self._run(body.arm.body.block)
        if SCALAR_COST * body.scalar_ops > body.wide_ops:
            detail = (
                f"{body.scalar_ops} of {body.scalar_ops + body.wide_ops} accesses and ops would "
                "be done one lane after the other"
            )
            raise RefusedError(Reason.MOSTLY_SCALAR, detail)

    def _run(self, block: Block) -> list[LaneValue]:
        """Vectorize the ops of a block at the current place; what its terminator passes on."""
        outer, self._chunks = (
            self._chunks,
            {place: [*known] for place, known in self._chunks.items()},
        )
        groups = interleaved_stores(self._body, block)
        last = block.last_op
        for op in block.ops:
            if op in groups:
                group = groups[op]
                if op is group.last:
                    vectorize_interleaved(self._body, group)
            elif not op.has_trait(IsTerminator):
                self._vectorize(op)
        self._chunks = outer
        if last is None or not last.has_trait(IsTerminator):
            return []
        return [self._body.value(operand) for operand in last.operands]

    def _vectorize(self, op: Operation) -> None:
        """Vectorize an op at the current place; what it becomes comes from where it stands."""
        block = current_block()
        last = block.last_op
        self._write(op)
        made = block.first_op if last is None else last.next_op
        while made is not None:
            _place(made, op)
            made = made.next_op

    def _write(self, op: Operation) -> None:
        body = self._body
        match op:
            case InvocationIdOp() if op.id in body.values:
                return
            case LoadOp():
                vectorize_load(body, op, self._chunks)
            case StoreOp():
                vectorize_store(body, op)
            case HasCombinerInterface() if is_shared_update(body, op):
                vectorize_update(body, op)
            case AtomicRMWOp() | AtomicCASOp() | TrapOp():
                replicate(body, op)
            case _ if op.regions:
                self._vectorize_structure(op)
            case _:
                self._vectorize_value(op)

    def _vectorize_structure(self, op: Operation) -> None:
        match op:
            case scf.IfOp():
                vectorize_if(self._body, op)
            case scf.ForOp():
                vectorize_for(self._body, op)
            case _:
                raise refuse_form(op)

    def _vectorize_value(self, op: Operation) -> None:
        if self._is_the_same_for_all(op):
            self._copy(op)
        elif is_elementwise(op):
            vectorize_elementwise(self._body, op)
        else:
            raise refuse_form(op)

    def _is_the_same_for_all(self, op: Operation) -> bool:
        """Whether an op computes the same for all lanes, and does nothing else."""
        if isinstance(op, HasAccessesInterface) and any(
            access.writes or access.buffer in self._body.written for access in op.get_accesses()
        ):
            return False
        return all(self._body.is_uniform(operand) for operand in op.operands)

    def _copy(self, op: Operation) -> None:
        made = self._body.clone_at(op, 0)
        for result, value in zip(op.results, made.results, strict=True):
            self._body.bind(result, Uniform(self._body.lanes, value))
