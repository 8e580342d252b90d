"""Accesses to the elements of buffers. An access outside its buffer loads 0 or is dropped."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, UnitAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
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
from xdsl.traits import AlwaysSpeculatable, HasAncestor
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
    HasAccessesInterface,
    HasCombinerInterface,
)
from vyre_dialect.ir.types import (
    IDEMPOTENT_ATOMICS,
    AtomicKind,
    AtomicKindAttr,
    BufferType,
    MemorySpace,
    accessed_elements,
    element_bytes,
)
from vyre_dialect.ops.buffer import verify_known_buffer
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.program import RegionOp

ATOMIC_WIDTHS = (32, 64)
IN_AN_ARM = HasAncestor(RegionOp, KernelOp)


def _type_of(buffer: SSAValue) -> BufferType:
    assert isinstance(buffer.type, BufferType)
    return buffer.type


def _verify_access(op: Operation, buffer: SSAValue, value: Attribute) -> None:
    verify_known_buffer(op, buffer)
    element = _type_of(buffer).element_type
    if element_bytes(element) is None:
        raise VerifyException(f"'{op.name}' expected elements of a fixed size, got {element}")
    if accessed_elements(_type_of(buffer), value) is None:
        raise VerifyException(
            f"'{op.name}' expected a type that covers whole elements of {element}, got {value}"
        )


def _verify_readable(op: Operation, buffer: SSAValue) -> None:
    if not _type_of(buffer).readable:
        raise VerifyException(f"'{op.name}' expected a readable buffer, got a write_only one")


def _verify_writable(op: Operation, buffer: SSAValue) -> None:
    if not _type_of(buffer).writable:
        raise VerifyException(
            f"'{op.name}' expected a writable buffer, got a {_type_of(buffer).access.data} one"
        )


def _verify_alignment(op: Operation, alignment: IntegerAttr | None) -> None:
    if alignment is None:
        return
    value = alignment.value.data
    if value <= 0 or value & (value - 1):
        raise VerifyException(f"'{op.name}' expected a power of two as alignment, got {value}")


@irdl_op_definition
class LoadOp(IRDLOperation, HasAccessesInterface):
    """
    Loads the run of elements that the result type covers, from the element `index` on.

    Bytes are little-endian; each element outside the buffer reads as 0. In the body of a
    program, outside its arms, the host reads the element.
    """

    name = "vyre.load"

    T: ClassVar = VarConstraint("T", AnyAttr())

    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    in_bounds = opt_prop_def(UnitAttr)
    """Proven: every element lies inside the buffer."""
    alignment = opt_prop_def(IntegerAttr.constr(i64))
    """Proven: the first byte's offset in the buffer is a multiple of this."""
    value_type = prop_def(T)
    """The type of the result, without which xDSL's `cse` takes loads of two widths for one."""
    value = result_def(T)

    traits = traits_def(AlwaysSpeculatable())
    assembly_format = (
        "$buffer `[` $index `]` (`in_bounds` $in_bounds^)? (`aligned` $alignment^)? "
        "attr-dict `:` type($buffer) `->` $value_type"
    )

    def __init__(self, buffer: SSAValue, index: SSAValue, type: Attribute | None = None):
        type = type or _type_of(buffer).element_type
        super().__init__(
            operands=[buffer, index], properties={"value_type": type}, result_types=[type]
        )

    @property
    def elements(self) -> int:
        """Number of consecutive elements that the access covers."""
        return accessed_elements(_type_of(self.operands[0]), self.results[0].type) or 0

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        buffer, index = self.operands
        return (BufferAccess(AccessKind.READ, buffer, index, self.elements),)

    def verify_(self) -> None:
        _verify_access(self, self.buffer, self.value.type)
        _verify_readable(self, self.buffer)
        _verify_alignment(self, self.alignment)
        space = _type_of(self.buffer).space
        if space != MemorySpace.GLOBAL and IN_AN_ARM.get_ancestor(self) is None:
            raise VerifyException(
                f"'{self.name}' expected a global buffer outside an arm, got a {space} one"
            )


@irdl_op_definition
class StoreOp(IRDLOperation, HasAccessesInterface):
    """
    Stores `value` over the run of elements that its type covers, from `index` on.

    Bytes are little-endian; each element outside the buffer is dropped.
    """

    name = "vyre.store"

    value = operand_def()
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    in_bounds = opt_prop_def(UnitAttr)
    """Proven: every element lies inside the buffer."""
    alignment = opt_prop_def(IntegerAttr.constr(i64))
    """Proven: the first byte's offset in the buffer is a multiple of this."""

    traits = traits_def(IN_AN_ARM)
    assembly_format = (
        "$value `,` $buffer `[` $index `]` (`in_bounds` $in_bounds^)? "
        "(`aligned` $alignment^)? attr-dict `:` type($value) `,` type($buffer)"
    )

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[value, buffer, index])

    @property
    def elements(self) -> int:
        """Number of consecutive elements that the access covers."""
        value, buffer, _ = self.operands
        return accessed_elements(_type_of(buffer), value.type) or 0

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        _, buffer, index = self.operands
        return (BufferAccess(AccessKind.WRITE, buffer, index, self.elements),)

    def can_redirect(self, access: BufferAccess) -> bool:
        return True  # also where the index itself is what is stored

    def redirect(self, access: BufferAccess, buffer: SSAValue, index: SSAValue) -> None:
        self.operands = [self.value, buffer, index]
        self.in_bounds = self.alignment = None

    def verify_(self) -> None:
        _verify_access(self, self.buffer, self.value.type)
        _verify_writable(self, self.buffer)
        _verify_alignment(self, self.alignment)


