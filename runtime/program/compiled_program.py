"""What a program has become once it is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from vyre_dialect.lowering.opencl.printed import PrintedKernel, PrintedModule
from vyre_dialect.ops.program import ProgramOp


@dataclass(frozen=True)
class CompiledProgram:
    """
    A program whose arms are kernels, and the text of these.

    That is all it takes to run it: the `vyre.kernel`s stand beside the program where it has just
    been compiled, and do not where it was kept.
    """

    program: ProgramOp
    """The host plan: buffers, sizes, launches."""

    printed: PrintedModule
    """The kernels as OpenCL C, and what is to be known about them."""

    policy: str | None = None
    """The policy that the schedule was made by; None for none, and for a plain list of passes."""

    is_fused: bool = False
    """Whether a pass of the schedule has fused arms."""

    is_kept: bool = False
    """Whether it was compiled before, by another process perhaps."""

    @property
    def source(self) -> str:
        """The text of the kernels."""
        return self.printed.text

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.program.sym_name.data

    @cached_property
    def kernels(self) -> Mapping[str, PrintedKernel]:
        """What is known of the kernels, by name."""
        return {kernel.name: kernel for kernel in self.printed.kernels}
