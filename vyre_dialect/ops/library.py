"""
What decoders and scanners are made of, those of other packages, too.

A decoder is a `DecodeOp` that says how long its output is and calls `verify_buffers`; a scanner is
a `ScanOp` that calls `verify_source`, `verify_result` and `verify_different`. Either names the
patterns that expand it in `get_expansion_patterns`, and takes buffers of the builder as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias, overload, runtime_checkable

from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
    HasAccessesInterface,
    HasExpansionInterface,
    buffers_of,
)
from vyre_dialect.ir.tuning import HasParametersInterface, value_of
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import ATOMIC_WIDTHS, verify_known_buffer

RESULT_WIDTHS = (32, 64)
"""Bits of what scanners count and sum up in."""


@runtime_checkable
class HasSSA(Protocol):
    """What stands for an SSA value: a buffer or a value of the builder."""

    @property
    def ssa(self) -> SSAValue:
        """The value that it stands for."""
        ...


Operand: TypeAlias = SSAValue | HasSSA
"""What the constructors of library ops take."""


@overload
def _value(operand: Operand) -> SSAValue: ...


@overload
def _value(operand: None) -> None: ...


def _value(operand: Operand | None) -> SSAValue | None:
    return operand.ssa if isinstance(operand, HasSSA) else operand


class HasLanesInterface(HasParametersInterface, ABC):
    """An op with a parameter `lanes`, whose kernels compute with vectors of as many words."""

    @property
    def lanes_per_vector(self) -> int:
        """How many words a vector has."""
        return int(value_of(self, "lanes"))


class HasValuesInterface(HasParametersInterface, ABC):
    """An op with a parameter `values`: one invocation takes or makes as many."""

    @property
    def values_per_invocation(self) -> int:
        """How many values an invocation takes or makes."""
        return int(value_of(self, "values"))


class LibraryOp(IRDLOperation, HasExpansionInterface, HasAccessesInterface, ABC):
    """An op of a program that works on whole buffers, and that `vyre-expand` makes arms of."""

    def __init__(
        self,
        *,
        operands: Sequence[Operand | Sequence[Operand] | None],
        properties: Mapping[str, Attribute | None] | None = None,
        regions: Sequence[Region] = (),
    ):
        super().__init__(
            operands=[
                [_value(each) for each in operand]
                if isinstance(operand, Sequence)
                else _value(operand)
                for operand in operands
            ],
            properties=properties,
            regions=regions,
        )

    def global_buffer(self, role: str, buffer: SSAValue) -> BufferType:
        """The type of a buffer operand. Raises VerifyException unless it is a global buffer."""
        verify_known_buffer(self, buffer)
        assert isinstance(buffer.type, BufferType)
        if buffer.type.space != MemorySpace.GLOBAL:
            raise self.error(f"expected {role} in global memory, got {buffer.type.space} memory")
        return buffer.type

    def verify_element(self, role: str, type: Attribute, expected: Sequence[Attribute]) -> None:
        """Raise VerifyException unless the elements of a buffer are of one of these types."""
        if type not in expected:
            types = " or ".join(map(str, expected))
            raise self.error(f"expected {role} of {types}, got {type}")

    def verify_readable(self, noun: str, type: BufferType) -> None:
        """Raise VerifyException unless a buffer, called `noun` in the message, can be read."""
        if not type.readable:
            raise self.error(f"expected a readable {noun}, got a {type.access.data} one")

    def verify_errors(self, errors: SSAValue, *others: SSAValue) -> None:
        """Raise VerifyException unless bad input can be reported in a buffer, none of `others`."""
        type = self.global_buffer("errors", errors)
        element = type.element_type
        if not isinstance(element, IntegerType) or element.width.data not in ATOMIC_WIDTHS:
            raise self.error(f"expected errors of i32 or i64, got {element}")
        if not (type.readable and type.writable):
            raise self.error(f"expected errors that are read_write, got {type.access.data}")
        if errors in others:
            raise self.error("expected a buffer of their own for errors")
        if isinstance(errors.owner, BufferOp) and not _starts_without_error(errors.owner):
            raise self.error("expected errors declared with 'fill -1'")

    def error(self, message: str) -> VerifyException:
        """What a verifier raises, with the name of the op."""
        return VerifyException(f"'{self.name}' {message}")


class DecodeOp(LibraryOp, ABC):
    """
    What decoders have in common: a source, a destination and, for most, errors. A decoder defines
    the source as its first operand and the destination as its second one; further buffers are read.
    """

    @property
    def encoded(self) -> SSAValue:
        """The buffer to decode: the first operand, which ops call `source`."""
        return self.operands[0]

    @property
    def decoded(self) -> SSAValue:
        """The buffer to decode to: the second operand, which ops call `destination`."""
        return self.operands[1]

    @property
    def reported(self) -> SSAValue | None:
        """The buffer that bad input is reported in, which ops call `errors`, if it can be bad."""
        return getattr(self, "errors", None)

    @property
    def reports_elements(self) -> bool:
        """Whether it reports the offset of an element of the source, and no other number."""
        return True

    @property
    def tables(self) -> tuple[SSAValue, ...]:
        """The buffers that it reads besides the source: all of its others."""
        others = list(buffers_of(self))
        for known in (self.encoded, self.decoded, self.reported):
            if known is not None:
                others.remove(known)  # once: a buffer that is given twice is also a table
        return tuple(others)

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        accesses = [
            *(
                BufferAccess(AccessKind.READ, buffer, count=None)
                for buffer in (self.encoded, *self.tables)
            ),
            BufferAccess(AccessKind.WRITE, self.decoded, count=None),
        ]
        if self.reported is not None:
            accesses.append(BufferAccess(AccessKind.UPDATE, self.reported, count=None))
        return tuple(accesses)

    @abstractmethod
    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        """
        How many elements a source of `length` elements may decode to, or None when it is
        known at run time only. Raises VerifyException when the length is invalid.
        """

    def verify_buffers(self, sources: Sequence[Attribute], destination: Attribute) -> None:
        """
        Raise VerifyException unless the source has elements of one of the types `sources`, the
        destination those of the type `destination`, both have lengths that fit where these are
        known, each buffer is one of its own, and errors are declared as they are to be.
        """
        source_type = self.global_buffer("a source", self.encoded)
        destination_type = self.global_buffer("a destination", self.decoded)
        self.verify_element("a source", source_type.element_type, sources)
        self.verify_element("a destination", destination_type.element_type, [destination])
        self.verify_readable("source", source_type)
        if not destination_type.writable:
            raise self.error(
                f"expected a writable destination, got a {destination_type.access.data} one"
            )
        if self.encoded == self.decoded:
            raise self.error("expected a destination other than the source")
        self._verify_tables()
        if self.reported is not None:
            self.verify_errors(self.reported, self.encoded, self.decoded, *self.tables)
        self._verify_lengths(source_type, destination_type)

    def _verify_tables(self) -> None:
        for table in self.tables:
            self.verify_readable("table", self.global_buffer("a table", table))
        if len({self.encoded, self.decoded, *self.tables}) < 2 + len(self.tables):
            raise self.error("expected a buffer of its own for each table")

    def _verify_lengths(self, source: BufferType, destination: BufferType) -> None:
        if source.static_count is None:
            return
        lengths = self.decoded_lengths(source.static_count)
        if lengths is None or destination.static_count in (None, *lengths):
            return
        expected = " or ".join(map(str, lengths))
        raise self.error(
            f"expected a destination of {expected} elements for a source of "
            f"{source.static_count}, got {destination.static_count}"
        )


def _starts_without_error(declaration: BufferOp) -> bool:
    fill = declaration.fill
    return isinstance(fill, IntegerAttr) and fill.value.data == -1


class ScanOp(LibraryOp, ABC):
    """What scanners have in common: they read their first buffer, and update the others."""

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        source, *results = buffers_of(self)
        return (
            BufferAccess(AccessKind.READ, source, count=None),
            *(BufferAccess(AccessKind.UPDATE, result, count=None) for result in results),
        )

    def verify_source(self, source: SSAValue, *elements: IntegerType, noun: str = "source") -> None:
        """
        Raise VerifyException unless a buffer, called `noun` in the message, can be read and has
        elements of one of some types.
        """
        type = self.global_buffer(f"a {noun}", source)
        self.verify_element(f"a {noun}", type.element_type, elements)
        self.verify_readable(noun, type)

    def verify_result(
        self,
        role: str,
        buffer: SSAValue,
        count: int | None = None,
        widths: Sequence[int] = RESULT_WIDTHS,
    ) -> None:
        """
        Raise VerifyException unless a buffer, called `role` in the message, has integers of one of
        so many bits, `count` of them if it is static, and can be read and written.
        """
        type = self.global_buffer(role, buffer)
        element = type.element_type
        if not isinstance(element, IntegerType) or element.width.data not in widths:
            expected = " or ".join(f"i{width}" for width in widths)
            raise self.error(f"expected {role} of {expected}, got {element}")
        if not (type.readable and type.writable):
            raise self.error(f"expected {role} that is read_write, got {type.access.data}")
        if count is not None and type.static_count not in (None, count):
            raise self.error(f"expected {role} of {count} elements, got {type.static_count}")

    def verify_different(self, *buffers: SSAValue) -> None:
        """Raise VerifyException where a buffer is given twice."""
        if len(set(buffers)) != len(buffers):
            raise self.error("expected a buffer of its own for the source and for each result")
