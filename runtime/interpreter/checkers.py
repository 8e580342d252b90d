"""
Observers that find errors in a program: races, reads of undefined elements, and accesses
outside of buffers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from xdsl.ir import Operation

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import Initial, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.observer import ObservedAccess

REPORTED_PER_BUFFER = 16
"""Most findings that are described for one buffer in one arm; the rest say nothing new."""
_KINDS = {AccessKind.READ: 0, AccessKind.WRITE: 1, AccessKind.UPDATE: 2}


class RaceError(VyreError):
    """Invocations of one arm touch one element in no order, and one of them writes."""


class UndefinedReadError(VyreError):
    """An undefined element is read."""


@dataclass(frozen=True)
class Race:
    """Two invocations of one arm that touch one element in no order, one of them writing."""

    arm: int
    buffer: str
    element: int
    kinds: tuple[AccessKind, AccessKind]
    invocations: tuple[int, int]
    workgroups: tuple[int, int]
    ops: tuple[Operation, ...] = field(default=(), compare=False)
    """The op that each of them runs."""

    def __str__(self) -> str:
        first, second = (
            f"{kind} by invocation {invocation} of workgroup {workgroup}"
            for kind, invocation, workgroup in zip(
                self.kinds, self.invocations, self.workgroups, strict=True
            )
        )
        return f"arm {self.arm}: element {self.element} of '{self.buffer}': {first}, {second}"


@dataclass(frozen=True)
class _Trace:
    """All accesses inside one buffer by one arm, in arrays of one length."""

    elements: Array
    kinds: Array
    invocations: Array
    workgroups: Array
    phases: Array
    values: Array
    """Numbers that are equal where the same bytes are written."""
    ops: tuple[Operation, ...]
    ran: Array
    """Positions in `ops`."""

    def of(self, rows: Array) -> _Trace:
        return _Trace(
            self.elements[rows],
            self.kinds[rows],
            self.invocations[rows],
            self.workgroups[rows],
            self.phases[rows],
            self.values[rows],
            self.ops,
            self.ran[rows],
        )


class RaceChecker:
    """
    Finds pairs of invocations of one arm that touch an element with at least one write and
    nothing to order them. Barriers order the invocations of one workgroup. Two atomics do not
    race, nor do two that write the same value.
    """

    def __init__(self) -> None:
        self.races: list[Race] = []
        self._arm = 0
        self._accesses: dict[BufferOp, list[ObservedAccess]] = {}

    def begin_arm(self, arm: int, op: Operation) -> None:
        """Judge the arm before, and begin the next."""
        del op
        self.end_run()
        self._arm = arm

    def access(self, access: ObservedAccess) -> None:
        """Remember an access. Those to private buffers cannot race."""
        if access.buffer.type.space != MemorySpace.PRIVATE:
            self._accesses.setdefault(access.buffer, []).append(access)

    def end_run(self) -> None:
        """Judge the last arm."""
        for buffer, accesses in self._accesses.items():
            races = _races(self._arm, buffer, _trace(accesses))
            self.races.extend(islice(races, REPORTED_PER_BUFFER))
        self._accesses = {}

    def verify(self) -> None:
        """Raise RaceError if a race was found."""
        if self.races:
            raise RaceError(str(self.races[0]))


def _trace(accesses: list[ObservedAccess]) -> _Trace:
    trace = _Trace(
        np.concatenate([access.elements for access in accesses]),
        np.concatenate([_kinds(access) for access in accesses]),
        np.concatenate([access.invocations for access in accesses]),
        np.concatenate([access.workgroups for access in accesses]),
        np.concatenate([access.phases for access in accesses]),
        _value_numbers(accesses),
        tuple(access.op for access in accesses),
        np.repeat(np.arange(len(accesses)), [len(access.elements) for access in accesses]),
    )
    return trace.of(np.concatenate([access.in_bounds for access in accesses]))


def _kinds(access: ObservedAccess) -> Array:
    return np.full(len(access.elements), _KINDS[access.kind])


def _value_numbers(accesses: list[ObservedAccess]) -> Array:
    width = next((a.values.shape[1] for a in accesses if a.values is not None), 1)
    rows = [
        np.zeros((len(a.elements), width), np.uint8) if a.values is None else a.values
        for a in accesses
    ]
    return np.unique(np.concatenate(rows), axis=0, return_inverse=True)[1].ravel()


def _races(arm: int, buffer: BufferOp, trace: _Trace) -> Iterator[Race]:
    """Races between workgroups, in shared memory, then those within one."""
    name = buffer.sym_name.data
    if buffer.type.space == MemorySpace.GLOBAL:
        for rows in _conflicts((trace.elements,), trace.workgroups, trace):
            yield _witness(arm, name, trace.of(rows), trace.workgroups[rows])
    ordered = (trace.elements, trace.workgroups, trace.phases)
    for rows in _conflicts(ordered, trace.invocations, trace):
        yield _witness(arm, name, trace.of(rows), trace.invocations[rows])


def _conflicts(keys: tuple[Array, ...], actors: Array, trace: _Trace) -> Iterator[Array]:
    """
    The rows of each set of accesses, equal in all `keys`, in which two actors are in conflict.

    Two accesses of two kinds by different actors exist exactly when both kinds do and their
    accesses together have more than one actor; likewise for two writes of different values.
    """
    order = np.lexsort(keys)
    if not len(order):
        return
    changes = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    firsts = np.concatenate(([0], np.flatnonzero(changes) + 1))
    kinds, actors, values = trace.kinds[order], actors[order], trace.values[order]
    reads, writes, atomics = (kinds == number for number in range(3))
    conflict = _two(values, writes, firsts) & _two(actors, writes, firsts)
    for kind, other in ((writes, reads), (writes, atomics), (atomics, reads)):
        both = np.logical_or.reduceat(kind, firsts) & np.logical_or.reduceat(other, firsts)
        conflict |= both & _two(actors, kind | other, firsts)
    bounds = np.append(firsts, len(order))
    for position in np.flatnonzero(conflict):
        yield np.sort(order[bounds[position] : bounds[position + 1]])


def _two(numbers: Array, chosen: Array, firsts: Array) -> Array:
    """Whether the numbers that are `chosen`, in each set, are more than one."""
    smallest = np.minimum.reduceat(np.where(chosen, numbers, np.iinfo(np.int64).max), firsts)
    largest = np.maximum.reduceat(np.where(chosen, numbers, np.iinfo(np.int64).min), firsts)
    return smallest < largest


def _witness(arm: int, name: str, trace: _Trace, actors: Array) -> Race:
    """The first two accesses of a set that are in conflict."""
    kinds = list(_KINDS)
    rows = range(len(actors))
    first, second = next(
        (i, j) for j in rows for i in range(j) if actors[i] != actors[j] and _clash(trace, i, j)
    )
    return Race(
        arm,
        name,
        int(trace.elements[first]),
        (kinds[int(trace.kinds[first])], kinds[int(trace.kinds[second])]),
        (int(trace.invocations[first]), int(trace.invocations[second])),
        (int(trace.workgroups[first]), int(trace.workgroups[second])),
        (trace.ops[int(trace.ran[first])], trace.ops[int(trace.ran[second])]),
    )


def _clash(trace: _Trace, first: int, second: int) -> bool:
    kinds = {int(trace.kinds[first]), int(trace.kinds[second])}
    if len(kinds) == 2:
        return True
    return kinds == {_KINDS[AccessKind.WRITE]} and trace.values[first] != trace.values[second]


@dataclass(frozen=True)
class UndefinedRead:
    """A read of an undefined element."""

    arm: int
    buffer: str
    element: int
    invocation: int
    workgroup: int
    op: Operation | None = field(default=None, compare=False)
    """What reads it."""

    def __str__(self) -> str:
        return (
            f"arm {self.arm}: element {self.element} of '{self.buffer}' is read by invocation "
            f"{self.invocation} of workgroup {self.workgroup} before anybody has written it"
        )


class UndefinedReadChecker:
    """
    Finds reads, and atomic updates, of undefined elements, in buffers that
    start undefined: those of a workgroup or an invocation, and global ones that say so.
    """

    def __init__(self) -> None:
        self.reads: list[UndefinedRead] = []
        self._written: dict[BufferOp, Array] = {}

    def begin_arm(self, arm: int, op: Operation) -> None:
        """Forget what workgroups and invocations of the arm before have written."""
        del arm, op
        self._written = {
            buffer: written
            for buffer, written in self._written.items()
            if buffer.type.space == MemorySpace.GLOBAL
        }

    def access(self, access: ObservedAccess) -> None:
        """Check a read against the writes so far, or remember a write."""
        if access.buffer.initial_contents != Initial.UNDEFINED:
            return
        places = _places(access)[access.in_bounds]
        written = self._written_places(access.buffer, int(places.max(initial=-1)) + 1)
        if access.kind == AccessKind.WRITE:
            written[places] = True
            return
        missing = np.flatnonzero(~written[places])[:REPORTED_PER_BUFFER]
        rows = np.flatnonzero(access.in_bounds)[missing]
        self.reads.extend(_undefined_read(access, row) for row in rows)

    def _written_places(self, buffer: BufferOp, size: int) -> Array:
        """Whether each place of a buffer, at least `size` of them, has been written."""
        known = self._written.get(buffer, np.zeros(0, np.bool_))
        if len(known) < size:
            known = np.concatenate((known, np.zeros(max(size, len(known)), np.bool_)))
        self._written[buffer] = known
        return known

    def end_run(self) -> None:
        """Nothing is left to be judged."""

    def verify(self) -> None:
        """Raise UndefinedReadError if an undefined element was read."""
        if self.reads:
            raise UndefinedReadError(str(self.reads[0]))


def _places(access: ObservedAccess) -> Array:
    """Numbers that are equal for accesses to one element of one instance of the buffer."""
    space = access.buffer.type.space
    if space == MemorySpace.GLOBAL:
        return access.elements
    owners = access.workgroups if space == MemorySpace.WORKGROUP else access.invocations
    count = access.buffer.type.static_count
    assert count is not None
    return owners * count + access.elements


def _undefined_read(access: ObservedAccess, row: int) -> UndefinedRead:
    return UndefinedRead(
        access.arm,
        access.name,
        int(access.elements[row]),
        int(access.invocations[row]),
        int(access.workgroups[row]),
        access.op,
    )


@dataclass(frozen=True)
class AccessOutside:
    """What an op does outside a buffer, where a load is 0 and a store is dropped."""

    op: Operation
    kind: AccessKind
    buffer: str
    element: int
    invocation: int
    """The first element outside of it, and who accesses it."""

    def __str__(self) -> str:
        return (
            f"{self.kind} of element {self.element} outside of '{self.buffer}' by invocation "
            f"{self.invocation}"
        )


class BoundsChecker:
    """Finds ops that access elements outside of a buffer: the first such access of each."""

    def __init__(self) -> None:
        self.outside: dict[tuple[Operation, AccessKind], AccessOutside] = {}

    def begin_arm(self, arm: int, op: Operation) -> None:
        """Nothing is left to be judged."""

    def access(self, access: ObservedAccess) -> None:
        """Remember the first access of an op outside of its buffer."""
        rows = np.flatnonzero(~access.in_bounds)
        if not len(rows) or (access.op, access.kind) in self.outside:
            return
        self.outside[access.op, access.kind] = AccessOutside(
            access.op,
            access.kind,
            access.name,
            int(access.elements[rows[0]]),
            int(access.invocations[rows[0]]),
        )

    def end_run(self) -> None:
        """Nothing is left to be judged."""
