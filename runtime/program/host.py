"""
What stands in a program outside its arms: the host computes sizes and counts with it. The
runtime of every device evaluates it here, so that host code means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import BufferOp, RegionOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Compiler, Context, Frame, Key
from vyre_dialect.runtime.interpreter.storage import Run, Storage
from vyre_dialect.runtime.interpreter.tables import ACTIONS, COMPUTATIONS
from vyre_dialect.types import element_bytes, three_axes

Length: TypeAlias = Callable[[BufferOp], int]
"""The element count of a buffer, which the host knows when it has declared the buffer."""
ReadElements: TypeAlias = Callable[[BufferOp, int, int], NDArray[np.uint8]]
"""The bytes of a number of elements of a buffer from a first one on; all lie inside it."""


class HostBuffer(Storage):
    """A buffer wherever it lives, of which the host reads an element now and then."""

    def __init__(self, op: BufferOp, count: int, read: ReadElements):
        super().__init__(np.empty(0, np.uint8), count, element_bytes(op.type.element_type) or 0)
        self._op = op
        self._read_elements = read

    def load(self, run: Run, index: Array, base: Array | None) -> Array:
        """The run from the element `index` on; 0 outside the buffer."""
        window = np.zeros(run.size, np.uint8)
        begin = int(index.item())
        first, last = max(begin, 0), min(begin + run.elements, self.count)
        if first < last:
            offset = (first - begin) * self.element_size
            bytes = self._read_elements(self._op, first, last - first)
            window[offset : offset + len(bytes)] = bytes
        return run.values(window.view(run.raw))


class HostEvaluator:
    """
    Runs the host's ops of one program, in order, on scalars.

    Call `evaluate` for each op of the program's body that is not an arm or a launch, buffer
    declarations included; then `value` and `sizes` give what they computed.
    """

    def __init__(self, *, length: Length, read: ReadElements):
        self._length = length
        self._read = read
        self._compiler = Compiler(COMPUTATIONS, ACTIONS)
        self._buffers: dict[Key, Storage] = {}
        self._frame = Frame(Context(self._buffers), 1)

    def evaluate(self, op: Operation) -> None:
        """Run one op. Of a buffer the length is asked, which is to be known by now."""
        if isinstance(op, RegionOp | LaunchOp):
            raise TypeError(f"'{op.name}' does not run on the host")
        if isinstance(op, BufferOp):
            buffer = HostBuffer(op, self._length(op), self._read)
            self._buffers[self._compiler.key(op.buffer)] = buffer
            return
        with np.errstate(all="ignore"):
            self._compiler.step(op)(self._frame)

    def value(self, value: SSAValue | int) -> int:
        """An index or integer that the host computed; an integer counts as unsigned."""
        if isinstance(value, int):
            return value
        return int(self._frame.get(self._compiler.key(value)).item())

    def sizes(self, counts: Sequence[SSAValue | int]) -> tuple[int, int, int]:
        """An invocation domain or a grid, padded to three axes. Raises VyreError below zero."""
        sizes = three_axes([self.value(count) for count in counts])
        if min(sizes) < 0:
            raise VyreError(f"expected no negative invocation or workgroup count, got {min(sizes)}")
        return sizes
