"""Decoders of runs, of which each says how it is packed: the pages of Parquet."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, f32, f64, i8, i32, i64
from xdsl.ir import Attribute, SSAValue
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
from vyre_dialect.ir.types import BufferType, element_bytes, optional_i64
from vyre_dialect.ops.columns import VALUES_PER_SEARCH
from vyre_dialect.ops.library import DecodeOp, HasValuesInterface, Operand
from vyre_dialect.ops.packed import INTEGERS
from vyre_dialect.ops.program import ProgramOp

SKIP = 256
"""Values between two that a skip table says the runs of."""


class RunsOp(DecodeOp, HasValuesInterface, ABC):
    """
    What decoders of runs have in common: `ends` says where each run ends, as those of
    `vyre.decode.run_length` do, `runs` how it is packed, in as many numbers as the op has for each,
    and `count` how many values there are. A run that is not what it says is reported to `errors`.

    `skips` may say in which run each 256th value is, and behind these the last of all, so that the
    search for a run begins near; it is not believed.
    """

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    ends = operand_def(BufferType)
    runs = operand_def(BufferType)
    count = operand_def(IndexType())
    errors = operand_def(BufferType)
    skips = opt_operand_def(BufferType)
    values = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))

    # By name, as the operands of a subclass stand in front of those that it inherits.
    @property
    def encoded(self) -> SSAValue:
        return self.source

    @property
    def decoded(self) -> SSAValue:
        return self.destination

    @property
    def reports_elements(self) -> bool:
        return False  # but numbers of runs

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        return None

    def verify_runs(self, results: Sequence[Attribute]) -> None:
        """Raise VerifyException unless results are of one of these types, and tables as above."""
        type = self.global_buffer("a destination", self.destination).element_type
        self.verify_element("a destination", type, results)
        self.verify_buffers([i8], type)
        self.verify_table("ends", self.ends, [i32, i64])
        self.verify_table("runs", self.runs, [i64])
        self.verify_table("skips", self.skips, [i32])
        self.verify_choices()

    def verify_table(
        self, role: str, table: SSAValue | None, expected: Sequence[Attribute]
    ) -> None:
        """Raise VerifyException unless a table, if there is one, has elements of these types."""
        if table is not None:
            self.verify_element(role, self.global_buffer(role, table).element_type, expected)

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("values", VALUES_PER_SEARCH, 16),)


@irdl_op_definition
class BitUnpackRunsOp(RunsOp):
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

    limits = opt_operand_def(BufferType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
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
            operands=[limits, source, destination, ends, runs, count, errors, skips],
            properties={"values": optional_i64(values)},
        )

    @property
    def width(self) -> int:
        """The bits of a result."""
        element = self.global_buffer("a destination", self.destination).element_type
        assert isinstance(element, IntegerType)
        return element.width.data

    def verify_(self) -> None:
        self.verify_table("limits", self.limits, [i64])
        self.verify_runs(INTEGERS)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.bitunpack_runs import ExpandBitUnpackRuns

        return (ExpandBitUnpackRuns(),)


@irdl_op_definition
class DictionaryRunsOp(RunsOp):
    """
    Looks up runs of codes whose dictionaries stand in the source, too, at any byte. `ends` says
    where each run ends, as those of `vyre.decode.run_length` do; `runs` has four numbers for each:
    the bit of the source at which it starts, the bits of a code, the byte at which its dictionary
    begins, and how many values this has. Of 0 bits, codes are 0, S, 2S and so on, where S is the
    first number: a run of one value, or, of S = 1, the values of the dictionary themselves.

    There are `count`. A run is reported to `errors`, by its number, where its codes are of more
    than 32 bits, where they or what they stand for are not in the source, or where one has no
    value; the number of runs, where they are too few. `skips` is that of
    `vyre.decode.bitunpack_runs`.

    One invocation looks `values` of them up.
    """

    name = "vyre.decode.dictionary_runs"

    assembly_format = (
        "$source `to` $destination `ends` $ends `runs` $runs (`skips` $skips^)? `count` $count "
        "`errors` $errors (`values` $values^)? attr-dict `:` type($source) `,` type($destination) "
        "`,` type($ends) `,` type($runs) `,` type($errors) (`,` type($skips)^)?"
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
        skips: Operand | None = None,
        values: int | None = None,
    ):
        super().__init__(
            operands=[source, destination, ends, runs, count, errors, skips],
            properties={"values": optional_i64(values)},
        )

    @property
    def value_bytes(self) -> int:
        """The size of a value."""
        assert isinstance(self.destination.type, BufferType)
        return element_bytes(self.destination.type.element_type) or 1

    def verify_(self) -> None:
        self.verify_runs([i32, i64, f32, f64])

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.dictionary_runs import ExpandDictionaryRuns

        return (ExpandDictionaryRuns(),)
