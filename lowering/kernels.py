"""The kernels of a module, which every lowering writes, and what stands beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import MemoryEffectKind
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.effects import effects_of
from vyre_dialect.ir.interfaces import HasExpansionInterface, HasInvocationsInterface
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp, KernelOp, LaunchOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.schedule import ScheduleOp


def kernels_of(
    module: ModuleOp, no_form: Callable[[Operation], DiagnosticException]
) -> Iterator[KernelOp]:
    """
    The kernels of a module, in order. Raises what `no_form` makes of whatever else is to run on a
    device but has not become a kernel.
    """
    for op in _ops_of_devices(module):
        if not isinstance(op, KernelOp):
            raise no_form(op)
        yield op


def _ops_of_devices(module: ModuleOp) -> Iterator[Operation]:
    for op in module.body.block.ops:
        if isinstance(op, ModuleOp):
            yield from _ops_of_devices(op)
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
