"""What a run tells of its accesses to whoever wants to count or check them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from xdsl.ir import Operation

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.interpreter.formats import Array


@dataclass(frozen=True)
class ObservedAccess:
    """
    One op's accesses by the invocations that ran it together, an entry for each element.

    A run of elements has consecutive entries. The arrays have one length.
    """

    arm: int
    """Position of the arm, or launch, among those of the program."""
    op: Operation
    buffer: BufferOp
    kind: AccessKind
    elements: Array
    """Elements of the buffer, also outside of it; int64."""
    in_bounds: Array
    """Whether the element lies in the buffer; bool."""
    invocations: Array
    """
    Linear position of the invocation in the domain, `x` fastest; int64. A copy by a whole
    workgroup counts as by an invocation of its own, -1 less the workgroup.
    """
    workgroups: Array
    """Linear position of the workgroup in the grid, `x` fastest; int64."""
    phases: Array
    """Number of barriers for this memory that the workgroup has passed in this arm; int64."""
    values: Array | None = None
    """Of writes, the bytes written: shape `(entries, bytes of an element)`, uint8."""

    @property
    def name(self) -> str:
        """The name of the buffer."""
        return self.buffer.sym_name.data


class Observer(Protocol):
    """Hears of every access to a buffer by the arms of a run, in the order of execution."""

    def begin_arm(self, arm: int, op: Operation) -> None:
        """The arm or launch at position `arm` starts; all accesses of the one before are done."""
        ...

    def access(self, access: ObservedAccess) -> None:
        """An op was executed by some invocations."""
        ...

    def end_run(self) -> None:
        """The last arm has ended."""
        ...


class Observers:
    """Several observers of one run."""

    def __init__(self, *observers: Observer):
        self._observers = observers

    def begin_arm(self, arm: int, op: Operation) -> None:
        """An arm or launch starts."""
        for observer in self._observers:
            observer.begin_arm(arm, op)

    def access(self, access: ObservedAccess) -> None:
        """An op was executed."""
        for observer in self._observers:
            observer.access(access)

    def end_run(self) -> None:
        """The last arm has ended."""
        for observer in self._observers:
            observer.end_run()
