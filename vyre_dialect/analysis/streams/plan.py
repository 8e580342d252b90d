"""How a program is cut: what each arm does of a piece, and what becomes of the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.utils.str_enum import StrEnum

from vyre_dialect.analysis.streams.drift import Piece
from vyre_dialect.analysis.streams.evaluation import Move
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp


class Turn(StrEnum):
    """Which pieces an arm runs on."""

    EVERY = "every"
    FIRST = "first"
    """It prepares what pieces hand on to each other."""
    LAST = "last"
    """It works on what all pieces have come to."""

    def is_of(self, piece: Piece) -> bool:
        """Whether the arm runs on `piece`."""
        return self == Turn.EVERY or (piece.begins if self == Turn.FIRST else piece.ends)


@dataclass(frozen=True)
class ArmPlan:
    """What an arm does of a piece."""

    turn: Turn
    axis: int | None = None
    """Along which its invocations are cut; None where all pieces run all of them."""
    rate: int = 0
    """Invocations for each unit."""
    before: int = 0
    """Units at the begin of a piece that it leaves out."""
    after: int = 0
    """The same at the end."""


@dataclass(frozen=True)
class CutInput:
    """What a piece takes of a buffer of the host."""

    per_unit: int
    """Elements for each unit."""
    extra: int = 0
    """Elements behind those that a piece takes, too, if it is not the last."""


@dataclass(frozen=True)
class StreamPlan:
    """How a program is cut along its input `main`."""

    main: BufferOp
    inputs: Mapping[BufferOp, CutInput]
    """What is cut, `main` first."""
    before: int
    """Units that a piece takes in before its own."""
    after: int
    """Units that a piece takes in behind its own."""
    least: int
    """Units that a piece has at least, with those."""
    arms: Mapping[RegionOp, ArmPlan]
    kept: Mapping[BufferOp, str | None]
    """What pieces hand on to each other, by what it is combined with where that is any."""
    lengths: Mapping[BufferOp, int]
    """All buffers that are cut, with the elements for each unit."""
    moves: Mapping[Piece, Sequence[Move]]
    """Where the place of a piece is added."""

    @property
    def ordered(self) -> dict[BufferOp, int]:
        """Results of which each piece has a part, with the elements for each unit."""
        return {buffer: n for buffer, n in self.lengths.items() if buffer.live_out is not None}

    @property
    def unit(self) -> int:
        """Elements of `main` in a unit."""
        return self.inputs[self.main].per_unit
