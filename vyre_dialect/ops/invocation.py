"""What an invocation knows of itself, and how the invocations of a workgroup cooperate."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from vyre_dialect.ir.interfaces import (
    AccessKind,
    AlongAxis,
    BufferAccess,
    Convergent,
    DependsOn,
    HasAccessesInterface,
    Id,
    OrdersMemoryInterface,
    UniformOperands,
    ids_of,
)
from vyre_dialect.ir.types import (
    Axis,
    AxisAttr,
    BufferType,
    MemorySpace,
    MemorySpaceAttr,
    ReduceKind,
    ReduceKindAttr,
    TokenType,
    element_bytes,
    verify_text,
)
from vyre_dialect.ops.buffer import BufferOp, verify_known_buffer
from vyre_dialect.ops.memory import ATOMIC_WIDTHS, IN_AN_ARM


class IdOp(IRDLOperation, ABC):
    """An id along one axis, an `index`."""

    axis = prop_def(AxisAttr)
    id = result_def(IndexType())

    traits = traits_def(Pure(), IN_AN_ARM, AlongAxis())
    assembly_format = "$axis attr-dict"

    def __init__(self, axis: Axis | AxisAttr = Axis.X):
        super().__init__(
            properties={"axis": axis if isinstance(axis, AxisAttr) else AxisAttr(axis)},
            result_types=[IndexType()],
        )


@irdl_op_definition
class InvocationIdOp(IdOp):
    """Position in the arm's invocation domain."""

    name = "vyre.invocation_id"

    traits = traits_def(DependsOn(Id.INVOCATION))


@irdl_op_definition
class WorkgroupIdOp(IdOp):
    """Position of the workgroup in the grid of workgroups."""

    name = "vyre.workgroup_id"

    traits = traits_def(DependsOn(Id.WORKGROUP))


@irdl_op_definition
class LocalIdOp(IdOp):
    """Position in the workgroup."""

    name = "vyre.local_id"

    traits = traits_def(DependsOn(Id.LOCAL))


class _SubgroupIdOp(IRDLOperation, ABC):
    """An id that concerns subgroups, an `index`."""

    id = result_def(IndexType())

    traits = traits_def(Pure(), IN_AN_ARM)
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[IndexType()])


@irdl_op_definition
class SubgroupLaneOp(_SubgroupIdOp):
    """Position in the subgroup: `subgroup_size` consecutive invocations of a workgroup."""

    name = "vyre.subgroup_lane"

    traits = traits_def(DependsOn(Id.LANE))


@irdl_op_definition
class SubgroupIdOp(_SubgroupIdOp):
    """Position of the subgroup in the workgroup."""

    name = "vyre.subgroup_id"

    traits = traits_def(DependsOn(Id.SUBGROUP))


@irdl_op_definition
class BarrierOp(IRDLOperation, OrdersMemoryInterface):
    """
    Waits for the workgroup: what its invocations did to memory before is visible to all of
    them after. With a memory space only that memory is ordered.
    """

    name = "vyre.barrier"

    memory_space = opt_prop_def(MemorySpaceAttr)

    traits = traits_def(IN_AN_ARM)
    assembly_format = "(`memfence` $memory_space^)? attr-dict"

    def __init__(self, memory_space: MemorySpace | None = None):
        super().__init__(
            properties={
                "memory_space": None if memory_space is None else MemorySpaceAttr(memory_space)
            }
        )

    @property
    def ordered_spaces(self) -> frozenset[MemorySpace]:
        if self.memory_space is None:
            return frozenset(MemorySpace)
        return frozenset({self.memory_space.data})


@irdl_op_definition
class AsyncCopyOp(IRDLOperation, HasAccessesInterface):
    """
    Starts a copy of `count` elements by the whole workgroup, from global memory to that of the
    workgroup or back. Neither side may be touched before `vyre.async_wait`. The operands are
    the same in all its invocations.
    """

    name = "vyre.async_copy"

    source = operand_def(BufferType)
    source_index = operand_def(IndexType())
    destination = operand_def(BufferType)
    destination_index = operand_def(IndexType())
    count = operand_def(IndexType())
    token = result_def(TokenType())

    traits = traits_def(IN_AN_ARM, Convergent(), UniformOperands())
    assembly_format = (
        "$source `[` $source_index `]` `,` $destination `[` $destination_index `]` `,` $count "
        "attr-dict `:` type($source) `,` type($destination)"
    )

    def __init__(
        self,
        source: SSAValue,
        source_index: SSAValue,
        destination: SSAValue,
        destination_index: SSAValue,
        count: SSAValue,
    ):
        super().__init__(
            operands=[source, source_index, destination, destination_index, count],
            result_types=[TokenType()],
        )

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (
            BufferAccess(AccessKind.READ, self.source, self.source_index, self.count),
            BufferAccess(AccessKind.WRITE, self.destination, self.destination_index, self.count),
        )

    def can_redirect(self, access: BufferAccess) -> bool:
        return False  # it copies between global and workgroup memory, and nowhere else

    def verify_(self) -> None:
        source, destination = self.source.type, self.destination.type
        assert isinstance(source, BufferType) and isinstance(destination, BufferType)
        verify_known_buffer(self, self.source)
        verify_known_buffer(self, self.destination)
        if source.element_type != destination.element_type:
            raise VerifyException(
                f"'{self.name}' expected buffers of one element type, got {source.element_type} "
                f"and {destination.element_type}"
            )
        if element_bytes(source.element_type) is None:
            raise VerifyException(
                f"'{self.name}' expected elements of a fixed size, got {source.element_type}"
            )
        if not source.readable or not destination.writable:
            raise VerifyException(
                f"'{self.name}' expected to copy from a readable to a writable buffer, got "
                f"{source.access.data} to {destination.access.data}"
            )
        if {source.space, destination.space} != {MemorySpace.GLOBAL, MemorySpace.WORKGROUP}:
            raise VerifyException(
                f"'{self.name}' expected to copy between global and workgroup memory, got "
                f"{source.space} to {destination.space}"
            )
        if self.token.first_use is None:
            raise VerifyException(
                f"'{self.name}' expected a 'vyre.async_wait' for its token, got no use"
            )


