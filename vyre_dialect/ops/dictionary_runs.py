"""A decoder of values that runs of packed codes stand for, all in one buffer: pages of Parquet."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, f32, f64, i8, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasParent

from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import BufferType, element_bytes, optional_i64
from vyre_dialect.ops.columns import VALUES_PER_SEARCH
from vyre_dialect.ops.library import DecodeOp, HasValuesInterface, Operand
from vyre_dialect.ops.program import ProgramOp


@irdl_op_definition
class DictionaryRunsOp(DecodeOp, HasValuesInterface):
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

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    ends = operand_def(BufferType)
    runs = operand_def(BufferType)
    count = operand_def(IndexType())
    errors = operand_def(BufferType)
    skips = opt_operand_def(BufferType)
    values = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
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
    def tables(self) -> tuple[SSAValue, ...]:
        """The buffers that it reads besides the source."""
        return tuple(each for each in (self.ends, self.runs, self.skips) if each is not None)

    @property
    def value_bytes(self) -> int:
        """The size of a value."""
        assert isinstance(self.destination.type, BufferType)
        return element_bytes(self.destination.type.element_type) or 1

    def decoded_lengths(self, length: int) -> Sequence[int] | None:
        return None

    def verify_(self) -> None:
        type = self.global_buffer("a destination", self.destination).element_type
        self.verify_element("a destination", type, [i32, i64, f32, f64])
        self.verify_buffers([i8], type)
        ends = self.global_buffer("ends", self.ends)
        self.verify_element("ends", ends.element_type, [i32, i64])
        runs = self.global_buffer("runs", self.runs)
        self.verify_element("runs", runs.element_type, [i64])
        if self.skips is not None:
            skips = self.global_buffer("skips", self.skips)
            self.verify_element("skips", skips.element_type, [i32])
        self.verify_choices()

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("values", VALUES_PER_SEARCH, 16),)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.dictionary_runs import ExpandDictionaryRuns

        return (ExpandDictionaryRuns(),)
