"""Buffers as bytes, and the reading and writing of runs of their elements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute

from vyre_dialect.ir.types import BufferType, accessed_elements, element_bytes
from vyre_dialect.runtime.interpreter.formats import (
    Array,
    UnsupportedError,
    dtype_of,
    lanes_of,
    spread,
)

GARBAGE = 0xCD
"""Every byte of memory that was never written."""
POISON = 0xA5
"""What overwrites a buffer that must not be read any more, where that is asked for."""


@dataclass(frozen=True)
class Run:
    """How values of one type lie in `elements` consecutive elements of a buffer."""

    type: Attribute
    elements: int
    size: int
    """Bytes of the run."""

    @staticmethod
    def of(buffer: BufferType, type: Attribute) -> Run:
        """How values of `type` lie in `buffer`. Raises UnsupportedError."""
        elements, size = accessed_elements(buffer, type), element_bytes(type)
        if elements is None or size is None:
            raise UnsupportedError(
                f"the interpreter expected a type that covers whole elements of "
                f"{buffer.element_type}, got {type}"
            )
        return Run(type, elements, size)

    @cached_property
    def raw(self) -> np.dtype[Any]:
        """The run as one opaque item."""
        return np.dtype(f"V{self.size}")

    @cached_property
    def _dtype(self) -> np.dtype[Any]:
        return dtype_of(self.type)

    @cached_property
    def _lanes(self) -> tuple[int, ...]:
        return lanes_of(self.type)

    def values(self, raw: Array) -> Array:
        """The values that the opaque items `raw`, one for each invocation, stand for."""
        if self._dtype == np.bool_:
            return raw.view(np.uint8).reshape(len(raw), *self._lanes) != 0
        return raw.view(self._dtype).reshape(len(raw), *self._lanes)

    def pack(self, values: Array) -> Array:
        """The opaque items, one for each invocation, of `values`."""
        values = np.ascontiguousarray(values)
        count = len(values)
        return values.reshape(count, -1).view(self.raw).reshape(count)


@dataclass(frozen=True)
class Span:
    """The elements that the runs of some invocations cover: shape `(invocations, elements)`."""

    positions: Array
    """Positions in the buffer, or in the instance that the invocation has of it."""
    inside: Array
    addresses: Array
    """Positions in the storage; 0 for those outside."""


class Storage:
    """
    The bytes of a buffer: one instance for all, or one for each workgroup or invocation.

    An access names an element of an instance, and `base`, the address of the instance's
    element 0; None stands for 0.
    """

    def __init__(self, data: NDArray[np.uint8], count: int, element_size: int):
        self.bytes = data
        self.count = count
        """Elements of one instance."""
        self.element_size = element_size
        self._views: dict[int, tuple[Array, Array]] = {}

    @staticmethod
    def garbage(type: BufferType, instances: int) -> Storage:
        """Instances of a buffer with a static count that was never written."""
        count, size = type.static_count, element_bytes(type.element_type)
        assert count is not None
        if size is None:
            raise UnsupportedError(f"the interpreter does not support elements of {type}")
        return Storage(np.full(instances * count * size, GARBAGE, np.uint8), count, size)

    def load(self, run: Run, index: Array, base: Array | None) -> Array:
        """The runs from the elements `index` on; 0 outside the buffer."""
        if self.holds(run, index):
            return self.read(run, index if base is None else index + base)
        span = self.span(run, index, base)
        if not self.count:
            return run.values(np.zeros(len(span.positions), run.raw))
        elements = self._items(run).take(span.addresses)
        elements[~span.inside] = np.zeros((), elements.dtype)
        return run.values(elements.view(run.raw).reshape(len(elements)))

    def store(self, run: Run, values: Array, index: Array, base: Array | None) -> None:
        """Write the runs from the elements `index` on, the last invocation's last."""
        addresses = index if base is None else index + base
        values = values[-1:] if len(addresses) == 1 else spread(values, len(addresses))
        packed = run.pack(values)
        if self.holds(run, index):
            self._write(run, addresses, packed)
            return
        span = self.span(run, index, base)
        if self.count:
            elements = packed.view(self._items(run).dtype).reshape(span.inside.shape)
            self._items(run)[span.addresses[span.inside]] = elements[span.inside]

    def read(self, run: Run, addresses: Array) -> Array:
        """The runs at addresses that all exist, in an array of their own."""
        return run.values(self._read(run, addresses))

    def write(self, run: Run, addresses: Array, values: Array) -> None:
        """Write the runs at addresses that all exist, the last invocation's last."""
        self._write(run, addresses, run.pack(values))

    def holds(self, run: Run, index: Array) -> bool:
        """Whether every run lies inside the buffer."""
        limit = self.count - run.elements
        return limit >= 0 and bool(index.view(np.uint64).max() <= limit)

    def span(self, run: Run, index: Array, base: Array | None) -> Span:
        """Which elements the runs cover, and which of these exist."""
        positions = index[:, np.newaxis] + np.arange(run.elements)
        if base is not None:
            positions = np.broadcast_to(positions, (len(base), run.elements))
        inside = (positions >= 0) & (positions < self.count)
        addresses = positions if base is None else positions + base[:, np.newaxis]
        return Span(positions, inside, np.where(inside, addresses, 0))

    def elements(self, dtype: Any) -> Array:
        """All elements of all instances as numbers of `dtype`, which has their size."""
        return self.bytes.view(dtype)

    def _items(self, run: Run) -> Array:
        return self.bytes.view(f"V{run.size // run.elements}")

    def _read(self, run: Run, addresses: Array) -> Array:
        consecutive, overlapping = self._runs(run)
        if run.elements == 1:
            return consecutive.take(addresses)
        if _all_multiples(addresses, run.elements):
            return consecutive.take(addresses // run.elements)
        return overlapping[addresses]

    def _write(self, run: Run, addresses: Array, packed: Array) -> None:
        consecutive, overlapping = self._runs(run)
        if run.elements == 1:
            consecutive[addresses] = packed
        elif _all_multiples(addresses, run.elements):
            consecutive[addresses // run.elements] = packed
        else:
            overlapping[addresses] = packed

    def _runs(self, run: Run) -> tuple[Array, Array]:
        """The runs at multiples of their length, and those at every element."""
        if (views := self._views.get(run.size)) is None:
            whole = len(self.bytes) // run.size
            consecutive = self.bytes[: whole * run.size].view(run.raw)
            starts = (len(self.bytes) - run.size) // self.element_size + 1
            overlapping = np.ndarray(
                (max(starts, 0),), run.raw, buffer=self.bytes.data, strides=(self.element_size,)
            )
            views = self._views[run.size] = consecutive, overlapping
        return views


def _all_multiples(addresses: Array, length: int) -> bool:
    if length & (length - 1):
        return not (addresses % length).any()
    return not int(np.bitwise_or.reduce(addresses)) & (length - 1)