@irdl_op_definition
class AsyncWaitOp(IRDLOperation, OrdersMemoryInterface):
    """Waits until a copy is complete and visible to the workgroup."""

    name = "vyre.async_wait"

    token = operand_def(TokenType())

    traits = traits_def(IN_AN_ARM)
    assembly_format = "$token attr-dict"

    def __init__(self, token: SSAValue):
        super().__init__(operands=[token])

    @property
    def ordered_spaces(self) -> frozenset[MemorySpace]:
        return frozenset(MemorySpace)


@irdl_op_definition
class SubgroupShuffleOp(IRDLOperation):
    """The value that lane `lane` of the same subgroup has; 0 for a lane outside it."""

    name = "vyre.subgroup_shuffle"

    T: ClassVar = VarConstraint("T", AnyAttr())

    value = operand_def(T)
    lane = operand_def(IndexType())
    result = result_def(T)

    traits = traits_def(NoMemoryEffect(), IN_AN_ARM, Convergent(), DependsOn(Id.SUBGROUP, Id.LANE))
    assembly_format = "$value `,` $lane attr-dict `:` type($value)"

    def __init__(self, value: SSAValue, lane: SSAValue):
        super().__init__(operands=[value, lane], result_types=[value.type])

    def verify_(self) -> None:
        if not isa(self.value.type, IntegerType | IndexType | AnyFloat):
            raise VerifyException(
                f"'{self.name}' expected an integer, index or float, got {self.value.type}"
            )


@irdl_op_definition
class SubgroupReduceOp(IRDLOperation):
    """The combined value of all lanes of the subgroup, in each of them."""

    name = "vyre.subgroup_reduce"

    T: ClassVar = VarConstraint("T", AnyAttr())

    kind = prop_def(ReduceKindAttr)
    value = operand_def(T)
    result = result_def(T)

    traits = traits_def(NoMemoryEffect(), IN_AN_ARM, Convergent(), DependsOn(Id.SUBGROUP))
    assembly_format = "$kind $value attr-dict `:` type($value)"

    def __init__(self, kind: ReduceKind | ReduceKindAttr, value: SSAValue):
        super().__init__(
            operands=[value],
            properties={"kind": kind if isinstance(kind, ReduceKindAttr) else ReduceKindAttr(kind)},
            result_types=[value.type],
        )

    def verify_(self) -> None:
        if not isinstance(self.value.type, IntegerType):
            raise VerifyException(
                f"'{self.name}' expected an integer operand, got {self.value.type}"
            )


@irdl_op_definition
class TrapOp(IRDLOperation, HasAccessesInterface):
    """
    Reports bad input at `offset`: element 0 of `errors` becomes the smallest offset trapped.

    `errors` starts with all bits set, which stands for no error; `vyre run` fails with
    `message` and the offset when it ends with anything else. The invocation goes on. An i32
    holds offsets up to 4294967294, which stands for all that are larger.
    """

    name = "vyre.trap"

    message = prop_def(StringAttr)
    offset = operand_def(IndexType())
    errors = operand_def(BufferType)

    traits = traits_def(IN_AN_ARM)
    assembly_format = "$message `at` $offset `,` $errors attr-dict `:` type($errors)"

    def __init__(self, message: str, offset: SSAValue, errors: SSAValue):
        super().__init__(operands=[offset, errors], properties={"message": StringAttr(message)})

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        # Its offsets saturate, so that it combines with other traps alone.
        return (
            BufferAccess(AccessKind.UPDATE, self.errors, 0, idempotent=True, combiner=TrapOp.name),
        )

    def verify_(self) -> None:
        verify_text(self.name, self.message)
        verify_known_buffer(self, self.errors)
        type = self.errors.type
        assert isinstance(type, BufferType)
        element = type.element_type
        if not isinstance(element, IntegerType) or element.width.data not in ATOMIC_WIDTHS:
            raise VerifyException(
                f"'{self.name}' expected errors of type i32 or i64, got {element}"
            )
        if not (type.readable and type.writable):
            raise VerifyException(
                f"'{self.name}' expected a read_write buffer of errors, got {type.access.data}"
            )
        if type.space != MemorySpace.GLOBAL:
            raise VerifyException(
                f"'{self.name}' expected a global buffer of errors, got a {type.space} one"
            )
        if isinstance(self.errors.owner, BufferOp):
            self._verify_start(self.errors.owner)

    def _verify_start(self, errors: BufferOp) -> None:
        if isinstance(errors.fill, IntegerAttr) and errors.fill.value.data == -1:
            return
        raise VerifyException(
            f"'{self.name}' expected errors that start with all bits set, got "
            f"'@{errors.sym_name.data}' without 'fill -1'"
        )


def knows_its_invocation(op: Operation) -> bool:
    """Whether an op of a package knows by itself which invocation runs it, and cannot be told."""
    return Id.INVOCATION in (ids_of(op) or ()) and not isinstance(op, InvocationIdOp)
