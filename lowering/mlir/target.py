"""`vyre-gpu-mlir`: prints the kernels of a module in MLIR's own dialects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument
from xdsl.utils.target import Target

from vyre_dialect.ir.types import BufferType
from vyre_dialect.lowering.kernels import kernels_of
from vyre_dialect.lowering.mlir.accesses import arena_type
from vyre_dialect.lowering.mlir.storage import memref_of, storage_of
from vyre_dialect.lowering.mlir.writer import Writer, no_form
from vyre_dialect.ops.kernel import KernelOp, measured_buffer


@dataclass(frozen=True)
class GPUTarget(Target):
    """
    Prints each `vyre.kernel` of a module as a `gpu.func`, for `mlir-opt`.

    A buffer is a memref of one axis, behind which stands its length where it is sized at run
    time. Raises DiagnosticException for an op without a form, naming it.
    """

    name = "vyre-gpu-mlir"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_module(module))


def print_module(module: ModuleOp) -> str:
    """All kernels of a module, in one `gpu.module`."""
    functions = [print_kernel(kernel) for kernel in kernels_of(module, no_form)]
    body = "\n".join(functions)
    return (
        "module attributes {gpu.container_module} {\n"
        f"  gpu.module @kernels {{\n{body}\n  }}\n"
        "}\n"
    )


def print_kernel(kernel: KernelOp) -> str:
    """A kernel as a `gpu.func`."""
    writer = Writer(kernel)
    arguments = [_argument(writer, each) for each in kernel.body.block.args]
    if kernel.arena_bytes is not None:
        writer.arena = writer.fresh("arena")
        writer.workgroup.append(f"{writer.arena} : {arena_type(writer)}")
    writer.block(kernel.body.block)
    writer.line("gpu.return")
    size = ", ".join(map(str, kernel.workgroup))
    attributions = _attributions("workgroup", writer.workgroup)
    attributions += _attributions("private", writer.private)
    head = f"    gpu.func @{kernel.sym_name.data}({', '.join(arguments)}){attributions} kernel"
    head += f" attributes {{known_block_size = array<i32: {size}>}} {{"
    return "\n".join((head, *writer.lines, "    }"))


def _attributions(space: str, memory: list[str]) -> str:
    return f" {space}({', '.join(memory)})" if memory else ""


def _argument(writer: Writer, argument: BlockArgument) -> str:
    """An argument with its type. A length stands behind the buffer whose length it is."""
    name = writer.fresh(argument.name_hint or "argument")
    writer.bind(argument, name)
    if isinstance(argument.type, BufferType):
        writer.store_in(argument, storage_of(argument.type, name, None))
        return f"{name}: {memref_of(argument.type)}"
    if (buffer := measured_buffer(argument)) is not None:
        assert isinstance(buffer.type, BufferType)
        writer.store_in(buffer, storage_of(buffer.type, writer.value(buffer), name))
    return f"{name}: index"
