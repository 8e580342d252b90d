"""`vyre-opencl`: prints the kernels of a module as OpenCL C."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import MemoryEffectKind
from xdsl.utils.target import Target

from vyre_dialect.ir.effects import effects_of
from vyre_dialect.ir.interfaces import HasExpansionInterface, HasInvocationsInterface
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.printed import PrintedKernel, PrintedModule
from vyre_dialect.lowering.opencl.printer import no_form, print_kernel
from vyre_dialect.lowering.opencl.scope import Options
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp, KernelOp, LaunchOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.schedule import ScheduleOp


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
    for op in _ops_to_print(module):
        if not isinstance(op, KernelOp):
            raise no_form(op)
        text, kernel = print_kernel(op, helpers, options or Options())
        texts.append(text)
        kernels.append(kernel)
    paragraphs = [*helpers.prologue(), *texts]
    text = "\n\n".join(paragraphs) + "\n" if paragraphs else ""
    return PrintedModule(text, helpers.extensions, tuple(kernels))


def _ops_to_print(module: ModuleOp) -> Iterator[Operation]:
    """Kernels, and whatever else is to run on a device but has not become one."""
    for op in module.body.block.ops:
        if isinstance(op, ModuleOp):
            yield from _ops_to_print(op)
        elif isinstance(op, ProgramOp):
            yield from (child for child in op.body.block.ops if not _is_of_the_host(child))
        elif not isinstance(op, ScheduleOp):
            yield op


def _is_of_the_host(op: Operation) -> bool:
    """Whether `op` is a part of the host plan: a declaration, a launch, or code without effects."""
    if isinstance(op, BufferOp | LaunchOp | CheckWholeWorkgroupsOp):
        return True
    if isinstance(op, HasExpansionInterface | HasInvocationsInterface):
        return False
    effects = effects_of(op)
    return effects is not None and all(e.kind == MemoryEffectKind.READ for e in effects)
