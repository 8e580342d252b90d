"""The ops of the dialect `tape`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, i8, i32, i64
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.interfaces import AccessKind, BufferAccess, HasAccessesInterface
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.library import DecodeOp, Operand, ScanOp
from vyre_dialect.ops.program import ProgramOp


@irdl_op_definition
class TrackOp(DecodeOp):
    """Takes one of the tracks that a tape holds byte by byte in turn: a decoder."""

    name = "tape.decode.track"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    track = prop_def(IntegerAttr.constr(i64))
    tracks = prop_def(IntegerAttr.constr(i64))

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$track `of` $tracks `in` $source `to` $destination attr-dict "
        "`:` type($source) `,` type($destination)"
    )

    def __init__(self, track: int, tracks: int, source: Operand, destination: Operand):
        super().__init__(
            operands=[source, destination],
            properties={"track": IntegerAttr(track, i64), "tracks": IntegerAttr(tracks, i64)},
        )

    def decoded_lengths(self, length: int) -> Sequence[int]:
        return (length // self.tracks.value.data,)

    def verify_(self) -> None:
        track, tracks = self.track.value.data, self.tracks.value.data
        if not 0 <= track < tracks:
            raise self.error(f"expected a track from 0 to {tracks - 1}, got {track}")
        self.verify_buffers([i8], i8)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from tape.expansions import ExpandTrack

        return (ExpandTrack(),)


@irdl_op_definition
class NrziOp(DecodeOp):
    """
    Decodes NRZI, where a bit is 1 where the magnetization changes, low bits first: a decoder that
    looks at the byte before, its halo.
    """

    name = "tape.decode.nrzi"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = "$source `to` $destination attr-dict `:` type($source) `,` type($destination)"

    def __init__(self, source: Operand, destination: Operand):
        super().__init__(operands=[source, destination])

    def decoded_lengths(self, length: int) -> Sequence[int]:
        return (length,)

    def verify_(self) -> None:
        self.verify_buffers([i8], i8)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from tape.expansions import ExpandNrzi

        return (ExpandNrzi(),)


@irdl_op_definition
class DropoutsOp(ScanOp):
    """A scanner: counts where `length` zero bytes in a row start, but not beyond `limit`."""

    name = "tape.scan.dropouts"

    length = prop_def(IntegerAttr.constr(i64))
    limit = prop_def(IntegerAttr.constr(i64))
    source = operand_def(BufferType)
    count = operand_def(BufferType)

    traits = traits_def(HasParent(ProgramOp))
    assembly_format = (
        "$length `in` $source `count` $count `limit` $limit attr-dict "
        "`:` type($source) `,` type($count)"
    )

    def __init__(self, length: int, source: Operand, count: Operand, limit: int):
        super().__init__(
            operands=[source, count],
            properties={"length": IntegerAttr(length, i64), "limit": IntegerAttr(limit, i64)},
        )

    def verify_(self) -> None:
        if self.length.value.data < 1:
            raise self.error(f"expected a length of at least 1, got {self.length.value.data}")
        if not 0 <= self.limit.value.data < 1 << 31:
            raise self.error(f"expected a limit that an i32 holds, got {self.limit.value.data}")
        self.verify_source(self.source, i8)
        self.verify_result("a count", self.count, 1, widths=[32])
        self.verify_different(self.source, self.count)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        from tape.expansions import ExpandDropouts

        return (ExpandDropouts(),)


class CanonicalAt(HasCanonicalizationPatternsTrait):
    """The patterns that `canonicalize` applies to `tape.at`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tape.canonicalization import FirstOfOne

        return (FirstOfOne(),)


@irdl_op_definition
class AtOp(IRDLOperation):
    """Where on the tape byte `position` of a track is: an op inside arms, without effects."""

    name = "tape.at"

    position = operand_def(IndexType())
    track = prop_def(IntegerAttr.constr(i64))
    tracks = prop_def(IntegerAttr.constr(i64))
    place = result_def(IndexType())

    traits = traits_def(Pure(), CanonicalAt())
    assembly_format = "$position `track` $track `of` $tracks attr-dict"

    def __init__(self, position: SSAValue, track: IntegerAttr, tracks: IntegerAttr):
        super().__init__(
            operands=[position],
            properties={"track": track, "tracks": tracks},
            result_types=[IndexType()],
        )


@irdl_op_definition
class TallyOp(IRDLOperation, HasAccessesInterface):
    """Adds one to an element of a buffer, atomically, but not beyond `limit`."""

    name = "tape.tally"

    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    limit = prop_def(IntegerAttr.constr(i64))

    assembly_format = "$buffer `[` $index `]` `limit` $limit attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, index: SSAValue, limit: IntegerAttr):
        super().__init__(operands=[buffer, index], properties={"limit": limit})

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        # Tallies with one limit may be done in any order: the result is the same.
        combiner = (self.name, self.limit)
        return (BufferAccess(AccessKind.UPDATE, self.buffer, self.index, combiner=combiner),)

    def verify_(self) -> None:
        assert isinstance(self.buffer.type, BufferType)
        if self.buffer.type.element_type != i32:
            raise VerifyException(f"'{self.name}' expected a buffer of i32")


TAPE = Dialect("tape", [TrackOp, NrziOp, DropoutsOp, AtOp, TallyOp])
