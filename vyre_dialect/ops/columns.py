"""
Decoders of columns that work value by value: codes of dictionaries, split bytes, decimals, runs.

They are decoders like those of `decode`, and compose: what one gives is the source of the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, f32, f64, i8, i16, i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasParent

from vyre_dialect.ir.tuning import Parameter, value_of
from vyre_dialect.ir.types import BufferType, element_bytes, optional_i64
from vyre_dialect.ops.decode import VECTORS
from vyre_dialect.ops.library import DecodeOp, HasLanesInterface, HasValuesInterface, Operand
from vyre_dialect.ops.program import ProgramOp

MOST_DIGITS: dict[Attribute, int] = {f32: 10, f64: 18}
"""Decimal places up to which ALP has powers of ten."""
LANES = Parameter("lanes", (1, *VECTORS), 4)
"""Values that one invocation decodes side by side."""
VALUES_PER_SEARCH = (1, 4, 8, 16, 32)
"""Values of an invocation that looks for the place of the first one in a table."""


@irdl_op_definition
class DictionaryOp(DecodeOp, HasLanesInterface):
    """
    Replaces each code, an unsigned number, by the element of `table` in its place. A code without
    one is reported to `errors`, by its own place. One invocation does so with `lanes` of them.
    """

    name = "vyre.decode.dictionary"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    table = operand_def(BufferType)
    errors = operand_def(BufferType)
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `table` $table `errors` $errors (`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination) `,` type($table) `,` type($errors)"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        table: Operand,
        errors: Operand,
        *,
        lanes: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, table, errors], properties={"lanes": optional_i64(lanes)}
        )

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        return (length,)

    def verify_(self) -> None:
        table = self.global_buffer("a table", self.table)
        self.verify_buffers([i8, i16, i32], table.element_type)
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (LANES,)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.dictionary import ExpandDictionary

        return (ExpandDictionary(),)


@irdl_op_definition
class ByteStreamSplitOp(DecodeOp, HasLanesInterface):
    """
    Puts the bytes of numbers together, of which all first ones come first, then all second ones
    (Parquet's BYTE_STREAM_SPLIT). A length that is no multiple of their size is reported. One
    invocation makes `lanes` numbers.
    """

    name = "vyre.decode.byte_stream_split"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    errors = operand_def(BufferType)
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `errors` $errors (`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination) `,` type($errors)"
    )

    def __init__(
        self, source: Operand, destination: Operand, errors: Operand, *, lanes: int | None = None
    ):
        super().__init__(
            operands=[source, destination, errors], properties={"lanes": optional_i64(lanes)}
        )

    @property
    def value_bytes(self) -> int:
        """The size of a number, which is how many streams there are."""
        assert isinstance(self.destination.type, BufferType)
        return element_bytes(self.destination.type.element_type) or 1

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        if length % self.value_bytes:
            raise self.error(
                f"expected a length that is a multiple of {self.value_bytes}, got {length}"
            )
        return (length // self.value_bytes,)

    def verify_(self) -> None:
        type = self.global_buffer("a destination", self.destination).element_type
        self.verify_element("a destination", type, [i16, i32, i64, f32, f64])
        self.verify_buffers([i8], type)
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (LANES,)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.byte_stream_split import ExpandByteStreamSplit

        return (ExpandByteStreamSplit(),)


@irdl_op_definition
class AlpOp(DecodeOp, HasLanesInterface):
    """
    Makes floats of signed integers that count units of 10^-`exponent`, of which trailing zeros may
    have been left out, 10^`factor` (A. Afroozeh, L. Kuffo, P. Boncz, "ALP: Adaptive Lossless
    floating-Point Compression", SIGMOD 2024): d * 10^factor * 10^-exponent, from left to right in
    the type of the floats, with each power rounded to it.

    `exceptions` are floats that no such integer stands for; `positions` says where they go, in
    ascending order without repetition, else what they replace is unspecified.

    One invocation makes `lanes` floats or, with exceptions, `values`.
    """

    name = "vyre.decode.alp"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    exceptions = opt_operand_def(BufferType)
    positions = opt_operand_def(BufferType)
    exponent = prop_def(IntegerAttr.constr(i64))
    factor = opt_prop_def(IntegerAttr.constr(i64))
    values = opt_prop_def(IntegerAttr.constr(i64))
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `exponent` $exponent (`factor` $factor^)? "
        "(`exceptions` $exceptions^)? (`at` $positions^)? (`values` $values^)? "
        "(`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination) "
        "(`,` type($exceptions)^)? (`,` type($positions)^)?"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        exponent: int,
        *,
        factor: int | None = None,
        exceptions: Operand | None = None,
        positions: Operand | None = None,
        values: int | None = None,
        lanes: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, exceptions, positions],
            properties={
                "exponent": IntegerAttr(exponent, i64),
                "factor": optional_i64(factor),
                "values": optional_i64(values),
                "lanes": optional_i64(lanes),
            },
        )

    @property
    def values_per_invocation(self) -> int:
        """How many floats one invocation makes."""
        return int(value_of(self, "lanes" if self.exceptions is None else "values"))

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        return (length,)

    def verify_(self) -> None:
        type = self.global_buffer("a destination", self.destination).element_type
        self.verify_element("a destination", type, [f32, f64])
        self.verify_buffers([i32, i64], type)
        self._verify_powers(MOST_DIGITS[type])
        if (self.exceptions is None) != (self.positions is None):
            raise self.error("expected both exceptions and their positions, or neither")
        if self.exceptions is not None and self.positions is not None:
            own = self.global_buffer("exceptions", self.exceptions).element_type
            self.verify_element("exceptions", own, [type])
            positions = self.global_buffer("positions", self.positions).element_type
            self.verify_element("positions", positions, [i32, i64])
        self.verify_choices()

    def _verify_powers(self, most: int) -> None:
        exponent = self.exponent.value.data
        if not 0 <= exponent <= most:
            raise self.error(f"expected an exponent from 0 to {most}, got {exponent}")
        if self.factor is not None and not 0 <= self.factor.value.data <= exponent:
            raise self.error(
                f"expected a factor from 0 to the exponent, {exponent}, "
                f"got {self.factor.value.data}"
            )

    def get_parameters(self) -> tuple[Parameter, ...]:
        if self.exceptions is None:
            return (LANES,)
        return (Parameter("values", VALUES_PER_SEARCH, 8),)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.alp import ExpandAlp

        return (ExpandAlp(),)


@irdl_op_definition
class RunLengthOp(DecodeOp, HasValuesInterface):
    """
    Repeats each element of `table` until the place that the source says, the end of its run, as
    Arrow has them: in ascending order, the last at least `count`, which is how many values there
    are. Where it is less, that is reported to `errors`, by the number of runs.

    One invocation makes `values` of them.
    """

    name = "vyre.decode.run_length"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    table = operand_def(BufferType)
    count = operand_def(IndexType())
    errors = operand_def(BufferType)
    values = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `of` $table `to` $destination `count` $count `errors` $errors "
        "(`values` $values^)? attr-dict "
        "`:` type($source) `,` type($table) `,` type($destination) `,` type($errors)"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        table: Operand,
        count: Operand,
        errors: Operand,
        *,
        values: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, table, count, errors],
            properties={"values": optional_i64(values)},
        )

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        return None

    def verify_(self) -> None:
        table = self.global_buffer("a table", self.table)
        self.verify_buffers([i16, i32, i64], table.element_type)
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("values", VALUES_PER_SEARCH, 8),)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.run_length import ExpandRunLength

        return (ExpandRunLength(),)
