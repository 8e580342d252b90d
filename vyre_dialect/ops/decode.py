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

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BytesAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
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
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.byte_strings import (
    BYTE_STRING,
    ByteString,
    byte_string_attr,
    bytes_of,
)
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import BufferType, optional_i64
from vyre_dialect.ops.library import DecodeOp, HasLanesInterface, HasValuesInterface, Operand
from vyre_dialect.ops.program import ProgramOp

WORD_BYTES = 4
VALUES_PER_INVOCATION = (4, 8, 16, 32, 64)
"""Of a block that several invocations of a workgroup share."""
MOST_LANES = 256
"""Invocations that may share a block."""
VECTORS = (4, 8, 16)
"""Words of a vector, to choose among."""


class Alphabet(StrEnum):
    """The characters of base64 that stand for 62 and 63: `+/`, or `-_` in URLs (RFC 4648)."""

    STANDARD = "standard"
    URL = "url"


@irdl_attr_definition
class AlphabetAttr(EnumAttribute[Alphabet], SpacedOpaqueSyntaxAttribute):
    """The alphabet, as an attribute."""

    name = "vyre.alphabet"


@irdl_op_definition
class Base64Op(DecodeOp, HasLanesInterface):
    """
    Decodes base64 (RFC 4648, section 4, or section 5 for the alphabet `url`).

    Every byte must belong to the alphabet, and the length must be a multiple of four, except
    that the last byte or the last two may be `=`. `unpadded` input has no `=` and any length
    but one more than a multiple of four. Bits that the last character has in excess are ignored.
    Padding decodes as zero bits. With `skip_whitespace`, whitespace does not count, anywhere.

    One invocation decodes four vectors of `lanes` words.
    """

    name = "vyre.decode.base64"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    errors = operand_def(BufferType)
    alphabet = prop_def(AlphabetAttr, default_value=AlphabetAttr(Alphabet.STANDARD))
    unpadded = opt_prop_def(UnitAttr)
    skip_whitespace = opt_prop_def(UnitAttr)
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `errors` $errors (`alphabet` $alphabet^)? "
        "(`unpadded` $unpadded^)? (`skip_whitespace` $skip_whitespace^)? (`lanes` $lanes^)? "
        "attr-dict "
        "`:` type($source) `,` type($destination) `,` type($errors)"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        errors: Operand,
        *,
        alphabet: Alphabet = Alphabet.STANDARD,
        unpadded: bool = False,
        skip_whitespace: bool = False,
        lanes: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, errors],
            properties={
                "alphabet": AlphabetAttr(alphabet),
                "unpadded": UnitAttr() if unpadded else None,
                "skip_whitespace": UnitAttr() if skip_whitespace else None,
                "lanes": optional_i64(lanes),
            },
        )

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        if self.skip_whitespace is not None:
            return None
        if self.unpadded is not None:
            if length % 4 == 1:
                raise self.error(
                    f"expected a length other than one more than a multiple of 4, got {length}"
                )
            return (length * 3 // 4,)
        if length % 4:
            raise self.error(f"expected a length that is a multiple of 4, got {length}")
        most = length // 4 * 3
        return (most - 2, most - 1, most)

    def verify_(self) -> None:
        self.verify_buffers([i8], i8)
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("lanes", (1, *VECTORS), 1),)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.base64 import ExpandBase64

        return (ExpandBase64(),)


@irdl_op_definition
class HexOp(DecodeOp, HasLanesInterface):
    """
    Decodes pairs of hexadecimal digits, in upper or lower case, into bytes. With
    `skip_whitespace`, whitespace does not count, anywhere.

    One invocation decodes a vector of `lanes` words.
    """

    name = "vyre.decode.hex"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    errors = operand_def(BufferType)
    skip_whitespace = opt_prop_def(UnitAttr)
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `errors` $errors (`skip_whitespace` $skip_whitespace^)? "
        "(`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination) `,` type($errors)"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        errors: Operand,
        *,
        skip_whitespace: bool = False,
        lanes: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, errors],
            properties={
                "skip_whitespace": UnitAttr() if skip_whitespace else None,
                "lanes": optional_i64(lanes),
            },
        )

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        if self.skip_whitespace is not None:
            return None
        if length % 2:
            raise self.error(f"expected an even length, got {length}")
        return (length // 2,)

    def verify_(self) -> None:
        self.verify_buffers([i8], i8)
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("lanes", VECTORS, 4),)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.hex import ExpandHex

        return (ExpandHex(),)