def _verify_atomic(op: Operation, buffer: SSAValue, value: Attribute) -> None:
    verify_known_buffer(op, buffer)
    _verify_writable(op, buffer)
    _verify_readable(op, buffer)
    element = _type_of(buffer).element_type
    if value != element:
        raise VerifyException(f"'{op.name}' expected an operand of type {element}, got {value}")
    if not isinstance(element, IntegerType) or element.width.data not in ATOMIC_WIDTHS:
        raise VerifyException(f"'{op.name}' expected elements of type i32 or i64, got {element}")
    if _type_of(buffer).space == MemorySpace.PRIVATE:
        raise VerifyException(
            f"'{op.name}' expected a buffer that invocations share, got a private one"
        )


_COMBINATIONS = {
    AtomicKind.ADDI: arith.AddiOp,
    AtomicKind.ANDI: arith.AndIOp,
    AtomicKind.ORI: arith.OrIOp,
    AtomicKind.XORI: arith.XOrIOp,
    AtomicKind.MAXS: arith.MaxSIOp,
    AtomicKind.MAXU: arith.MaxUIOp,
    AtomicKind.MINS: arith.MinSIOp,
    AtomicKind.MINU: arith.MinUIOp,
}


@irdl_op_definition
class AtomicRMWOp(IRDLOperation, HasCombinerInterface):
    """
    Combines `value` into one element atomically and yields the element's old value.

    Outside the buffer the old value is 0 and nothing is written.
    """

    name = "vyre.atomic_rmw"

    T: ClassVar = VarConstraint("T", AnyAttr())

    kind = prop_def(AtomicKindAttr)
    value = operand_def(T)
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    in_bounds = opt_prop_def(UnitAttr)
    """Proven: the element lies inside the buffer."""
    old = result_def(T)

    traits = traits_def(IN_AN_ARM)
    assembly_format = (
        "$kind $value `,` $buffer `[` $index `]` (`in_bounds` $in_bounds^)? attr-dict "
        "`:` type($value) `,` type($buffer)"
    )

    def __init__(
        self, kind: AtomicKind | AtomicKindAttr, value: SSAValue, buffer: SSAValue, index: SSAValue
    ):
        super().__init__(
            operands=[value, buffer, index],
            properties={"kind": kind if isinstance(kind, AtomicKindAttr) else AtomicKindAttr(kind)},
            result_types=[value.type],
        )

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        kind, unnoticed = self.kind.data, self.old.first_use is None
        commutes = unnoticed and kind != AtomicKind.ASSIGN
        return (
            BufferAccess(
                AccessKind.UPDATE,
                self.buffer,
                self.index,
                idempotent=unnoticed and kind in IDEMPOTENT_ATOMICS,
                combiner=kind if commutes else None,
            ),
        )

    @property
    def value_operand(self) -> int:
        return 0

    def get_neutral_value(self) -> IntegerAttr:
        assert isinstance(self.value.type, IntegerType)
        return IntegerAttr(self.kind.data.neutral(self.value.type.width.data), self.value.type)

    @property
    def combination(self) -> type[Operation] | None:
        """The class of the ops of `arith` that combine two values, of kinds that combine any."""
        return _COMBINATIONS.get(self.kind.data)

    def combine(self, one: SSAValue, other: SSAValue) -> SSAValue:
        return _COMBINATIONS[self.kind.data](one, other).result

    def verify_(self) -> None:
        _verify_atomic(self, self.buffer, self.value.type)


@irdl_op_definition
class AtomicCASOp(IRDLOperation, HasAccessesInterface):
    """
    Stores `desired` into one element if it holds `expected`, atomically, and yields its old
    value. Outside the buffer the old value is 0 and nothing is written.
    """

    name = "vyre.atomic_cas"

    T: ClassVar = VarConstraint("T", AnyAttr())

    expected = operand_def(T)
    desired = operand_def(T)
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    in_bounds = opt_prop_def(UnitAttr)
    """Proven: the element lies inside the buffer."""
    old = result_def(T)

    traits = traits_def(IN_AN_ARM)
    assembly_format = (
        "$expected `,` $desired `,` $buffer `[` $index `]` (`in_bounds` $in_bounds^)? attr-dict "
        "`:` type($expected) `,` type($buffer)"
    )

    def __init__(self, expected: SSAValue, desired: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[expected, desired, buffer, index], result_types=[expected.type])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.UPDATE, self.buffer, self.index),)

    def verify_(self) -> None:
        _verify_atomic(self, self.buffer, self.expected.type)
