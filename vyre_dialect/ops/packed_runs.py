"""A decoder of packed integers in runs: the hybrid of runs and packed values of Parquet."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i8, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    traits_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasParent

from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import BufferType, optional_i64
from vyre_dialect.ops.columns import VALUES_PER_SEARCH
from vyre_dialect.ops.library import DecodeOp, HasValuesInterface, Operand
from vyre_dialect.ops.packed import INTEGERS
from vyre_dialect.ops.program import ProgramOp

SKIP = 256
"""Values between two that a skip table says the runs of."""


@irdl_op_definition
class BitUnpackRunsOp(DecodeOp, HasValuesInterface):
    """
    Unpacks runs of integers. `ends` says where each ends, as those of `vyre.decode.run_length` do;
    `runs` says how it is packed, as `vyre.decode.bitunpack_blocks` has it of blocks: the bit of the
    source at which it starts, the bits of an integer, and the base that is added. An integer of 0
    bits is the base, so that runs of one value are runs, too.

    There are `count`. A run is reported to `errors`, by its number, where its integers are wider
    than results, where they are not in the source, or where one, without the base, is not below
    the limit that the run has in `limits`; the number of runs, where they are too few.

    One invocation unpacks `values` of them, and looks for the run of the first. `skips` may say in
    which run each 256th value is, and behind these the last of all, so that it begins near; where
    that is wrong, or there is none, it is a binary search of all.
    """

    name = "vyre.decode.bitunpack_runs"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    ends = operand_def(BufferType)
    runs = operand_def(BufferType)
    count = operand_def(IndexType())
    errors = operand_def(BufferType)
    limits = opt_operand_def(BufferType)
    skips = opt_operand_def(BufferType)
    values = opt_prop_def(IntegerAttr.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination `ends` $ends `runs` $runs (`limits` $limits^)? "
        "(`skips` $skips^)? `count` $count "
        "`errors` $errors (`values` $values^)? attr-dict `:` type($source) `,` type($destination) "
        "`,` type($ends) `,` type($runs) `,` type($errors) (`,` type($limits)^)? "
        "(`skips` type($skips)^)?"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        ends: Operand,
        runs: Operand,
        count: Operand,
        errors: Operand,
        *,
        limits: Operand | None = None,
        skips: Operand | None = None,
        values: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, ends, runs, count, errors, limits, skips],
            properties={"values": optional_i64(values)},
        )

    @property
    def tables(self) -> tuple[SSAValue, ...]:
        """The buffers that it reads besides the source."""
        tables = (self.ends, self.runs, self.limits, self.skips)
        return tuple(each for each in tables if each is not None)

    @property
    def width(self) -> int:
        """The bits of a result."""
        element = self.global_buffer("a destination", self.destination).element_type
        assert isinstance(element, IntegerType)
        return element.width.data

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        return None

    def verify_(self) -> None:
        type = self.global_buffer("a destination", self.destination)
        self.verify_element("a destination", type.element_type, INTEGERS)
        self.verify_buffers([i8], type.element_type)
        ends = self.global_buffer("ends", self.ends)
        self.verify_element("ends", ends.element_type, [i32, i64])
        runs = self.global_buffer("runs", self.runs)
        self.verify_element("runs", runs.element_type, [i64])
        if self.limits is not None:
            limits = self.global_buffer("limits", self.limits)
            self.verify_element("limits", limits.element_type, [i64])
        if self.skips is not None:
            skips = self.global_buffer("skips", self.skips)
            self.verify_element("skips", skips.element_type, [i32])
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("values", VALUES_PER_SEARCH, 16),)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.bitunpack_runs import ExpandBitUnpackRuns

        return (ExpandBitUnpackRuns(),)
