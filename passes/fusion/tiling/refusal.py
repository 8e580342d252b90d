"""Why a handoff does not fuse, with a concrete counterexample where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp

Data: TypeAlias = "str | int | Mapping[str, Data] | Sequence[Data] | None"
"""What JSON and attributes hold."""


class Reason(StrEnum):
    """Machine-readable reasons; stable names that tests and tools match on."""

    NOT_COVERED = "not-covered"
    """A consumer reads an element that no producer writes."""
    CROSS_WORKGROUP = "cross-workgroup"
    """Another dependence between the arms would cross tiles."""
    MISSING_BARRIER = "missing-barrier"
    """Another invocation of the workgroup writes what is read, with no barrier between."""
    NON_UNIFORM = "non-uniform"
    """The consumer's barriers would depend on what only one invocation knows."""
    COLLIDING_STORES = "colliding-stores"
    """Stores past the end of the handoff, which are dropped, would meet inside a tile."""
    READS_INITIAL_CONTENTS = "reads-initial-contents"
    """A consumer reads what the buffer held before the program."""
    LIVE_OUT = "live-out"
    """The host reads the buffer back."""
    HOST_READ = "host-read"
    """The host reads elements between the arms, and no probe can do them for it."""
    OVER_BUDGET = "over-budget"
    """The tile does not fit the workgroup memory budget."""
    UNPROFITABLE = "unprofitable"
    """
    It costs more than `auto` takes for cheap, or was measured to lose on devices like this one.
    """
    GAVE_UP = "gave-up"
    """A proof would have taken more operations of isl than it may spend."""
    NON_AFFINE = "non-affine"
    """An access is not a quasi-affine function of the invocation."""
    UNSIZED = "unsized"
    """The element type has no size, or only the host knows the element count."""
    UNSUPPORTED_ELEMENT = "unsupported-element"
    """No constant of the element type is its zero, which tiles hold outside the handoff."""
    SIDE_EFFECTS = "side-effects"
    """The producer would repeat, or leave out, an effect that matters."""
    SEVERAL_PRODUCERS = "several-producers"
    """More than one arm writes the buffer."""
    REWRITTEN = "rewritten"
    """A consumer also writes the buffer, or the producer also reads it."""
    COOPERATIVE_PRODUCER = "cooperative-producer"
    """The producer depends on its own workgroups."""
    UNSUPPORTED_DOMAIN = "unsupported-domain"
    """An arm has more than one axis."""
    MISMATCHED_TILES = "mismatched-tiles"
    """No tile size suits all consumers."""
    INTERVENING_ARM = "intervening-arm"
    """An arm, or another op that does work, between the two touches what they touch."""
    UNKNOWN_EFFECTS = "unknown-effects"
    """An op of an arm does not say what it touches, or on which ids it depends."""
    FIXED_ACCESS = "fixed-access"
    """An op can be told neither to access a tile nor to run as another invocation."""
    NO_SLIDING = "no-sliding"
    """A producer runs the whole of its share for each tile that an invocation does."""
    NOT_RUN = "not-run"
    """Fusion is not among the passes that run."""
    UNKNOWN_USER = "unknown-user"
    """An op that is no arm uses the buffer, such as a library op or a launch."""


@dataclass(frozen=True)
class Counterexample:
    """
    A concrete dependence: with the given sizes, invocation `later` (in tile `later_tile`) touches
    `element` of `buffer`, and `earlier` (in tile `earlier_tile`) is what it depends on.
    Tiles are workgroups; without a `later_tile` every invocation of the later arm is its own.
    """

    buffer: str
    element: int
    later: int
    later_tile: int | None = None
    earlier: int | None = None
    earlier_tile: int | None = None
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    certain: bool = True
    """Whether both are touched whatever the data."""

    @property
    def earlier_workgroup(self) -> int | None:
        """The workgroup of `earlier`, where tiles are workgroups."""
        return None if self.later_tile is None else self.earlier_tile

    @property
    def earlier_for(self) -> int | None:
        """The invocation of the later arm that `earlier` runs for, where each is a tile."""
        return self.earlier_tile if self.later_tile is None else None

    def as_dict(self) -> dict[str, Data]:
        """The numbers as plain data, the same keys for all; None for what there is not."""
        return {
            "buffer": self.buffer,
            "element": self.element,
            "later": self.later,
            "later_workgroup": self.later_tile,
            "earlier": self.earlier,
            "earlier_workgroup": self.earlier_workgroup,
            "earlier_for": self.earlier_for,
            "sizes": dict(self.sizes),
            "certain": self.certain,
        }

    def __str__(self) -> str:
        where = _of_workgroup(self.later_tile)
        touches = "touches" if self.certain else "may touch"
        text = (
            f"invocation {self.later}{where} {touches} element {self.element} of '@{self.buffer}'"
        )
        if self.earlier is None:
            text += ", which no invocation writes"
        elif self.earlier == self.later and self.earlier_tile == self.later_tile:
            text += ", which it writes only after that"
        else:
            where = _of_workgroup(self.earlier_workgroup)
            text += f", which invocation {self.earlier}{where} {touches}"
        if self.earlier_for is not None:
            text += f" for invocation {self.earlier_for}"
        if self.sizes:
            text += f", when {_in_words(self.sizes)}"
        return text


