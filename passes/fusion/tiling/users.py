"""Who touches a buffer of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from xdsl.ir import Operation

from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import AccessKind, accesses_of, arm_of
from vyre_dialect.ir.types import PROBE
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import RegionOp

Touches = Callable[[RegionOp], Mapping[BufferOp, frozenset[AccessKind]]]
"""The buffers that an arm touches, and how."""


@dataclass(frozen=True)
class Users:
    """Who touches a buffer: arms, loads by the host, probes and any other ops, each in order."""

    arms: Sequence[RegionOp] = ()
    host_loads: Sequence[LoadOp] = ()
    probes: Sequence[RegionOp] = ()
    """Arms that read the buffer to do a few elements for the host, and wait for no tiles."""
    others: Sequence[Operation] = ()
    kinds: frozenset[AccessKind] = frozenset()
    """What all of these do to the buffer; one that does not say may do anything."""

    def __iter__(self) -> Iterator[Operation]:
        return chain(self.arms, self.host_loads, self.probes, self.others)


def users_of(buffer: BufferOp, touches: Touches, position: Callable[[Operation], float]) -> Users:
    """Who touches `buffer`, ordered by `position`; to ask for its length is not to touch it."""
    arms, loads, others = dict[RegionOp, None](), list[LoadOp](), list[Operation]()
    probes, kinds = dict[RegionOp, None](), set[AccessKind]()
    for use in buffer.buffer.uses:
        user = use.operation
        if isinstance(user, BufLenOp):
            continue
        kinds |= _kinds(user, buffer)
        if isinstance(arm := arm_of(user), RegionOp):
            (probes if _is_probe_of(arm, buffer, touches) else arms)[arm] = None
        elif isinstance(user, LoadOp):
            loads.append(user)
        else:
            others.append(user)
    return Users(
        sorted(arms, key=position),
        sorted(loads, key=position),
        sorted(probes, key=position),
        sorted(others, key=position),
        frozenset(kinds),
    )


def _is_probe_of(arm: RegionOp, buffer: BufferOp, touches: Touches) -> bool:
    return PROBE in arm.attributes and touches(arm)[buffer] == frozenset({AccessKind.READ})


def _kinds(user: Operation, buffer: BufferOp) -> set[AccessKind]:
    if not states_effects(user):
        return set(AccessKind)
    return {access.kind for access in accesses_of(user) if access.buffer is buffer.buffer}
