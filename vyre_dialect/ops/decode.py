"""
The decode library: ops that turn the encoded data in one buffer into data in another.

Each is expanded by `vyre-expand` into a data-parallel arm. The destination is to have exactly
the decoded length. Declared with the count `?` and without a size, it gets this length from
the expansion. A shorter one takes what fits; what a longer one holds past the decoded data is
unspecified.

A decoder whose input may be invalid has a buffer of `errors`, declared `fill -1`, and traps
with the offset of the first bad byte, or with the length of the input where it ends too early.
What is decoded from invalid input is unspecified, but never goes unnoticed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BytesAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasParent
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.interfaces import (
    AccessKind,
    BufferAccess,
    HasAccessesInterface,
    HasExpansionInterface,
)
from vyre_dialect.ops.memory import ATOMIC_WIDTHS, verify_known_buffer
from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.ops.scan import BYTE_STRING, ByteString, byte_string_attr, bytes_of
from vyre_dialect.types import BufferType, MemorySpace

WORD_BYTES = 4
WORD_BITS = 32


class Alphabet(StrEnum):
    """The characters of base64 that stand for 62 and 63: `+/`, or `-_` in URLs (RFC 4648)."""

    STANDARD = "standard"
    URL = "url"


@irdl_attr_definition
class AlphabetAttr(EnumAttribute[Alphabet], SpacedOpaqueSyntaxAttribute):
    """The alphabet, as an attribute."""

    name = "vyre.alphabet"


class DecodeOp(IRDLOperation, HasExpansionInterface, HasAccessesInterface, ABC):
    """What decoders have in common: a source, a destination and, for most, errors."""

    # Operands stand in the order of definition, so each op defines these two itself, first.
    @property
    def encoded(self) -> SSAValue:
        """The buffer to decode, which the ops call `source`."""
        return self.operands[0]

    @property
    def decoded(self) -> SSAValue:
        """The buffer to decode to, which the ops call `destination`."""
        return self.operands[1]

    @property
    def reported(self) -> SSAValue | None:
        """The buffer that takes the offset of the first bad byte, if there is one."""
        return None

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        accesses = [
            BufferAccess(AccessKind.READ, self.encoded, count=None),
            BufferAccess(AccessKind.WRITE, self.decoded, count=None),
        ]
        if self.reported is not None:
            accesses.append(BufferAccess(AccessKind.UPDATE, self.reported, count=None))
        return tuple(accesses)

    @abstractmethod
    def _decoded_lengths(self, length: int) -> Sequence[int] | None:
        """
        How many elements a source of `length` elements may decode to, or None when it is
        known at run time only. Raises VerifyException when the length is invalid.
        """

    def _verify_buffers(self, sources: Sequence[IntegerType], destination: IntegerType) -> None:
        source_type = self._global_buffer("a source", self.encoded)
        destination_type = self._global_buffer("a destination", self.decoded)
        if source_type.element_type not in sources:
            expected = " or ".join(map(str, sources))
            raise self._error(f"expected a source of {expected}, got {source_type.element_type}")
        if destination_type.element_type != destination:
            raise self._error(
                f"expected a destination of {destination}, got {destination_type.element_type}"
            )
        if not source_type.readable:
            raise self._error(f"expected a readable source, got a {source_type.access.data} one")
        if not destination_type.writable:
            raise self._error(
                f"expected a writable destination, got a {destination_type.access.data} one"
            )
        if self.encoded == self.decoded:
            raise self._error("expected a destination other than the source")
        self._verify_errors()
        self._verify_lengths(source_type, destination_type)

    def _verify_lengths(self, source: BufferType, destination: BufferType) -> None:
        if source.static_count is None:
            return
        lengths = self._decoded_lengths(source.static_count)
        if lengths is None or destination.static_count in (None, *lengths):
            return
        expected = " or ".join(map(str, lengths))
        raise self._error(
            f"expected a destination of {expected} elements for a source of "
            f"{source.static_count}, got {destination.static_count}"
        )

    def _verify_errors(self) -> None:
        errors = self.reported
        if errors is None:
            return
        type = self._global_buffer("errors", errors)
        element = type.element_type
        if not isinstance(element, IntegerType) or element.width.data not in ATOMIC_WIDTHS:
            raise self._error(f"expected errors of i32 or i64, got {element}")
        if not (type.readable and type.writable):
            raise self._error(f"expected errors that are read_write, got {type.access.data}")
        if errors in (self.encoded, self.decoded):
            raise self._error("expected a buffer of their own for errors")
        if isinstance(errors.owner, BufferOp) and not _starts_without_error(errors.owner):
            raise self._error("expected errors declared with 'fill -1'")

    def _global_buffer(self, role: str, buffer: SSAValue) -> BufferType:
        verify_known_buffer(self, buffer)
        assert isinstance(buffer.type, BufferType)
        if buffer.type.space != MemorySpace.GLOBAL:
            raise self._error(f"expected {role} in global memory, got {buffer.type.space} memory")
        return buffer.type

    def _error(self, message: str) -> VerifyException:
        return VerifyException(f"'{self.name}' {message}")


def _starts_without_error(declaration: BufferOp) -> bool:
    fill = declaration.fill
    return isinstance(fill, IntegerAttr) and fill.value.data == -1


@irdl_op_definition
class Base64Op(DecodeOp):
    """
    Decodes base64 (RFC 4648, section 4, or section 5 for the alphabet `url`).

    Every byte must belong to the alphabet, and the length must be a multiple of four, except
    that the last byte or the last two may be `=`. `unpadded` input has no `=` and any length
    but one more than a multiple of four. Bits that the last character has in excess are ignored.
    Padding decodes as zero bits.
    """

    name = "vyre.decode.base64"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    errors = operand_def(BufferType)
    alphabet = prop_def(AlphabetAttr, default_value=AlphabetAttr(Alphabet.STANDARD))
    unpadded = opt_prop_def(UnitAttr)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `errors` $errors (`alphabet` $alphabet^)? "
        "(`unpadded` $unpadded^)? attr-dict "
        "`:` type($source) `,` type($destination) `,` type($errors)"
    )

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue,
        errors: SSAValue,
        *,
        alphabet: Alphabet = Alphabet.STANDARD,
        unpadded: bool = False,
    ):
        super().__init__(
            operands=[source, destination, errors],
            properties={
                "alphabet": AlphabetAttr(alphabet),
                "unpadded": UnitAttr() if unpadded else None,
            },
        )

    @property
    def reported(self) -> SSAValue | None:
        """The buffer that bad input is reported in, if it can be bad."""
        return self.errors

    def _decoded_lengths(self, length: int) -> Sequence[int] | None:
        if self.unpadded is not None:
            if length % 4 == 1:
                raise self._error(
                    f"expected a length other than one more than a multiple of 4, got {length}"
                )
            return (length * 3 // 4,)
        if length % 4:
            raise self._error(f"expected a length that is a multiple of 4, got {length}")
        most = length // 4 * 3
        return (most - 2, most - 1, most)

    def verify_(self) -> None:
        self._verify_buffers([i8], i8)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.base64 import ExpandBase64

        return (ExpandBase64(),)


@irdl_op_definition
class HexOp(DecodeOp):
    """Decodes pairs of hexadecimal digits, in upper or lower case, into bytes."""

    name = "vyre.decode.hex"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    errors = operand_def(BufferType)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `errors` $errors attr-dict "
        "`:` type($source) `,` type($destination) `,` type($errors)"
    )

    def __init__(self, source: SSAValue, destination: SSAValue, errors: SSAValue):
        super().__init__(operands=[source, destination, errors])

    @property
    def reported(self) -> SSAValue | None:
        """The buffer that bad input is reported in, if it can be bad."""
        return self.errors

    def _decoded_lengths(self, length: int) -> Sequence[int] | None:
        if length % 2:
            raise self._error(f"expected an even length, got {length}")
        return (length // 2,)

    def verify_(self) -> None:
        self._verify_buffers([i8], i8)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.hex import ExpandHex

        return (ExpandHex(),)


@irdl_op_definition
class XorOp(DecodeOp):
    """Combines byte `b` of the source with byte `b` modulo the length of `key`, by exclusive or."""

    name = "vyre.decode.xor"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    key = prop_def(BYTE_STRING)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `key` $key attr-dict `:` type($source) `,` type($destination)"
    )

    def __init__(self, source: SSAValue, destination: SSAValue, key: ByteString):
        super().__init__(operands=[source, destination], properties={"key": byte_string_attr(key)})

    @property
    def key_bytes(self) -> bytes:
        """The key."""
        assert isinstance(self.key, StringAttr | BytesAttr)
        return bytes_of(self.key)

    def _decoded_lengths(self, length: int) -> Sequence[int] | None:
        return (length,)

    def verify_(self) -> None:
        if not self.key_bytes:
            raise self._error("expected a key of at least one byte, got none")
        self._verify_buffers([i8], i8)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.xor import ExpandXor

        return (ExpandXor(),)


@irdl_op_definition
class DeltaOp(DecodeOp):
    """
    Decodes blocks of `block` 32-bit words: the first is the value itself, each other the
    difference to the value before it, zigzag coded: 0, -1, 1, -2, 2 as 0, 1, 2, 3, 4. Sums are
    taken modulo 2^32. The last block may be shorter.

    A source of bytes holds little-endian words; if it does not end with a whole one, its length
    is reported to `errors`, which a source of words does without.
    """

    name = "vyre.decode.delta"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    errors = opt_operand_def(BufferType)
    block = prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination (`errors` $errors^)? `block` $block attr-dict "
        "`:` type($source) `,` type($destination) (`,` type($errors)^)?"
    )

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue,
        block: int,
        errors: SSAValue | None = None,
    ):
        super().__init__(
            operands=[source, destination, errors],
            properties={"block": IntegerAttr(block, i64)},
        )

    @property
    def reported(self) -> SSAValue | None:
        """The buffer that bad input is reported in, if it can be bad."""
        return self.errors

    @property
    def has_bytes(self) -> bool:
        """Whether the source holds bytes rather than words."""
        assert isinstance(self.source.type, BufferType)
        return self.source.type.element_type == i8

    def _decoded_lengths(self, length: int) -> Sequence[int] | None:
        if not self.has_bytes:
            return (length,)
        if length % WORD_BYTES:
            raise self._error(f"expected a length that is a multiple of 4, got {length}")
        return (length // WORD_BYTES,)

    def verify_(self) -> None:
        if self.block.value.data < 1:
            raise self._error(f"expected blocks of at least one word, got {self.block.value.data}")
        self._verify_buffers([i8, i32], i32)
        if self.has_bytes and self.errors is None:
            raise self._error("expected errors for a source of i8, whose length may be invalid")
        if not self.has_bytes and self.errors is not None:
            raise self._error("expected no errors for a source of i32, which is always valid")

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.delta import ExpandDelta

        return (ExpandDelta(),)


@irdl_op_definition
class BitUnpackOp(DecodeOp):
    """
    Unpacks unsigned integers of `bits` bits, packed one after the other from the low bit of the
    first byte up, as Parquet and Arrow pack them, into 32-bit words.

    There are as many as fit into the source, or `count`: a source too short for them is reported
    to `errors`, which goes together with `count`.
    """

    name = "vyre.decode.bitunpack"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    count = opt_operand_def(IndexType())
    errors = opt_operand_def(BufferType)
    bits = prop_def(IntegerAttr.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `bits` $bits (`count` $count^)? (`errors` $errors^)? attr-dict "
        "`:` type($source) `,` type($destination) (`,` type($errors)^)?"
    )

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue,
        bits: int,
        *,
        count: SSAValue | None = None,
        errors: SSAValue | None = None,
    ):
        super().__init__(
            operands=[source, destination, count, errors],
            properties={"bits": IntegerAttr(bits, i64)},
        )

    @property
    def reported(self) -> SSAValue | None:
        """The buffer that bad input is reported in, if it can be bad."""
        return self.errors

    def _decoded_lengths(self, length: int) -> Sequence[int] | None:
        return None if self.count is not None else (8 * length // self.bits.value.data,)

    def verify_(self) -> None:
        bits = self.bits.value.data
        if not 1 <= bits <= WORD_BITS:
            raise self._error(f"expected integers of 1 to {WORD_BITS} bits, got {bits}")
        if (self.count is None) != (self.errors is None):
            raise self._error("expected both a count and errors for a source too short, or neither")
        self._verify_buffers([i8], i32)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.bitunpack import ExpandBitUnpack

        return (ExpandBitUnpack(),)
