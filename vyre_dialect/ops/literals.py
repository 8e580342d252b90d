"""
Scanners for byte strings: one literal, or many at once. What holds of all scanners is said in
`ops/scan.py`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    IntegerAttr,
    StringAttr,
    i8,
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
from vyre_dialect.ir.interfaces import AccessKind, BufferAccess
from vyre_dialect.ir.tuning import HasParametersInterface, Parameter, value_of
from vyre_dialect.ir.types import BufferType, optional_i64
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.library import Operand, ScanOp
from vyre_dialect.ops.program import ProgramOp

DEFAULT_CHUNK = 128
"""Bytes that one invocation of `vyre.scan.literals` scans unless stated."""
CHUNKS = (32, 48, 64, 80, 96, 112, 128, 144, 176, 192, 208, 240, 256, 336, 432, 512, 1024)
"""Chunks to choose among; those of an odd number of vectors meet no banks of memory twice."""
MOST_VISITED_STATES = 512
"""States of an automaton whose visits may all be counted: an invocation keeps their counters."""
MAX_CHUNK = 1 << 20
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


class AutomatonOp(ScanOp, HasParametersInterface, ABC):
    """
    What scanners for several byte strings have in common. They scan chunks of `chunk` bytes, a
    multiple of 16.

    With `prefilter "pairs"`, it first looks at one pair of bytes at each so many places, fewer the
    longer the shortest literal is, and scans only where one that ends a literal is found. Literals
    of one byte have no pairs. With `prefilter "windows"`, it looks at half-bytes of 16 words at a
    time, and scans stretches of its chunks alone, unless something may end in many of them.
    """

    @property
    def text(self) -> SSAValue:
        """The buffer that is scanned, which the ops call `source`."""
        return self.operands[0]

    @property
    def patterns(self) -> tuple[bytes, ...]:
        """The byte strings, in their order."""
        literals = self.properties["literals"]
        assert isinstance(literals, ArrayAttr)
        attributes = cast("ArrayAttr[StringAttr | BytesAttr]", literals)
        return tuple(map(bytes_of, attributes))

    @property
    def chunk_bytes(self) -> int:
        """Number of bytes of a chunk."""
        chunk = self.chosen("chunk")
        return DEFAULT_CHUNK if chunk is None else int(chunk)

    @property
    def streams_per_invocation(self) -> int:
        """How many chunks one invocation scans at once."""
        return 1

    @property
    def prefilter_by(self) -> str:
        """What tells where the text is to be scanned: nothing, pairs of bytes, or windows."""
        return str(value_of(self, "prefilter"))

    def get_parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter("chunk", tuple(sorted({*CHUNKS, self.chunk_bytes})), DEFAULT_CHUNK),
            Parameter("prefilter", self._prefilters(), "none"),
        )

    def _prefilters(self) -> tuple[str, ...]:
        """What may be looked for first: literals of one byte have no pairs."""
        has_pairs = all(len(each) > 1 for each in self.patterns)
        return ("none", "pairs", "windows") if has_pairs else ("none", "windows")

    def verify_patterns(self) -> None:
        """Raise VerifyException for literals, a source or parameters that make no sense."""
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
        self.verify_source(self.text, i8)


@irdl_op_definition
class LiteralsOp(AutomatonOp):
    """
    Adds the number of occurrences of each of P byte strings in a buffer of bytes to an
    element of `matches`, which has P of them. Occurrences may overlap, strings may occur in
    one another or several times in the list; each has its own count.

    One invocation scans `streams` chunks of `chunk` bytes, a multiple of 16, at once. It counts
    each occurrence by itself or, with `counters "state"`, each state in which something ends: by
    one addition per byte at the most, whatever ends there; or, with `counters "visit"`, each visit
    of any state, without a branch.
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

    def _counters(self) -> tuple[str, ...]:
        """What may be counted: visits only where few states need counters."""
        states = 1 + sum(map(len, self.patterns))
        few = ("visit",) if states <= MOST_VISITED_STATES else ()
        return ("literal", "state", *few)

    @property
    def counters_of(self) -> str:
        """What is counted: occurrences, states in which something ends, or visits of states."""
        return str(value_of(self, "counters"))

    def get_parameters(self) -> tuple[Parameter, ...]:
        chunk, prefilter = super().get_parameters()
        streams = Parameter("streams", (1, 2, 4, 8), 1)
        return (chunk, streams, Parameter("counters", self._counters(), "literal"), prefilter)

    @property
    def streams_per_invocation(self) -> int:
        return int(value_of(self, "streams"))

    def verify_(self) -> None:
        self.verify_patterns()
        self.verify_result("matches", self.matches, len(self.patterns))
        self.verify_different(self.source, self.matches)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.literals import ExpandLiterals

        return (ExpandLiterals(),)


@irdl_op_definition
class LocateOp(AutomatonOp):
    """
    Stores where each of P byte strings occurs in a buffer of bytes: in element k of `positions` the
    offset of the k-th occurrence, and in element k of `which` the number of its string in the list.
    They are in the order in which they end, of those that end together the longer first, and of
    equal strings the last in the list. Occurrences may overlap.

    Results that are declared `?` without a size get as many elements as there are occurrences. A
    shorter one takes what fits, and what is left over of a longer one keeps what it holds.
    Positions of i32 are for texts of less than 2^32 bytes.
    """

    name = "vyre.scan.locate"

    literals = prop_def(ArrayAttr.constr(BYTE_STRING))
    source = operand_def(BufferType)
    positions = operand_def(BufferType)
    which = operand_def(BufferType)
    chunk = opt_prop_def(IntegerAttr.constr(i64))
    prefilter = opt_prop_def(StringAttr)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$literals `in` $source `positions` $positions `which` $which (`chunk` $chunk^)? "
        "(`prefilter` $prefilter^)? attr-dict "
        "`:` type($source) `,` type($positions) `,` type($which)"
    )

    def __init__(
        self,
        literals: Sequence[ByteString],
        source: Operand,
        positions: Operand,
        which: Operand,
        *,
        chunk: int | None = None,
        prefilter: str | None = None,
    ):
        super().__init__(
            operands=[source, positions, which],
            properties={
                "literals": ArrayAttr([byte_string_attr(literal) for literal in literals]),
                "chunk": optional_i64(chunk),
                "prefilter": None if prefilter is None else StringAttr(prefilter),
            },
        )

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (
            BufferAccess(AccessKind.READ, self.source, count=None),
            BufferAccess(AccessKind.WRITE, self.positions, count=None),
            BufferAccess(AccessKind.WRITE, self.which, count=None),
        )

    def verify_(self) -> None:
        self.verify_patterns()
        self.verify_result("positions", self.positions)
        self.verify_result("numbers of literals", self.which)
        self.verify_different(self.source, self.positions, self.which)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from vyre_dialect.passes.expansions.locate import ExpandLocate

        return (ExpandLocate(),)
