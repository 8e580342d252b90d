"""
Work: what kernels make a device do, counted by the kinds of things that take their own time.

What one op takes, each time that an invocation runs it, follows from what it says of itself. How
often it runs is found by whoever knows the sizes (`runtime/interpreter/sampled_runs.py`). Source
of the classes: Williams, Waterman and Patterson, "Roofline", and Hong and Kim, "An analytical
model for a GPU architecture".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache, reduce
from math import ceil

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.interfaces import (
    IN_BOUNDS,
    AccessKind,
    BufferAccess,
    OrdersMemoryInterface,
    accesses_of,
    is_convergent,
)
from vyre_dialect.ir.types import BufferType, MemorySpace, element_bytes, lane_count, scalar_type
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.lanes import ConvertLanesOp, LookUpLanesOp

REGISTER_BYTES = 64
"""Bytes of the widest vector register that is counted as one."""
WORD_BYTES = 16
"""Bytes of the widest access of one invocation of a GPU."""


@dataclass(frozen=True)
class Work:
    """How much there is of each kind, of all invocations together."""

    launches: float = 0
    workgroups: float = 0
    invocations: float = 0
    read_bytes: float = 0
    """Distinct bytes of global memory that are read."""
    written_bytes: float = 0
    """Distinct bytes of global memory that are written."""
    traffic_bytes: float = 0
    """Bytes of global memory that accesses touch, each time that they do."""
    sector_bytes: float = 0
    """The same in whole sectors of 32 bytes, which neighbouring invocations share."""
    global_vectors: float = 0
    """Accesses to global memory, those of more than a vector register as several."""
    global_words: float = 0
    """Accesses to global memory, as many as there are words that are proven to be aligned."""
    strided_words: float = 0
    """Those of them that neighbours make more than a sector apart."""
    gathers: float = 0
    """Loads from global memory, and stores to it, at an index that is data."""
    workgroup_accesses: float = 0
    """Words of up to 16 bytes that are loaded from workgroup memory, or stored there."""
    private_accesses: float = 0
    """Accesses to private buffers at an index that is not constant."""
    private_gathers: float = 0
    """Those of them whose index is data."""
    private_vectors: float = 0
    """The same of several lanes, by registers."""
    private_splits: float = 0
    """Those of them that may be aligned to less than they are large."""
    private_moves: float = 0
    """Accesses to private buffers at a constant index, which may well be registers."""
    scalar_ops: float = 0
    """On numbers of up to 32 bits."""
    wide_ops: float = 0
    """On indices and other numbers of 64 bits."""
    divisions: float = 0
    """Divisions by what is no constant, and functions such as roots."""
    vector_ops: float = 0
    """On vectors, by the registers of 64 bytes that these take."""
    lane_ops: float = 0
    """The same by lanes, as devices without vector registers do them."""
    shuffles: float = 0
    """Permutations, conversions and reductions of lanes, by registers."""
    branches: float = 0
    """Conditions and iterations."""
    data_branches: float = 0
    """Conditions on data, as far as they are hard to predict."""
    global_atomics: float = 0
    workgroup_atomics: float = 0
    wide_atomics: float = 0
    """Those of both on numbers of 64 bits."""
    conflicts: float = 0
    """Neighbours that an atomic has to wait for, as they update the same element."""
    barriers: float = 0
    """By invocations."""
    steps: float = 0
    """Ops that the busiest invocation does, one after another."""
    serial_words: float = 0
    """Accesses to global memory that the busiest invocation makes, one after another."""

    def plus(self, other: Work) -> Work:
        """The work of both."""
        return Work(*(getattr(self, name) + getattr(other, name) for name in KINDS))

    def times(self, count: float) -> Work:
        """So many times the work."""
        return Work(*(getattr(self, name) * count for name in KINDS))

    def as_dict(self) -> dict[str, float]:
        """The counts of the kinds that there are any of."""
        return {name: count for name in KINDS if (count := getattr(self, name))}

    @property
    def footprint_bytes(self) -> float:
        """Distinct bytes of global memory that are touched."""
        return self.read_bytes + self.written_bytes


KINDS = tuple(each.name for each in fields(Work))
"""The kinds of work."""
NO_WORK = Work()


def total(parts: Iterable[Work]) -> Work:
    """The work of all of them together."""
    return reduce(Work.plus, parts, NO_WORK)


_FREE = (BufferOp, arith.ConstantOp, arith.IndexCastOp)
_CASTS = (arith.ExtUIOp, arith.ExtSIOp, arith.TruncIOp, arith.BitcastOp)
_CONTROL = (scf.IfOp, scf.IndexSwitchOp, scf.ForOp, scf.WhileOp)
_QUOTIENTS = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp)
_ROUNDED_QUOTIENTS = (arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp)
_DIVISIONS = (*_QUOTIENTS, *_ROUNDED_QUOTIENTS, arith.DivfOp)
_MOVES = (vector.ExtractOp, vector.InsertOp, vector.BroadcastOp, vector.BitcastOp)
_SHUFFLES = (vector.ShuffleOp, vector.ReductionOp, ConvertLanesOp, LookUpLanesOp)
_CONSTANT_DIVISION = 4
"""Ops that a division by a constant becomes: a product of twice the width, shifts, a sum."""
_GUARD = 2
"""Ops that find out whether an access is in bounds, beside the branch."""


_ADDITIONS: Mapping[type[Operation], int] = {
    arith.ConstantOp: 0,
    arith.MuliOp: 2,
    **dict.fromkeys(_QUOTIENTS, 20),
    **dict.fromkeys(_ROUNDED_QUOTIENTS, 24),
}


def additions_of(kind: type[Operation]) -> int:
    """
    What an op costs by itself, in additions: one number in place of all kinds of work, for choices
    that know no device and no operands.
    """
    return _ADDITIONS.get(kind, 1)


def work_of(op: Operation) -> Work:
    """
    What an invocation does in one run of `op` by itself, without what stands in its regions.
    Distinct bytes and sectors, which follow from where accesses go, are not in it.
    """
    if accesses := accesses_of(op):
        return total(_access_work(op, access) for access in accesses)
    kind = type(op)
    if isinstance(op, OrdersMemoryInterface):
        return Work(barriers=1)
    if _is_one_of(kind, _CONTROL):
        return Work(branches=1)
    if _is_one_of(kind, _FREE) or op.has_trait(IsTerminator):
        return NO_WORK
    types = [value.type for value in (*op.results, *op.operands)]
    if (lanes := max(map(lane_count, types), default=1)) > 1:
        own = _vector_work(kind, lanes, types)
        return _of_any_lane(own) if _is_of_any_lane(op) else own
    return _scalar_work(op, types)


@cache
def _is_one_of(kind: type[Operation], kinds: tuple[type[Operation], ...]) -> bool:
    return issubclass(kind, kinds)


def _vector_work(kind: type[Operation], lanes: int, types: Iterable[Attribute]) -> Work:
    size = max((element_bytes(type) or 1 for type in types if lane_count(type) > 1), default=1)
    registers = ceil(size / REGISTER_BYTES)
    if _is_one_of(kind, _MOVES):
        return Work(shuffles=registers)
    if _is_one_of(kind, _SHUFFLES):
        is_arithmetic = kind is not vector.ShuffleOp
        return Work(shuffles=registers, lane_ops=lanes * is_arithmetic)
    if _is_one_of(kind, _DIVISIONS):
        return Work(divisions=lanes)
    return Work(vector_ops=registers, lane_ops=lanes)


def _is_of_any_lane(op: Operation) -> bool:
    """Whether the lane that an op reads or writes is found out while it runs."""
    return isinstance(op, vector.ExtractOp | vector.InsertOp) and bool(op.dynamic_position)


def _of_any_lane(own: Work) -> Work:
    """A vector goes through memory to get at such a lane."""
    return Work(private_vectors=own.shuffles, private_accesses=1)


def _scalar_work(op: Operation, types: Iterable[Attribute]) -> Work:
    kind = type(op)
    if _is_one_of(kind, _CASTS):
        return NO_WORK
    if is_convergent(kind):
        return Work(workgroup_accesses=1)  # through the memory or the network of a workgroup
    divisor = integer_of(op.operands[1]) if _is_one_of(kind, _DIVISIONS) else 0
    if divisor is None or op.dialect_name() == "math":
        return Work(divisions=1)
    count = _CONSTANT_DIVISION if divisor else 1
    is_wide = any(map(_is_wide, types))
    return Work(wide_ops=count) if is_wide else Work(scalar_ops=count)


def _is_wide(type: Attribute) -> bool:
    return isinstance(type, IndexType) or (element_bytes(type) or 0) > 4


def _access_work(op: Operation, access: BufferAccess) -> Work:
    """What an access takes, its guard included, but for distinct bytes and sectors."""
    type = access.buffer.type
    assert isinstance(type, BufferType)
    size = accessed_bytes(access)
    own = _of_space(op, access, type.space, size)
    if access.index is None or IN_BOUNDS in op.properties or type.space == MemorySpace.PRIVATE:
        return own
    return own.plus(Work(wide_ops=_GUARD, branches=1))


def _of_space(op: Operation, access: BufferAccess, space: MemorySpace, size: int) -> Work:
    is_update = access.kind == AccessKind.UPDATE
    wide = _bytes_of_one(access) > 4
    if space == MemorySpace.WORKGROUP:
        if is_update:
            return Work(workgroup_atomics=1, wide_atomics=wide)
        return Work(workgroup_accesses=ceil(size / _word_bytes(op, access)))
    if space == MemorySpace.PRIVATE:
        if _is_constant(access.index):
            return Work(private_moves=ceil(size / REGISTER_BYTES))
        if size > _bytes_of_one(access):
            registers = ceil(size / REGISTER_BYTES)
            is_split = _alignment(op) < min(size, REGISTER_BYTES)
            return Work(private_vectors=registers, private_splits=registers * is_split)
        return Work(private_accesses=1)
    if is_update:
        return Work(global_atomics=1, wide_atomics=wide)
    return Work(
        traffic_bytes=size,
        global_vectors=ceil(size / REGISTER_BYTES),
        global_words=ceil(size / _word_bytes(op, access)),
    )


def accessed_bytes(access: BufferAccess) -> int:
    """Bytes that an access touches; those of one element where it does not say how many."""
    count = access.count if isinstance(access.count, int) else 1
    return count * _bytes_of_one(access)


def _bytes_of_one(access: BufferAccess) -> int:
    assert isinstance(access.buffer.type, BufferType)
    return element_bytes(access.buffer.type.element_type) or 1


def _word_bytes(op: Operation, access: BufferAccess) -> int:
    """Bytes that an invocation loads or stores at once, as far as they are known to be aligned."""
    assert isinstance(access.buffer.type, BufferType)
    lane = element_bytes(scalar_type(access.buffer.type.element_type)) or 1
    return min(WORD_BYTES, max(lane, _alignment(op)))


def _alignment(op: Operation) -> int:
    """What is proven to divide the offset of an access, in bytes."""
    proven = op.properties.get("alignment")
    return proven.value.data if isinstance(proven, IntegerAttr) else 1


def _is_constant(index: SSAValue | int | None) -> bool:
    return isinstance(index, int) or (index is not None and integer_of(index) is not None)
