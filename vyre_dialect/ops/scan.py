"""
The scan library: ops that look for something in a buffer and add what they find to another.

Each is expanded by `vyre-expand` into one or several arms. Results are *added* to what the
result buffer holds, which is zero unless the host or an earlier arm says otherwise. Results
of type i32 are counted modulo 2^32, those of type i64 are exact.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import (
    IntegerAttr,
    StringAttr,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasParent

from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
)
from vyre_dialect.ir.syntax import HalfOpenRange
from vyre_dialect.ir.tuning import HasParametersInterface, Parameter, value_of
from vyre_dialect.ir.types import BufferType, optional_i64
from vyre_dialect.ops.library import HasLanesInterface, HasValuesInterface, Operand, ScanOp
from vyre_dialect.ops.program import ProgramOp

HISTOGRAM_BINS = 256


@irdl_op_definition
class HistogramOp(ScanOp, HasParametersInterface):
    """
    Adds the number of bytes of each value in a buffer to `bins`, which has 256 elements.

    Workgroups of `workgroup` invocations count in workgroup memory, in `copies` of each bin. With
    `counting "bins"`, each byte is counted at its bin, `bytes` by each invocation, for
    `vyre-privatize-reductions` to bring together, as fusion and coarsening leave it.
    """

    name = "vyre.scan.histogram"

    source = operand_def(BufferType)
    bins = operand_def(BufferType)
    workgroup = opt_prop_def(IntegerAttr.constr(i64))
    copies = opt_prop_def(IntegerAttr.constr(i64))
    counting = opt_prop_def(StringAttr)
    bytes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `bins` $bins (`workgroup` $workgroup^)? (`copies` $copies^)? "
        "(`counting` $counting^)? (`bytes` $bytes^)? attr-dict "
        "`:` type($source) `,` type($bins)"
    )

    def __init__(
        self,
        source: Operand,
        bins: Operand,
        *,
        workgroup: int | None = None,
        copies: int | None = None,
        counting: str | None = None,
        bytes: int | None = None,
    ):
        super().__init__(
            operands=[source, bins],
            properties={
                "workgroup": optional_i64(workgroup),
                "copies": optional_i64(copies),
                "counting": None if counting is None else StringAttr(counting),
                "bytes": optional_i64(bytes),
            },
        )

    @property
    def invocations_per_workgroup(self) -> int:
        """How many invocations count together."""
        return int(value_of(self, "workgroup"))

    @property
    def copies_per_bin(self) -> int:
        """How many counters a workgroup has for each bin."""
        return int(value_of(self, "copies"))

    @property
    def counts_at_bins(self) -> bool:
        """Whether each byte is counted at its bin."""
        return value_of(self, "counting") == "bins"

    @property
    def bytes_per_invocation(self) -> int:
        """How many bytes each invocation counts at their bins."""
        return int(value_of(self, "bytes"))

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter("workgroup", (32, 64, 128, 256, 512), 256),
            Parameter("copies", (1, 2, 4, 8, 16), 4),
            Parameter("counting", ("workgroup", "bins"), "workgroup"),
            Parameter("bytes", (8, 16, 32, 64), 32),
        )

    def verify_(self) -> None:
        self.verify_choices()
        self.verify_source(self.source, i8)
        self.verify_result("bins", self.bins, HISTOGRAM_BINS)
        self.verify_different(self.source, self.bins)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.histogram import ExpandHistogram

        return (ExpandHistogram(),)


class RangeOp(ScanOp, HasLanesInterface, HasValuesInterface, ABC):
    """What ops that look for the numbers of a range have in common."""

    low = prop_def(IntegerAttr.constr(i64))
    high = prop_def(IntegerAttr.constr(i64))
    values = opt_prop_def(IntegerAttr.constr(i64))
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    custom_directives = (HalfOpenRange,)

    def __init__(
        self,
        low: int,
        high: int,
        *,
        operands: Sequence[Operand | None],
        values: int | None,
        lanes: int | None,
    ):
        super().__init__(
            operands=operands,
            properties={
                "low": IntegerAttr(low, i64),
                "high": IntegerAttr(high, i64),
                "values": optional_i64(values),
                "lanes": optional_i64(lanes),
            },
        )

    @property
    def range(self) -> range:
        """The values that count."""
        return range(self.low.value.data, self.high.value.data)

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter("values", (4, 8, 16, 32, 64), 16),
            Parameter("lanes", (4, 8, 16), 4),
        )

    def verify_range(self) -> None:
        """Raise VerifyException unless the range is one of signed numbers of 32 bits."""
        low, high = self.range.start, self.range.stop
        if not -(1 << 31) <= low < high <= 1 << 31:
            raise self.error(
                f"expected a range of 32-bit values that is not empty, got [{low}, {high})"
            )

    def verify_results(self, count: SSAValue, sum: SSAValue | None, *read: SSAValue) -> None:
        """Raise VerifyException unless a count, and a sum if any, can be added to."""
        self.verify_result("a count", count)
        if sum is not None:
            self.verify_result("a sum", sum, widths=(64,))
        self.verify_different(*read, count, *(() if sum is None else (sum,)))


@irdl_op_definition
class FilterOp(RangeOp):
    """
    Adds the number of signed values of a buffer that lie in `[low, high)` to element 0 of
    `count` and, with `sum`, their sum to element 0 of `sum`, a buffer of i64.

    One invocation tests `values` of them, in vectors of `lanes`, or of as many as these are.
    """

    name = "vyre.scan.filter"

    source = operand_def(BufferType)
    count = operand_def(BufferType)
    sum = opt_operand_def(BufferType)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `in` custom<HalfOpenRange>($low, $high) `count` $count (`sum` $sum^)? "
        "(`values` $values^)? (`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($count) (`,` type($sum)^)?"
    )

    def __init__(
        self,
        source: Operand,
        low: int,
        high: int,
        count: Operand,
        sum: Operand | None = None,
        *,
        values: int | None = None,
        lanes: int | None = None,
    ):
        super().__init__(low, high, operands=[source, count, sum], values=values, lanes=lanes)

    def verify_(self) -> None:
        self.verify_choices()
        self.verify_range()
        self.verify_source(self.source, i32)
        self.verify_results(self.count, self.sum, self.source)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.filter import ExpandFilter

        return (ExpandFilter(),)


@irdl_op_definition
class DictionaryFilterOp(RangeOp):
    """
    `vyre.scan.filter` of the elements of `table`, of i32, in whose places unsigned codes say; a
    code without an element is reported to `errors`, by its own place.

    What each element adds to the results is found out once. One invocation looks that up for
    `values` codes, in vectors of `lanes`, or of as many as these are.
    """

    name = "vyre.scan.dictionary_filter"

    source = operand_def(BufferType)
    table = operand_def(BufferType)
    errors = operand_def(BufferType)
    count = operand_def(BufferType)
    sum = opt_operand_def(BufferType)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `table` $table `errors` $errors `in` custom<HalfOpenRange>($low, $high) "
        "`count` $count (`sum` $sum^)? (`values` $values^)? (`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($table) `,` type($errors) `,` type($count) (`,` type($sum)^)?"
    )

    def __init__(
        self,
        source: Operand,
        table: Operand,
        errors: Operand,
        low: int,
        high: int,
        count: Operand,
        sum: Operand | None = None,
        *,
        values: int | None = None,
        lanes: int | None = None,
    ):
        operands = [source, table, errors, count, sum]
        super().__init__(low, high, operands=operands, values=values, lanes=lanes)

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        source, table, *others = super().get_accesses()
        return (source, replace(table, kind=AccessKind.READ), *others)

    def verify_(self) -> None:
        self.verify_choices()
        self.verify_range()
        self.verify_source(self.source, i8, i16, i32)
        self.verify_source(self.table, i32, noun="table")
        self.verify_errors(self.errors, self.source, self.table)
        self.verify_results(self.count, self.sum, self.source, self.table, self.errors)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.dictionary_filter import ExpandDictionaryFilter

        return (ExpandDictionaryFilter(),)


@irdl_op_definition
class PrefixSumOp(ScanOp, HasValuesInterface, HasLanesInterface):
    """
    Stores the sum of elements 0 to j of `source` in element j of `destination`, for each of
    its elements: signed, modulo 2^32 into a buffer of i32; into one of i64 exact of i32, and modulo
    2^64 of i64. Where the source is the shorter one, it counts as followed by zeros. One invocation
    sums up `values` of them, in vectors of `lanes`.
    """

    name = "vyre.scan.prefix_sum"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    values = opt_prop_def(IntegerAttr.constr(i64))
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination (`values` $values^)? (`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination)"
    )

    def __init__(
        self,
        source: Operand,
        destination: Operand,
        *,
        values: int | None = None,
        lanes: int | None = None,
    ):
        super().__init__(
            operands=[source, destination],
            properties={"values": optional_i64(values), "lanes": optional_i64(lanes)},
        )

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("values", (16, 32, 64), 64), Parameter("lanes", (4, 8, 16), 4))

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (
            BufferAccess(AccessKind.READ, self.source, count=None),
            BufferAccess(AccessKind.WRITE, self.destination, count=None),
        )

    def verify_(self) -> None:
        self.verify_choices()
        source = self.global_buffer("a source", self.source)
        self.verify_element("a source", source.element_type, [i32, i64])
        type = self.global_buffer("a destination", self.destination)
        wide = [i64] if source.element_type == i64 else [i32, i64]
        self.verify_element("a destination", type.element_type, wide)
        if not source.readable:
            raise self.error(f"expected a readable source, got a {source.access.data} one")
        if not type.writable:
            raise self.error(f"expected a writable destination, got a {type.access.data} one")
        self.verify_different(self.source, self.destination)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.prefix_sum import ExpandPrefixSum

        return (ExpandPrefixSum(),)
