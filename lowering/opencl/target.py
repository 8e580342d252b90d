"""`vyre-opencl`: prints the kernels of a module as OpenCL C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from vyre_dialect.lowering.kernels import kernels_of
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.printed import PrintedKernel, PrintedModule
from vyre_dialect.lowering.opencl.printer import no_form, print_kernel
from vyre_dialect.lowering.opencl.scope import Options


@dataclass(frozen=True)
class OpenCLTarget(Target):
    """
    Prints each `vyre.kernel` of a module as a kernel of OpenCL C 1.2.

    Raises DiagnosticException for an op without a form, naming the pass that should have run.
    """

    name = "vyre-opencl"

    int64_atomics: bool = False
    """Use the extensions for 64-bit atomics, which not every device has."""

    expand_ssa: bool = False
    """Give every value a variable of its own instead of printing it where it is used."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        options = Options(int64_atomics=self.int64_atomics, expand_ssa=self.expand_ssa)
        output.write(print_module(module, options).text)


def print_module(module: ModuleOp, options: Options | None = None) -> PrintedModule:
    """All kernels of a module as OpenCL C, helper functions first."""
    helpers = Helpers()
    texts = list[str]()
    kernels = list[PrintedKernel]()
    for op in kernels_of(module, no_form):
        text, kernel = print_kernel(op, helpers, options or Options())
        texts.append(text)
        kernels.append(kernel)
    paragraphs = [*helpers.prologue(), *texts]
    text = "\n\n".join(paragraphs) + "\n" if paragraphs else ""
    return PrintedModule(text, helpers.extensions, tuple(kernels))