@dataclass(frozen=True)
class TileShare:
    """With the given sizes, the elements of a tile, and the outermost invocations that write it."""

    elements: tuple[int, int]
    """The first and the last."""
    invocations: tuple[int, int]
    """The first and the last, both of which write elements of the tile."""
    sizes: Mapping[str, int]

    def as_dict(self) -> dict[str, Data]:
        """The numbers as plain data."""
        return {
            "elements": list(self.elements),
            "invocations": list(self.invocations),
            "sizes": dict(self.sizes),
        }

    def __str__(self) -> str:
        when = f"when {_in_words(self.sizes)}, " if self.sizes else ""
        return (
            f"{when}invocations {self.invocations[0]} to {self.invocations[1]} write elements "
            f"{self.elements[0]} to {self.elements[1]}"
        )


@dataclass(frozen=True)
class UnevenTiles:
    """Two tiles of `buffer` that invocations write that lie more or less far apart."""

    buffer: str
    shares: tuple[TileShare, TileShare]

    def as_dict(self) -> dict[str, Data]:
        """The numbers as plain data."""
        return {"buffer": self.buffer, "shares": [share.as_dict() for share in self.shares]}

    def __str__(self) -> str:
        narrow, wide = self.shares
        return f"{narrow} of '@{self.buffer}', and {wide}"


def _in_words(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


def _of_workgroup(number: int | None) -> str:
    return "" if number is None else f" of workgroup {number}"


@dataclass(frozen=True, eq=False)
class Refusal:
    """What a proof found instead of a proof."""

    reason: Reason
    detail: str
    consumer: RegionOp | None = None
    cause: Operation | None = None
    """The op that the reason is about: where there is a dependence, its later end."""
    earlier: Operation | None = None
    """The earlier end of the dependence."""
    counterexample: Counterexample | UnevenTiles | None = None
    question: str | None = None
    """The obligation that is not met, where the handoff came to a proof."""


@dataclass(frozen=True)
class Site:
    """An op as it was when a handoff was refused: fusing others may take it apart later."""

    text: str
    """The op without its regions."""
    location: LocationAttr

    @classmethod
    def of(cls, op: Operation | None) -> Site | None:
        """The site of `op`, if there is one."""
        if op is None:
            return None
        is_arm = isinstance(op, RegionOp)
        text = f"{op.name} {op.generator}" if is_arm else str(op).splitlines()[0]
        return cls(text, op.location)


@dataclass(frozen=True, eq=False)
class RefusedHandoff:
    """A handoff that stays in global memory, and why."""

    handoff: BufferOp
    reason: Reason
    detail: str
    producer: RegionOp | None = None
    consumers: Sequence[RegionOp] = ()
    """All arms that read what the producer writes, in program order."""
    consumer: RegionOp | None = None
    """The one that the reason is about, or else the last."""
    cause: Site | None = None
    earlier: Site | None = None
    counterexample: Counterexample | UnevenTiles | None = None
    question: str | None = None
    """What was answered with no, where the handoff came to a proof."""

    @classmethod
    def of(cls, handoff: BufferOp, arms: Sequence[RegionOp], refusal: Refusal) -> RefusedHandoff:
        """The refusal of a handoff that `arms` touch."""
        return cls(
            handoff,
            refusal.reason,
            refusal.detail,
            producer=arms[0] if arms else None,
            consumers=arms[1:] or arms,
            consumer=refusal.consumer or (arms[-1] if arms else None),
            cause=Site.of(refusal.cause),
            earlier=Site.of(refusal.earlier),
            counterexample=refusal.counterexample,
            question=refusal.question,
        )

    def __str__(self) -> str:
        text = f"'@{self.handoff.sym_name.data}' is not fused: {self.reason}: {self.detail}"
        return f"{text}; {self.counterexample}" if self.counterexample else text
