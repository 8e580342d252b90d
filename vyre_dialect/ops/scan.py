"""
The scan library: ops that look for something in a buffer and add what they find to another.

Each is expanded by `vyre-expand` into one or several arms. Results are *added* to what the
result buffer holds, which is zero unless the host or an earlier arm says otherwise. Results
of type i32 are counted modulo 2^32, those of type i64 are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    IntegerAttr,
    StringAttr,
    i8,
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

from vyre_dialect.ir.byte_strings import (
    BYTE_STRING,
    ByteString,
    byte_string_attr,
    bytes_of,
)
from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
)
from vyre_dialect.ir.syntax import HalfOpenRange
from vyre_dialect.ir.tuning import HasParametersInterface, Parameter, value_of
from vyre_dialect.ir.types import BufferType, optional_i64
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.library import HasLanesInterface, HasValuesInterface, Operand, ScanOp
from vyre_dialect.ops.program import ProgramOp

DEFAULT_CHUNK = 128
"""Bytes that one invocation of `vyre.scan.literals` scans unless stated."""
CHUNKS = (32, 48, 64, 80, 96, 112, 128, 144, 176, 192, 208, 240, 256, 336, 432, 512, 1024)
"""Chunks to choose among; those of an odd number of vectors meet no banks of memory twice."""
MOST_VISITED_STATES = 512
"""States of an automaton whose visits may all be counted: an invocation keeps their counters."""
MAX_CHUNK = 1 << 20
HISTOGRAM_BINS = 256
COMPARED_BYTES = 4
"""Bytes of a literal that are compared at every place."""


@irdl_op_definition
class LiteralOp(ScanOp, HasParametersInterface):
    """
    Adds the number of places where `literal` occurs in a buffer of bytes to element 0 of
    `count`. Occurrences may overlap; each lies wholly inside the buffer.

    With `positions`, a buffer of N elements declared `fill -1`, also the offsets of the first N
    occurrences, in ascending order; what is left over stays -1. Offsets are unsigned, so that
    positions of i32 are for texts of less than 2^32 bytes.

    One invocation tests `places`. With `counting "places"`, each place counts, as one or as zero,
    and no branch depends on the text: for literals of up to four bytes that do not end in a zero,
    without positions.
    """

    name = "vyre.scan.literal"

    literal = prop_def(BYTE_STRING)
    source = operand_def(BufferType)
    count = operand_def(BufferType)
    positions = opt_operand_def(BufferType)
    places = opt_prop_def(IntegerAttr.constr(i64))
    counting = opt_prop_def(StringAttr)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$literal `in` $source `count` $count (`positions` $positions^)? (`places` $places^)? "
        "(`counting` $counting^)? attr-dict "
        "`:` type($source) `,` type($count) (`,` type($positions)^)?"
    )

    def __init__(
        self,
        literal: ByteString,
        source: Operand,
        count: Operand,
        positions: Operand | None = None,
        *,
        places: int | None = None,
        counting: str | None = None,
    ):
        super().__init__(
            operands=[source, count, positions],
            properties={
                "literal": byte_string_attr(literal),
                "places": optional_i64(places),
                "counting": None if counting is None else StringAttr(counting),
            },
        )

    @property
    def bytes(self) -> bytes:
        """The literal."""
        assert isinstance(self.literal, StringAttr | BytesAttr)
        return bytes_of(self.literal)

    def verify_(self) -> None:
        if not self.bytes:
            raise self.error("expected a literal of at least one byte, got none")
        self.verify_choices()
        self.verify_source(self.source, i8)
        self.verify_result("a count", self.count)
        if self.positions is None:
            return self.verify_different(self.source, self.count)
        self.verify_result("positions", self.positions)
        self.verify_different(self.source, self.count, self.positions)
        self._verify_unfilled(self.positions)

    @property
    def places_per_invocation(self) -> int:
        """How many places one invocation tests."""
        return int(value_of(self, "places"))

    @property
    def counts_at_places(self) -> bool:
        """Whether each place counts."""
        return value_of(self, "counting") == "places"

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter("places", (8, 16, 32, 64), 32),
            Parameter("counting", self._countings, "matches"),
        )

    @property
    def _countings(self) -> tuple[str, ...]:
        """How may be counted: at each place, if all of the literal is compared there anyway."""
        is_whole = len(self.bytes) <= COMPARED_BYTES and not self.bytes.endswith(b"\0")
        return ("matches", "places") if is_whole and self.positions is None else ("matches",)

    def _verify_unfilled(self, positions: SSAValue) -> None:
        declaration = positions.owner
        if not isinstance(declaration, BufferOp):
            return
        fill = declaration.fill
        if not isinstance(fill, IntegerAttr) or fill.value.data != -1:
            raise self.error("expected positions declared with 'fill -1'")

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.literal import ExpandLiteral

        return (ExpandLiteral(),)


@irdl_op_definition
class LiteralsOp(ScanOp, HasParametersInterface):
    """
    Adds the number of occurrences of each of P byte strings in a buffer of bytes to an
    element of `matches`, which has P of them. Occurrences may overlap, strings may occur in
    one another or several times in the list; each has its own count.

    One invocation scans `streams` chunks of `chunk` bytes, a multiple of 16, at once. It counts
    each occurrence by itself or, with `counters "state"`, each state in which something ends: by
    one addition per byte at the most, whatever ends there; or, with `counters "visit"`, each visit
    of any state, without a branch.

    With `prefilter "pairs"`, it first looks at one pair of bytes at each so many places, fewer the
    longer the shortest literal is, and scans only where one that ends a literal is found. Literals
    of one byte have no pairs. With `prefilter "windows"`, it looks at half-bytes of 16 words at a
    time, and scans stretches of its chunks alone, unless something may end in many of them.
    """

    name = "vyre.scan.literals"

    literals = prop_def(ArrayAttr.constr(BYTE_STRING))
    source = operand_def(BufferType)
    matches = operand_def(BufferType)
    chunk = opt_prop_def(IntegerAttr.constr(i64))
    streams = opt_prop_def(IntegerAttr.constr(i64))
    counters = opt_prop_def(StringAttr)
    prefilter = opt_prop_def(StringAttr)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$literals `in` $source `matches` $matches (`chunk` $chunk^)? (`streams` $streams^)? "
        "(`counters` $counters^)? (`prefilter` $prefilter^)? attr-dict "
        "`:` type($source) `,` type($matches)"
    )

    def __init__(
        self,
        literals: Sequence[ByteString],
        source: Operand,
        matches: Operand,
        *,
        chunk: int | None = None,
        streams: int | None = None,
        counters: str | None = None,
        prefilter: str | None = None,
    ):
        super().__init__(
            operands=[source, matches],
            properties={
                "literals": ArrayAttr([byte_string_attr(literal) for literal in literals]),
                "chunk": optional_i64(chunk),
                "streams": optional_i64(streams),
                "counters": None if counters is None else StringAttr(counters),
                "prefilter": None if prefilter is None else StringAttr(prefilter),
            },
        )

    @property
    def patterns(self) -> tuple[bytes, ...]:
        """The byte strings, in the order of their counts."""
        return tuple(map(bytes_of, self.literals))

    @property
    def chunk_bytes(self) -> int:
        """Number of bytes of a chunk."""
        return DEFAULT_CHUNK if self.chunk is None else self.chunk.value.data

    @property
    def streams_per_invocation(self) -> int:
        """How many chunks one invocation scans at once."""
        return int(value_of(self, "streams"))

    def _counters(self) -> tuple[str, ...]:
        """What may be counted: visits only where few states need counters."""
        states = 1 + sum(map(len, self.patterns))
        few = ("visit",) if states <= MOST_VISITED_STATES else ()
        return ("literal", "state", *few)

    @property
    def counters_of(self) -> str:
        """What is counted: occurrences, states in which something ends, or visits of states."""
        return str(value_of(self, "counters"))

    def _prefilters(self) -> tuple[str, ...]:
        """What may be looked for first: literals of one byte have no pairs."""
        has_pairs = all(len(each) > 1 for each in self.patterns)
        return ("none", "pairs", "windows") if has_pairs else ("none", "windows")

    @property
    def prefilter_by(self) -> str:
        """What tells where the text is to be scanned: nothing, pairs of bytes, or windows."""
        return str(value_of(self, "prefilter"))

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter("chunk", tuple(sorted({*CHUNKS, self.chunk_bytes})), DEFAULT_CHUNK),
            Parameter("streams", (1, 2, 4, 8), 1),
            Parameter("counters", self._counters(), "literal"),
            Parameter("prefilter", self._prefilters(), "none"),
        )

    def verify_(self) -> None:
        if not self.patterns:
            raise self.error("expected at least one literal, got none")
        for position, pattern in enumerate(self.patterns):
            if not pattern:
                raise self.error(f"expected literals of at least one byte, got none at {position}")
        if self.chunk_bytes % 16 or not 0 < self.chunk_bytes <= MAX_CHUNK:
            raise self.error(
                f"expected a chunk of 16 to {MAX_CHUNK} bytes that is a multiple of 16, "
                f"got {self.chunk_bytes}"
            )
        self.verify_choices()
        self.verify_source(self.source, i8)
        self.verify_result("matches", self.matches, len(self.patterns))
        self.verify_different(self.source, self.matches)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.literals import ExpandLiterals

        return (ExpandLiterals(),)


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


@irdl_op_definition
class FilterOp(ScanOp, HasLanesInterface, HasValuesInterface):
    """
    Adds the number of signed values of a buffer that lie in `[low, high)` to element 0 of
    `count` and, with `sum`, their sum to element 0 of `sum`, a buffer of i64.

    One invocation tests `values` of them, in vectors of `lanes`, or of as many as these are.
    """

    name = "vyre.scan.filter"

    low = prop_def(IntegerAttr.constr(i64))
    high = prop_def(IntegerAttr.constr(i64))
    source = operand_def(BufferType)
    count = operand_def(BufferType)
    sum = opt_operand_def(BufferType)
    values = opt_prop_def(IntegerAttr.constr(i64))
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    custom_directives = (HalfOpenRange,)
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
        super().__init__(
            operands=[source, count, sum],
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

    def verify_(self) -> None:
        self.verify_choices()
        low, high = self.range.start, self.range.stop
        if not -(1 << 31) <= low < high <= 1 << 31:
            raise self.error(
                f"expected a range of 32-bit values that is not empty, got [{low}, {high})"
            )
        self.verify_source(self.source, i32)
        self.verify_result("a count", self.count)
        if self.sum is None:
            return self.verify_different(self.source, self.count)
        self.verify_result("a sum", self.sum, widths=(64,))
        self.verify_different(self.source, self.count, self.sum)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.filter import ExpandFilter

        return (ExpandFilter(),)


@irdl_op_definition
class PrefixSumOp(ScanOp, HasLanesInterface):
    """
    Stores the sum of elements 0 to j of `source` in element j of `destination`, for each of
    its elements: signed, modulo 2^32 into a buffer of i32; into one of i64 exact of i32, and modulo
    2^64 of i64. Where the source is the shorter one, it counts as followed by zeros. Vectors have
    `lanes` elements.
    """

    name = "vyre.scan.prefix_sum"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    lanes = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$source `to` $destination (`lanes` $lanes^)? attr-dict "
        "`:` type($source) `,` type($destination)"
    )

    def __init__(self, source: Operand, destination: Operand, *, lanes: int | None = None):
        super().__init__(operands=[source, destination], properties={"lanes": optional_i64(lanes)})

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("lanes", (4, 8, 16), 4),)

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
