"""
Decoders of columns: numbers as they are packed in Parquet, Arrow and FastLanes.

They are decoders like those of `decode`, and compose: what one gives is the source of the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, UnitAttr, i8, i16, i32, i64
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute, SSAValue
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

from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import BufferType, optional_i64
from vyre_dialect.ops.decode import VECTORS
from vyre_dialect.ops.library import DecodeOp, HasLanesInterface, HasValuesInterface, Operand
from vyre_dialect.ops.program import ProgramOp

INTEGERS = (i8, i16, i32, i64)
BLOCK = 1024
"""Values of an interleaved block."""
GROUP = 32
"""Values that take as many words of 32 bits as each has bits."""
VALUES_PER_INVOCATION = (4, 8, 16, GROUP)


class Layout(StrEnum):
    """
    Where the bits of packed integers are: of one after the other, as in Parquet and Arrow, or in
    lanes next to each other, as in FastLanes (A. Afroozeh, P. Boncz, "The FastLanes Compression
    Layout", VLDB 2023).
    """

    SEQUENTIAL = "sequential"
    INTERLEAVED = "interleaved"


@irdl_attr_definition
class LayoutAttr(EnumAttribute[Layout], SpacedOpaqueSyntaxAttribute):
    """The layout, as an attribute."""

    name = "vyre.layout"


@irdl_op_definition
class BitUnpackOp(DecodeOp, HasLanesInterface, HasValuesInterface):
    """
    Unpacks integers of `bits` bits into those of the destination, which are at least as wide.

    The layout `sequential` has one after the other, from the low bit of the first byte up. In that
    called `interleaved`, blocks hold 1024 values each, in as many lanes as fit 1024 bits; value `v`
    of a block is the (v / lanes)-th of lane v % lanes, whose bits follow one another in words as
    wide as the results; the w-th words of all lanes stand next to each other, after the (w - 1)-th.

    What is packed is unsigned or, with `zigzag`, 0, -1, 1, -2, 2 as 0, 1, 2, 3, 4; `base` is added,
    modulo 2^width (frame of reference).

    There are as many as fit into the source, of interleaved ones whole blocks, or `count`: a source
    too short for them is reported to `errors`, which goes together with `count`.

    One invocation unpacks `values`, in vectors of up to `lanes`, or that many lanes of a block.
    """

    name = "vyre.decode.bitunpack"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    count = opt_operand_def(IndexType())
    errors = opt_operand_def(BufferType)
    bits = prop_def(IntegerAttr.constr(i64))
    layout = prop_def(LayoutAttr, default_value=LayoutAttr(Layout.SEQUENTIAL))
    base = opt_prop_def(IntegerAttr.constr(i64))
    zigzag = opt_prop_def(UnitAttr)
    values = opt_prop_def(IntegerAttr.constr(i64))
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `bits` $bits (`layout` $layout^)? (`base` $base^)? "
        "(`zigzag` $zigzag^)? (`count` $count^)? (`errors` $errors^)? (`values` $values^)? "
        "(`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination) (`,` type($errors)^)?"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        bits: int,
        *,
        layout: Layout = Layout.SEQUENTIAL,
        base: int | None = None,
        zigzag: bool = False,
        count: Operand | None = None,
        errors: Operand | None = None,
        values: int | None = None,
        lanes: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, count, errors],
            properties={
                "bits": IntegerAttr(bits, i64),
                "layout": LayoutAttr(layout),
                "base": optional_i64(base),
                "zigzag": UnitAttr() if zigzag else None,
                "values": optional_i64(values),
                "lanes": optional_i64(lanes),
            },
        )

    @property
    def width(self) -> int:
        """The bits of a result."""
        return _integer(self.destination).width.data

    @property
    def is_interleaved(self) -> bool:
        """Whether the values stand in lanes."""
        return self.layout.data == Layout.INTERLEAVED

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        bits = self.bits.value.data
        if self.count is not None or not bits:
            return None
        if self.is_interleaved:
            return (8 * length // (BLOCK * bits) * BLOCK,)
        return (8 * length // bits,)

    def verify_(self) -> None:
        type = self.global_buffer("a destination", self.destination)
        self.verify_element("a destination", type.element_type, INTEGERS)
        self._verify_numbers()
        if (self.count is None) != (self.errors is None):
            raise self.error("expected both a count and errors for a source too short, or neither")
        if self.count is None and not self.bits.value.data:
            raise self.error("expected a count of integers of 0 bits")
        self.verify_buffers([i8], type.element_type)
        self.verify_choices()

    def _verify_numbers(self) -> None:
        bits, width = self.bits.value.data, self.width
        if not 0 <= bits <= width:
            raise self.error(f"expected integers of 0 to {width} bits, got {bits}")
        if self.base is None:
            return
        base = self.base.value.data
        if not -1 << width - 1 <= base < 1 << width:
            raise self.error(f"expected a base that an i{width} holds, got {base}")

    def get_parameters(self) -> tuple[Parameter, ...]:
        if self.is_interleaved:
            return (Parameter("lanes", (1, *VECTORS), 4),)
        return (Parameter("values", VALUES_PER_INVOCATION, GROUP), Parameter("lanes", VECTORS, 4))

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.bitunpack import ExpandBitUnpack

        return (ExpandBitUnpack(),)


@irdl_op_definition
class BitUnpackBlocksOp(DecodeOp, HasLanesInterface):
    """
    Unpacks blocks of `block` integers, each of which says in `blocks` how it is packed: three
    numbers of 64 bits, the bit of the source at which it starts, the bits of an integer, and the
    base that is added. The layouts are those of `vyre.decode.bitunpack`; an interleaved block has
    1024 values, and starts with a word as wide as the results.

    There are as many as the blocks have, or `count`. A block is reported to `errors`, by its
    number, where its integers are wider than the results, or where it is not in the source; so is
    the number of blocks where they are too few.

    With `wanted`, a block whose element there is 0 is not read: it has the values that as many
    zeros stand for, which are its base.

    One invocation unpacks `lanes` values, or as many lanes of an interleaved block.
    """

    name = "vyre.decode.bitunpack_blocks"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    blocks = operand_def(BufferType)
    errors = operand_def(BufferType)
    count = opt_operand_def(IndexType())
    wanted = opt_operand_def(BufferType)
    """A byte for each block, 0 for one whose values do not matter."""
    block = prop_def(IntegerAttr.constr(i64))
    layout = prop_def(LayoutAttr, default_value=LayoutAttr(Layout.SEQUENTIAL))
    zigzag = opt_prop_def(UnitAttr)
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `blocks` $blocks `of` $block (`layout` $layout^)? "
        "(`zigzag` $zigzag^)? (`count` $count^)? `errors` $errors (`wanted` $wanted^)? "
        "(`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination) `,` type($blocks) `,` type($errors) "
        "(`,` type($wanted)^)?"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        blocks: Operand,
        block: int,
        errors: Operand,
        *,
        layout: Layout = Layout.SEQUENTIAL,
        zigzag: bool = False,
        count: Operand | None = None,
        wanted: Operand | None = None,
        lanes: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, blocks, errors, count, wanted],
            properties={
                "block": IntegerAttr(block, i64),
                "layout": LayoutAttr(layout),
                "zigzag": UnitAttr() if zigzag else None,
                "lanes": optional_i64(lanes),
            },
        )

    def reading(self, wanted: Operand) -> BitUnpackBlocksOp:
        """The same op, which reads no block but wanted ones."""
        return BitUnpackBlocksOp(
            self.source,
            self.destination,
            self.blocks,
            self.block.value.data,
            self.errors,
            layout=self.layout.data,
            zigzag=self.zigzag is not None,
            count=self.count,
            wanted=wanted,
            lanes=None if self.lanes is None else self.lanes.value.data,
        )

    @property
    def reports_elements(self) -> bool:
        return False  # but numbers of blocks

    @property
    def width(self) -> int:
        """The bits of a result."""
        return _integer(self.destination).width.data

    @property
    def is_interleaved(self) -> bool:
        """Whether the values of a block stand in lanes."""
        return self.layout.data == Layout.INTERLEAVED

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        return None

    def verify_(self) -> None:
        type = self.global_buffer("a destination", self.destination)
        self.verify_element("a destination", type.element_type, INTEGERS)
        self.verify_buffers([i8], type.element_type)
        blocks = self.global_buffer("blocks", self.blocks)
        self.verify_element("blocks", blocks.element_type, [i64])
        if self.wanted is not None:
            wanted = self.global_buffer("a mask of wanted blocks", self.wanted)
            self.verify_element("a mask of wanted blocks", wanted.element_type, [i8])
        block = self.block.value.data
        if block < 1 or (self.is_interleaved and block != BLOCK):
            expected = str(BLOCK) if self.is_interleaved else "one or more"
            raise self.error(f"expected blocks of {expected} values, got {block}")
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        lanes = tuple(each for each in (1, *VECTORS) if self.block.value.data % each == 0)
        return (Parameter("lanes", lanes, 4 if 4 in lanes else 1),)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.bitunpack_blocks import ExpandBitUnpackBlocks

        return (ExpandBitUnpackBlocks(),)


def _integer(buffer: SSAValue) -> IntegerType:
    """The type of the elements of a buffer of integers."""
    assert isinstance(buffer.type, BufferType)
    assert isinstance(buffer.type.element_type, IntegerType)
    return buffer.type.element_type
