"""Arms that hand buffers on, as plain data that can be counted through by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from xdsl.dialects.builtin import IntegerType, i8, i16, i32

from support.generated.places import Index, Size, Touch
from vyre_dialect.ir.types import Initial

HANDOFF = "decoded"
"""The handoff of a pair."""
FILL = 0x33
"""What handoffs hold where no producer writes them."""
TYPES: dict[int, IntegerType] = {1: i8, 2: i16, 4: i32}


class Effect(Enum):
    """What an arm does besides."""

    NONE = auto()
    FIRST_BAD = auto()
    """An atomic minimum, as decoders report their first bad offset: may be repeated."""
    LAST_BAD = auto()
    """An atomic maximum in the same place: in another order, another result."""
    COUNT = auto()
    """An atomic sum in a live-out counter: may not be repeated."""
    LOG = auto()
    """A store to a live-out buffer, one element per invocation: may be repeated."""
    BUMP = auto()
    """A sum without atomics, in a live-out buffer: may not be repeated."""
    READ_LOG = auto()
    """A load of what another arm logs."""
    CLEAR_INPUT = auto()
    """A store to what the producer reads."""


@dataclass(frozen=True)
class SideEffect:
    """An effect and the element of its buffer that invocation `i` has it on."""

    kind: Effect = Effect.NONE
    index: Index = field(default_factory=Index)
    count: int = 1
    """Stores to the log, one after the other."""
    share: int = 1
    """How many of these go to one element before the next."""
    unrolled: bool = False
    """By ops of their own rather than in a loop."""


class Steering(Enum):
    """What a cooperative arm has around its barrier, which depends on an element that it reads."""

    NONE = auto()
    IF = auto()
    FOR = auto()
    WHILE = auto()


@dataclass(frozen=True)
class Arm:
    """
    An arm: how many invocations it has, and what it writes and reads of which handoff. One
    that only reads puts what it has read into a live-out buffer of its own.
    """

    name: str
    invocations: Size
    writes: tuple[tuple[str, Touch], ...] = ()
    reads: tuple[tuple[str, Touch], ...] = ()
    effect: SideEffect = SideEffect()
    workgroup: int = 4
    cooperative: bool = False
    """Passes the elements that it reads on to the next invocation of its workgroup."""
    steering: Steering = Steering.NONE
    steered_by: Index = field(default_factory=Index)
    """The element of its first handoff on which that depends, by workgroup."""


@dataclass(frozen=True)
class Handoff:
    """A buffer that one arm fills and others read."""

    name: str
    size: Size
    bytes: int = 1
    initial: Initial = Initial.HOST


@dataclass(frozen=True)
class Glance:
    """A load by the host, the value of which is a result of the program."""

    handoff: str
    after: int
    """How many arms stand in front of it."""
    index: Index
    """The element, of invocation 0."""
    width: int = 1
    """Elements: 1, 2 or 4."""
    further: int = 0
    """So many elements further on for each that the glance before it has seen, up to 3."""
