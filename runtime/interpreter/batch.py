"""Where invocations stand: domains, and the batches of whole workgroups that run at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from vyre_dialect.ir.types import Axis, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Context, Derived, Frame, Key
from vyre_dialect.runtime.interpreter.observer import Observer
from vyre_dialect.runtime.interpreter.storage import Storage

INVOCATION, WORKGROUP, LOCAL = "invocation id", "workgroup id", "local id"
BASE = "base"
"""Address of the instance of a buffer that an invocation has."""
POSITION = Derived("position")
"""Position of the invocation in the batch."""
GROUP = Derived("group")
"""Position of the workgroup in the batch."""
LOCAL_POSITION = Derived("local position")
"""Position of the invocation in its workgroup."""
LINEAR_INVOCATION = Derived("linear invocation")
LINEAR_WORKGROUP = Derived("linear workgroup")
OBSERVED = (GROUP, LINEAR_INVOCATION, LINEAR_WORKGROUP)
_AXES = {Axis.X: 0, Axis.Y: 1, Axis.Z: 2}


@dataclass(frozen=True)
class Domain:
    """
    The invocations of an arm. Those of a cooperative one come workgroup by workgroup, those
    of a data-parallel one in the order of the domain, `x` fastest.
    """

    extents: tuple[int, int, int]
    workgroup: tuple[int, int, int]
    cooperative: bool

    @property
    def invocations(self) -> int:
        """Invocations in all."""
        return prod(self.extents)

    @property
    def group_size(self) -> int:
        """Invocations in a workgroup."""
        return prod(self.workgroup)

    @cached_property
    def grid(self) -> tuple[int, int, int]:
        """Number of workgroups along each axis."""
        x, y, z = (-(-e // s) for e, s in zip(self.extents, self.workgroup, strict=True))
        return x, y, z

    def batches(self, invocations: int) -> Iterator[range]:
        """Ranges of about `invocations`, each of them whole workgroups but the last."""
        size = max(1, invocations // self.group_size) * self.group_size
        for first in range(0, self.invocations, size):
            yield range(first, min(first + size, self.invocations))


def linear(ids: Sequence[Array], extents: Sequence[int]) -> Array:
    """Linear positions of ids along each axis, `x` fastest."""
    x, y, z = ids
    return x + extents[0] * (y + extents[1] * z)


def _split(positions: Array, extents: Sequence[int]) -> list[Array]:
    """Ids along each axis of linear positions; one for all along an axis of length 1."""
    ids = list[Array]()
    remaining = prod(extents)
    for extent in extents:
        remaining //= max(extent, 1)
        if extent == 1:
            ids.append(np.zeros(1, dtype=np.int64))
        elif remaining == 1:
            ids.append(positions)
        else:
            ids.append(positions % extent)
            positions = positions // extent
    return ids


@dataclass(frozen=True)
class Instances:
    """A buffer with an instance of `count` elements in each workgroup or invocation."""

    unit: Derived
    """The position of what an instance belongs to."""
    count: int


class Batch(Context):
    """Whole workgroups that run at once, and what their invocations know of their place."""

    def __init__(
        self,
        domain: Domain,
        span: range,
        buffers: Mapping[Key, Storage],
        declarations: dict[Key, BufferOp],
        *,
        arm: int,
        observer: Observer | None,
    ):
        super().__init__(buffers, declarations, observer)
        self.domain = domain
        self.span = span
        self.size = len(span)
        self.arm = arm
        self.group_count = -(-self.size // domain.group_size)
        """Workgroups in the batch."""
        self.phases = {space: np.zeros(self.group_count, dtype=np.int64) for space in MemorySpace}
        """Number of barriers that each workgroup has passed, by the memory that they order."""

    def frame(self, parent: Frame | None, needs: set[Derived]) -> Frame:
        """The frame of all invocations of the batch, which sees the values of `parent`."""
        frame = Frame(self, self.size, parent)
        observed = () if self.observer is None else OBSERVED
        frame.values.update((derived, self.derive(derived)) for derived in (*needs, *observed))
        return frame

    def derive(self, derived: Derived) -> Array:
        """The value of `derived` in each invocation."""
        what, of = derived
        if what == BASE:
            assert isinstance(of, Instances)
            return self.derive(of.unit) * of.count
        if isinstance(of, Axis):
            ids = {INVOCATION: self._invocation_ids, WORKGROUP: self._workgroup_ids}
            return ids.get(what, self._local_ids)[_AXES[of]]
        return self._positions(derived)

    def _positions(self, derived: Derived) -> Array:
        if derived == POSITION:
            return np.arange(self.size)
        if derived == GROUP:
            return np.arange(self.size) // self.domain.group_size
        if derived == LOCAL_POSITION:
            return np.broadcast_to(linear(self._local_ids, self.domain.workgroup), self.size)
        if derived == LINEAR_INVOCATION:
            return linear(self._invocation_ids, self.domain.extents)
        assert derived == LINEAR_WORKGROUP
        return linear(self._workgroup_ids, self.domain.grid)

    @cached_property
    def _linear(self) -> Array:
        return np.arange(self.span.start, self.span.stop)

    @cached_property
    def _workgroup_ids(self) -> list[Array]:
        if self.domain.cooperative:
            return _split(self._linear // self.domain.group_size, self.domain.grid)
        sizes = self.domain.workgroup
        return [i // size for i, size in zip(self._invocation_ids, sizes, strict=True)]

    @cached_property
    def _local_ids(self) -> list[Array]:
        if self.domain.cooperative:
            return _split(self._linear % self.domain.group_size, self.domain.workgroup)
        sizes = self.domain.workgroup
        return [i % size for i, size in zip(self._invocation_ids, sizes, strict=True)]

    @cached_property
    def _invocation_ids(self) -> list[Array]:
        if not self.domain.cooperative:
            return _split(self._linear, self.domain.extents)
        places = zip(self._workgroup_ids, self._local_ids, self.domain.workgroup, strict=True)
        return [group * size + local for group, local, size in places]


def verify_whole_workgroups(generator: str, invocations: int, size: int) -> None:
    """Raise VyreError if a cooperative arm gets a part of a workgroup; below zero it gets none."""
    if max(0, invocations) % size:
        raise VyreError(
            f'arm "{generator}" is cooperative and expected whole workgroups of {size} '
            f"invocations, got {invocations} invocations"
        )
