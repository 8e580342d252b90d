"""What printing says about the kernels besides their text."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import Float64Type, IndexType, ModuleOp, VectorType, f64, i8, i32

from vyre_dialect.builder import program
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import Access
from vyre_dialect.lowering.opencl.printed import ArgumentKind, PrintedArgument
from vyre_dialect.lowering.opencl.target import print_module
from vyre_dialect.lowering.opencl.types import INDEX, UCHAR, CType
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.passes.program.outline_kernels import OutlineKernelsPass
from vyre_dialect.runtime.program.compilation import make_context

BOTH = frozenset({AccessKind.READ, AccessKind.WRITE})


def outlined(module: ModuleOp) -> ModuleOp:
    OutlineKernelsPass().apply(make_context(), module)
    module.verify()
    return module


def test_arguments_are_listed_in_order():
    with program("p") as p:
        first = p.buffer("first", i8, access=Access.READ_ONLY)
        triples = p.buffer("triples", VectorType[Any](i32, [3]), 4, live_out=True)
        shift = first[0].to(IndexType()).named("shift")
        with p.arm("copy", 64) as i:
            triples[i] = triples[i + shift + first.length]
    (kernel,) = print_module(outlined(p.module)).kernels
    assert kernel.name == "p_0_copy"
    assert kernel.arguments == (
        PrintedArgument("first", ArgumentKind.BUFFER, UCHAR, i8),
        PrintedArgument("first_len", ArgumentKind.LENGTH, INDEX),
        PrintedArgument(
            "triples", ArgumentKind.BUFFER, CType("uint"), VectorType[Any](i32, [3]), BOTH
        ),
        PrintedArgument("shift", ArgumentKind.SIZE, INDEX),
    )


def test_extensions_are_those_that_the_text_enables():
    with program("p") as p:
        values = p.buffer("values", f64, 64, live_out=True)
        with p.arm("double", 64) as i:
            values[i] = values[i] + values[i]
    printed = print_module(outlined(p.module))
    assert printed.extensions == {"cl_khr_fp64"}
    (kernel,) = printed.kernels
    assert kernel.arguments == (
        PrintedArgument("values", ArgumentKind.BUFFER, CType("double"), Float64Type(), BOTH),
    )
    with program("q") as q:
        q.buffer("unused", f64, 64, live_out=True)
    assert print_module(outlined(q.module)).extensions == frozenset()


def test_no_kernel_asks_for_a_length():
    with program("p") as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        table = p.buffer("table", i8, 16, access=Access.READ_ONLY)
        out = p.buffer("out", i8, source.length, live_out=True)
        with p.arm("copy", source.length) as i:
            out[i] = source[source.length - 1 - i] + table[i % table.length]
    module = outlined(p.module)
    (printed,) = print_module(module).kernels
    assert [argument.name for argument in printed.arguments] == [
        "source",
        "source_len",
        "table",
        "out",
        "out_len",
    ]
    lengths = [op for op in module.walk() if isinstance(op, BufLenOp)]
    assert lengths
    assert all(op.parent_op() is p.op for op in lengths)
