"""What printing gives: the text of a module's kernels, and what whoever runs it must know."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.lowering.opencl.types import CType


class ArgumentKind(StrEnum):
    """What is passed to a kernel."""

    BUFFER = "buffer"
    """A pointer to the elements of a global buffer."""
    LENGTH = "length"
    """The number of elements of the buffer in front."""
    SIZE = "size"
    """A number that the host has computed."""


@dataclass(frozen=True)
class PrintedArgument:
    """An argument of a kernel, in the order of the arguments of the `vyre.kernel`."""

    name: str
    kind: ArgumentKind
    type: CType
    """Of the argument; of a buffer, what it points to."""
    element: Attribute | None = None
    """The type of a buffer's elements."""
    accesses: frozenset[AccessKind] = frozenset()
    """Whether the kernel reads and writes a buffer."""
    traps: tuple[str, ...] = ()
    """The messages of the traps that report into a buffer, each once."""


@dataclass(frozen=True)
class PrintedKernel:
    """One kernel of the text."""

    name: str
    arguments: tuple[PrintedArgument, ...]
    generator: str
    """Of the arm that it was made from."""
    workgroup: tuple[int, int, int]
    """Invocations of a workgroup along three axes."""
    tile_bytes: int
    """The workgroup memory that it takes."""
    private_bytes: int
    """What the private buffers of an invocation take."""
    structural_hash: str
    """Of the `vyre.kernel`."""


@dataclass(frozen=True)
class PrintedModule:
    """The kernels of a module as OpenCL C."""

    text: str
    extensions: frozenset[str]
    """The extensions of OpenCL that the text enables."""
    kernels: tuple[PrintedKernel, ...]