@irdl_op_definition
class XorOp(DecodeOp, HasLanesInterface):
    """
    Combines byte `b` of the source with byte `b` modulo the length of `key`, by exclusive or.

    One invocation does so with a vector of `lanes` words.
    """

    name = "vyre.decode.xor"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    key = prop_def(BYTE_STRING)
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `key` $key (`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination)"
    )

    def __init__(
        self, source: Operand, destination: Operand, key: ByteString, *, lanes: int | None = None
    ):
        super().__init__(
            operands=[source, destination],
            properties={"key": byte_string_attr(key), "lanes": optional_i64(lanes)},
        )

    @property
    def key_bytes(self) -> bytes:
        """The key."""
        assert isinstance(self.key, StringAttr | BytesAttr)
        return bytes_of(self.key)

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        return (length,)

    def verify_(self) -> None:
        if not self.key_bytes:
            raise self.error("expected a key of at least one byte, got none")
        self.verify_choices()
        self.verify_buffers([i8], i8)

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("lanes", VECTORS, 4),)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.xor import ExpandXor

        return (ExpandXor(),)


@irdl_op_definition
class DeltaOp(DecodeOp, HasLanesInterface, HasValuesInterface):
    """
    Decodes blocks of `block` words, of 32 or 64 bits as the destination has them: the first is the
    value itself, each other the difference to the value before it, zigzag coded: 0, -1, 1, -2, 2
    as 0, 1, 2, 3, 4. Sums are taken modulo 2^width. The last block may be shorter.

    With `bases`, of one for each block, the first word, too, is a difference, to the base. Those
    that are `plain` are no zigzag code.

    A source of bytes holds little-endian words; if it does not end with a whole one, its length
    is reported to `errors`, which a source of words does without.

    One invocation decodes `values` of them, a whole block unless stated, in vectors of `lanes`.
    Where it is less, the invocations that share a block work together.
    """

    name = "vyre.decode.delta"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    bases = opt_operand_def(BufferType)
    errors = opt_operand_def(BufferType)
    block = prop_def(IntegerAttr.constr(i64))
    plain = opt_prop_def(UnitAttr)
    values = opt_prop_def(IntegerAttr.constr(i64))
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination (`bases` $bases^ `:` type($bases))? (`errors` $errors^)? "
        "`block` $block (`plain` $plain^)? (`values` $values^)? (`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination) (`,` type($errors)^)?"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        block: int,
        errors: Operand | None = None,
        *,
        bases: Operand | None = None,
        plain: bool = False,
        values: int | None = None,
        lanes: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, bases, errors],
            properties={
                "block": IntegerAttr(block, i64),
                "plain": UnitAttr() if plain else None,
                "values": optional_i64(values),
                "lanes": optional_i64(lanes),
            },
        )

    @property
    def word(self) -> IntegerType:
        """The type of a word."""
        assert isinstance(self.destination.type, BufferType)
        assert isinstance(self.destination.type.element_type, IntegerType)
        return self.destination.type.element_type

    @property
    def word_bytes(self) -> int:
        """The bytes of a word."""
        return self.word.width.data // 8

    @property
    def has_bytes(self) -> bool:
        """Whether the source holds bytes rather than words."""
        assert isinstance(self.source.type, BufferType)
        return self.source.type.element_type == i8

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        if not self.has_bytes:
            return (length,)
        size = self.word_bytes
        if length % size:
            raise self.error(f"expected a length that is a multiple of {size}, got {length}")
        return (length // size,)

    def verify_(self) -> None:
        if self.block.value.data < 1:
            raise self.error(f"expected blocks of at least one word, got {self.block.value.data}")
        type = self.global_buffer("a destination", self.destination).element_type
        self.verify_element("a destination", type, [i32, i64])
        self.verify_buffers([i8, type], type)
        if self.bases is not None:
            bases = self.global_buffer("bases", self.bases).element_type
            self.verify_element("bases", bases, [type])
        if self.has_bytes and self.errors is None:
            raise self.error("expected errors for a source of i8, whose length may be invalid")
        if not self.has_bytes and self.errors is not None:
            raise self.error(f"expected no errors for a source of {type}, which is always valid")
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        block = self.block.value.data
        shared = (
            values
            for values in VALUES_PER_INVOCATION
            if values < block and block % values == 0 and block // values <= MOST_LANES
        )
        lanes = tuple(lanes for lanes in VECTORS if block % lanes == 0) or (1,)
        return (
            Parameter("values", (*shared, block), block),
            Parameter("lanes", lanes, lanes[0]),
        )

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.delta import ExpandDelta

        return (ExpandDelta(),)
