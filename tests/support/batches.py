"""Many small programs as one, so that a device builds and runs them at one go."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp, StringAttr

from vyre_dialect.ir.types import sizes_attr
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.programs import find_program


def batched(modules: Mapping[str, ModuleOp]) -> ModuleOp:
    """
    A program that does what all those of `modules` do; the names of their buffers get the key
    of the module in front, and arms keep the workgroup size that their program gives them.
    """
    batch = ProgramOp("batch")
    for key, module in modules.items():
        for op in list(find_program(module.clone()).body.block.ops):
            if isinstance(op, RegionOp):
                op.workgroup_size = sizes_attr(op.workgroup)
            op.detach()
            if isinstance(op, BufferOp):
                op.sym_name = StringAttr(prefixed(key, op.sym_name.data))
            batch.body.block.add_op(op)
    return ModuleOp([batch])


def prefixed(key: str, name: str) -> str:
    """The name of a buffer in the batch."""
    return f"{key}_{name}"


def batched_inputs(inputs: Mapping[str, Mapping[str, Array]]) -> dict[str, Array]:
    """The inputs of a batch, from those of its modules by key."""
    return {
        prefixed(key, name): array for key, each in inputs.items() for name, array in each.items()
    }
