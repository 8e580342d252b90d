"""Buffers of a program that is built, and the ids and barriers of its arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    UnitAttr,
)
from xdsl.ir import Attribute, SSAValue

from vyre_dialect.builder.values import (
    Scalar,
    Value,
    ssa,
)
from vyre_dialect.ir.types import (
    AtomicKind,
    Axis,
    BufferType,
    MemorySpace,
)
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.invocation import (
    AsyncCopyOp,
    AsyncWaitOp,
    BarrierOp,
    InvocationIdOp,
    LocalIdOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    TrapOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, eq=False)
class Buffer:
    """A buffer of the program; subscripts load and store single elements."""

    ssa: SSAValue

    __iter__ = None
    """Python would index without end."""

    @property
    def type(self) -> BufferType:
        """The type of the buffer."""
        assert isinstance(self.ssa.type, BufferType)
        return self.ssa.type

    @property
    def length(self) -> Value:
        """The element count, an index."""
        return Value(BufLenOp(self.ssa).length)

    def __getitem__(self, position: Scalar) -> Value:
        return self.load(_one(position))

    def __setitem__(self, position: Scalar, value: Scalar) -> None:
        self.store(value, _one(position))

    def load(
        self, position: Scalar, type: Attribute | None = None, *, in_bounds: bool = False
    ) -> Value:
        """
        Load from the element `position` on, as the element type or as `type`. That it lies inside,
        as `in_bounds` says of this access and others, is believed of expansions and passes alone:
        what is compiled as a program proves it again.
        """
        op = LoadOp(self.ssa, ssa(position), type)
        op.in_bounds = UnitAttr() if in_bounds else None
        return Value(op.value)

    def store(self, value: Scalar, position: Scalar, *, in_bounds: bool = False) -> None:
        """Store `value` from the element `position` on."""
        op = StoreOp(ssa(value, self.type.element_type), self.ssa, ssa(position))
        op.in_bounds = UnitAttr() if in_bounds else None

    def atomic(
        self, kind: AtomicKind, value: Scalar, position: Scalar = 0, *, in_bounds: bool = False
    ) -> Value:
        """Combine `value` into an element atomically; yields the old value."""
        operand = ssa(value, self.type.element_type)
        op = AtomicRMWOp(kind, operand, self.ssa, ssa(position))
        op.in_bounds = UnitAttr() if in_bounds else None
        return Value(op.old)

    def compare_and_swap(self, expected: Scalar, desired: Scalar, position: Scalar) -> Value:
        """Store `desired` if the element holds `expected`; yields the old value."""
        like = self.type.element_type
        op = AtomicCASOp(ssa(expected, like), ssa(desired, like), self.ssa, ssa(position))
        return Value(op.old)

    def trap(self, message: str, offset: Scalar) -> None:
        """Report bad input at `offset`; this buffer holds the errors."""
        TrapOp(message, ssa(offset), self.ssa)


def _one(position: Scalar | slice) -> Scalar:
    """A position, and no range of them, which Python's syntax has, too."""
    if isinstance(position, slice):
        raise TypeError(
            "expected the position of one element, got a range: an arm over as many invocations "
            "touches one each"
        )
    return position


def invocation_id(axis: Axis = Axis.X) -> Value:
    """The position in the invocation domain along `axis`."""
    return Value(InvocationIdOp(axis).id)


def workgroup_id(axis: Axis = Axis.X) -> Value:
    """The position of the workgroup in the grid along `axis`."""
    return Value(WorkgroupIdOp(axis).id)


def local_id(axis: Axis = Axis.X) -> Value:
    """The position in the workgroup along `axis`."""
    return Value(LocalIdOp(axis).id)


def subgroup_lane() -> Value:
    """The position in the subgroup."""
    return Value(SubgroupLaneOp().id)


def subgroup_id() -> Value:
    """The position of the subgroup in the workgroup."""
    return Value(SubgroupIdOp().id)


def barrier(memory_space: MemorySpace | None = None) -> None:
    """Wait for the workgroup; see `vyre.barrier`."""
    BarrierOp(memory_space)


def async_copy(
    source: Buffer, begin: Scalar, destination: Buffer, at: Scalar, count: Scalar
) -> SSAValue:
    """
    Start to copy `count` elements from `begin` on to `at` on; see `vyre.async_copy`. Gives
    the token for `async_wait`.
    """
    return AsyncCopyOp(source.ssa, ssa(begin), destination.ssa, ssa(at), ssa(count)).token


def async_wait(token: SSAValue) -> None:
    """Wait until a copy is complete."""
    AsyncWaitOp(token)
