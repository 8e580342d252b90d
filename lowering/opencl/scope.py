"""What expressions and statements may ask of the kernel that they stand in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from xdsl.ir import Block, SSAValue

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.lowering.opencl.expressions import Expression
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.names import Names
from vyre_dialect.lowering.opencl.types import CType
from vyre_dialect.ops.kernel import KernelOp


@dataclass(frozen=True)
class Options:
    """How kernels are printed; see the target."""

    int64_atomics: bool = False
    expand_ssa: bool = False


@dataclass(frozen=True)
class Buffer:
    """How a kernel knows a buffer."""

    name: str
    element: CType
    """Of a buffer of vectors of three lanes, which C cannot pack: the type of one lane."""
    lanes: int
    """Consecutive objects of type `element` that make up one element of the buffer."""
    length: Expression
    space: MemorySpace

    @property
    def qualifier(self) -> str:
        """The memory space, as OpenCL C says it."""
        return {"global": "__global", "workgroup": "__local"}.get(self.space, "__private")

    @property
    def suffix(self) -> str:
        """What ends the names of functions for this memory space."""
        return {"global": "", "workgroup": "_local"}.get(self.space, "_private")


class Scope(Protocol):
    """The values that are known where an expression is printed."""

    helpers: Helpers

    def value(self, value: SSAValue) -> Expression:
        """The expression that stands for a value."""
        ...

    def type_of(self, value: SSAValue) -> CType:
        """The C type of a value."""
        ...

    def buffer(self, value: SSAValue) -> Buffer:
        """How the kernel knows a buffer."""
        ...

    def simple(self, value: SSAValue) -> Expression:
        """A variable or constant that stands for a value, so that it can be written twice."""
        ...


class StatementScope(Scope, Protocol):
    """What a statement may do besides: print lines and name values."""

    kernel: KernelOp
    options: Options
    names: Names
    lines: list[str]
    """What is printed so far."""
    depth: int
    """How many levels the next line is indented by."""
    exchanges: dict[CType, str]
    linear_id: Expression

    def line(self, text: str) -> None:
        """Print one line at the current depth."""
        ...

    def indented(self) -> AbstractContextManager[None]:
        """Print what follows one level deeper."""
        ...

    def captured(self) -> AbstractContextManager[list[str]]:
        """Collect the lines that are printed instead of printing them."""
        ...

    def bind(self, value: SSAValue, expression: Expression) -> None:
        """Let `expression` stand for `value`."""
        ...

    def declare(self, value: SSAValue, expression: Expression, role: str = "") -> Expression:
        """Print a variable that holds `expression`, named after `value`."""
        ...

    def block(self, block: Block) -> None:
        """Print the ops of a block, without its terminator."""
        ...


Emit: TypeAlias = Callable[[Scope, Any], Expression]
"""The form of an op with one result that is an expression: the expression that stands for it."""

Print: TypeAlias = Callable[[StatementScope, Any], None]
"""The form of any other op: prints statements, and binds each result to an expression."""
