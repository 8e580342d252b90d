"""What the numbers of an arm, or of the host, become in a piece, one op after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.streams.bounds import ArmBounds, Bounds
from vyre_dialect.analysis.streams.drift import ANYTHING, Drift, Piece, fixed
from vyre_dialect.analysis.streams.refusal import LargerUnits, Refusal
from vyre_dialect.analysis.value_ranges import MAX_COUNT, Range
from vyre_dialect.ir.interfaces import HasAccessesInterface
from vyre_dialect.ir.types import scalar_type
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp


@dataclass(frozen=True, slots=True)
class Move:
    """An operand that is a place: a piece adds so much to it for each unit before the piece."""

    op: Operation
    operand: int
    per_unit: int


@dataclass
class BufferFacts:
    """What is known of a global buffer as arms follow each other."""

    length: Drift
    before: int = 0
    """Units at the begin of a piece in which its elements may be others than in all."""
    after: int = 0
    """The same at the end."""
    kept: bool = False
    """Whether it is handed on from piece to piece, so that it is complete behind the last."""

    @property
    def moves(self) -> bool:
        """Whether it is cut, too."""
        return not self.length.is_fixed


@dataclass
class Extent:
    """The elements that an access by an invocation of unit `j` touches: `unit * j + low … high`."""

    buffer: BufferOp
    low: int
    high: int


@dataclass
class ArmEffects:
    """What an arm does to buffers."""

    writes: list[Extent] = field(default_factory=list[Extent])
    """To buffers that are cut."""
    kept: list[tuple[HasAccessesInterface, int]] = field(
        default_factory=list[tuple[HasAccessesInterface, int]]
    )
    """Accesses, each an op and its place among those of the op, to buffers that are not cut."""


@dataclass(frozen=True)
class Scope:
    """Where ops stand: on the host, or in an arm, and what is asked of the places there."""

    bounds: Bounds
    arm: RegionOp | None = None
    axis: int | None = None
    """Of the arm, along which its invocations are cut."""
    rate: int = 0
    """Invocations for each unit."""
    is_complete: bool = False
    """Whether all other pieces have been run, as for arms that follow the last."""
    effects: ArmEffects = field(default_factory=ArmEffects)


@dataclass
class Shared:
    """What the host and all arms know together, as a walk goes on."""

    known: dict[SSAValue, Drift] = field(default_factory=dict[SSAValue, Drift])
    buffers: dict[BufferOp, BufferFacts] = field(default_factory=dict[BufferOp, BufferFacts])
    moves: dict[tuple[Operation, int], int] = field(
        default_factory=dict[tuple[Operation, int], int]
    )
    """Of an op and an operand that is a place, what a piece adds to it for each unit before it."""
    ending: Refusal | LargerUnits | None = None
    """What the walk has found first that it ends with; nothing that it finds behind counts."""


class Evaluation(ABC):
    """A walk on a piece of the input, of what stands in one scope of the program."""

    def __init__(self, piece: Piece, unit: int, integers: Integers, scope: Scope, shared: Shared):
        self.piece = piece
        self.unit = unit
        self.integers = integers
        self.scope = scope
        self.shared = shared
        self._unsure: list[Operation] = []

    def inside(self, scope: Scope) -> Self:
        """The same walk in another scope."""
        return type(self)(self.piece, self.unit, self.integers, scope, self.shared)

    @property
    def known(self) -> dict[SSAValue, Drift]:
        """What values become, as far as the walk has come."""
        return self.shared.known

    @property
    def buffers(self) -> dict[BufferOp, BufferFacts]:
        """What is known of buffers so far."""
        return self.shared.buffers

    @property
    def moves(self) -> list[Move]:
        """The places among operands that are taken as data."""
        return [Move(op, operand, unit) for (op, operand), unit in self.shared.moves.items()]

    def refuse(self, op: Operation, reason: str, example: str = "") -> None:
        """End the walk, as `op` forbids to cut the program."""
        self.shared.ending = self.shared.ending or Refusal(op, reason, example)

    def has_units(self, number: Drift, by: int, op: Operation) -> bool:
        """Whether what drifts of a number is divided; if not, ends the walk for larger units."""
        factor = number.units_for(by)
        if factor != 1:
            self.shared.ending = self.shared.ending or LargerUnits(factor, op)
        return factor == 1

    def of(self, value: SSAValue) -> Drift:
        """What becomes of a value."""
        if value not in self.known:
            self.known[value] = fixed(self.range_of(value))
        return self.known[value]

    def range_of(self, value: SSAValue) -> Range:
        """Every signed number that a value can be where it is computed."""
        lane = scalar_type(value.type)
        if not isinstance(lane, IndexType | IntegerType):
            return ANYTHING
        owner = value.owner
        block = owner.parent if isinstance(owner, Operation) else owner
        known = self.integers.range_at(value, block)
        is_signed = isinstance(lane, IndexType)
        half = ANYTHING.high if is_signed else 1 << max(1, lane.width.data - 1)
        return known if known.high < half or self._is_bool(value) else ANYTHING

    @staticmethod
    def _is_bool(value: SSAValue) -> bool:
        lane = scalar_type(value.type)
        return isinstance(lane, IntegerType) and lane.width.data == 1

    def folded(self, number: Drift) -> Drift:
        """A number with all that does not matter in this piece as part of its rest."""
        most = MAX_COUNT // self.unit
        bounds = self.scope.bounds
        left = bounds.left if isinstance(bounds, ArmBounds) else 0
        return number.folded(self.piece, Range(0, most), Range(left, most))

    # Operands that are taken as data.

    def as_data(self, op: Operation, operand: int) -> Operation | None:
        """
        Take an operand for what it is in all of the input, with the place of the piece added
        where that is needed; the op that makes it another, where there is one.
        """
        number = self.of(op.operands[operand])
        self.shared.moves.pop((op, operand), None)
        if number.is_same(self.piece):
            return None
        if number.cause is not None:
            return number.cause
        if not number.can_be_moved(self.piece):
            return self.source_of_end(op.operands[operand])
        self.shared.moves[op, operand] = number.begin
        return None

    def all_as_data(self, op: Operation, operands: Iterable[int] | None = None) -> Operation | None:
        """The same of some operands, or of all; the first cause."""
        places = range(len(op.operands)) if operands is None else operands
        causes = [self.as_data(op, place) for place in places]
        return next((cause for cause in causes if cause is not None), None)

    def source_of_end(self, value: SSAValue) -> Operation:
        """The op by which a value depends on where the input ends."""
        while isinstance(owner := value.owner, Operation):
            depending = [each for each in owner.operands if self.of(each).end]
            if not depending:
                return owner
            value = depending[0]
        parent = owner.parent_op()
        assert parent is not None
        return parent

    def forget_moves(self, block: Block) -> None:
        """Before what stands in `block` is evaluated once more."""
        for op, operand in [key for key in self.shared.moves if block.is_ancestor(key[0])]:
            del self.shared.moves[op, operand]

    # What runs.

    def require_sure(self, op: Operation) -> None:
        """Refuse where a piece may not come to `op` when all of the input would."""
        if self._unsure:
            self.refuse(op, f"runs or not by what {described(self._unsure[-1])}")

    def run(self, block: Block, unsure: Operation | None = None) -> None:
        """Evaluate the ops of a block, of which it is `unsure` whether it runs."""
        if unsure is not None:
            self._unsure.append(unsure)
        for op in block.ops:
            if self.shared.ending is not None:
                break
            self.step(op)
        if unsure is not None:
            self._unsure.pop()

    @abstractmethod
    def step(self, op: Operation) -> None:
        """Evaluate one op; refuses one that forbids to cut the program."""


def described(cause: Operation) -> str:
    """What is said of an op that makes a number another in a piece than in all."""
    if isinstance(cause, BufferOp | BufLenOp):
        name = cause.sym_name.data if isinstance(cause, BufferOp) else _measured(cause)
        return f"depends on where '@{name}' ends"
    return f"'{cause.name}' makes of a piece"


def _measured(op: BufLenOp) -> str:
    owner = op.buffer.owner
    return owner.sym_name.data if isinstance(owner, BufferOp) else "?"
