"""Ops of another package, which say what they do and how they look in OpenCL C."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xdsl.dialects.builtin import IndexType, ModuleOp, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import Pure
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.builder import Buffer, Value, program
from vyre_dialect.ir import meaning
from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
    DependsOn,
    HasAccessesInterface,
    HasExpansionInterface,
)
from vyre_dialect.ir.meaning import Meaning, Meanings
from vyre_dialect.ir.types import Access, BufferType
from vyre_dialect.lowering.opencl.forms import (
    Expression,
    Scope,
    StatementScope,
    load_element,
    overloaded,
)
from vyre_dialect.lowering.opencl.target import print_module
from vyre_dialect.passes.program.outline_kernels import OutlineKernelsPass
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context


@irdl_op_definition
class AverageOp(IRDLOperation):
    """The average of two unsigned numbers, rounded up."""

    name = "acme.average"
    a = operand_def(i32)
    b = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure(), DependsOn())

    def __init__(self, a: Value, b: Value):
        super().__init__(operands=[a.ssa, b.ssa], result_types=[i32])


class _OfElementOp(IRDLOperation, HasAccessesInterface):
    """An op on one element of a buffer."""

    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    result = result_def(i32)

    def __init__(self, buffer: Buffer, index: Value):
        super().__init__(operands=[buffer.ssa, index.ssa], result_types=[i32])


@irdl_op_definition
class PeekOp(_OfElementOp):
    """Loads an element."""

    name = "acme.peek"

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.READ, self.buffer, self.index),)


@irdl_op_definition
class TicketOp(_OfElementOp):
    """Adds one to an element, atomically, and yields what it was."""

    name = "acme.ticket"

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.UPDATE, self.buffer, self.index),)


@irdl_op_definition
class ClearOp(IRDLOperation, HasAccessesInterface):
    """Makes an element 0."""

    name = "acme.clear"
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())

    def __init__(self, buffer: Buffer, index: Value):
        super().__init__(operands=[buffer.ssa, index.ssa])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.WRITE, self.buffer, self.index),)


@irdl_op_definition
class SecretiveOp(IRDLOperation):
    """An op that does not say what it does."""

    name = "acme.secretive"
    value = operand_def(i32)

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value])


@irdl_op_definition
class FormlessOp(IRDLOperation):
    """An op that says what it does, but not how it is printed."""

    name = "acme.formless"
    value = operand_def(i32)
    traits = traits_def(DependsOn())

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value])


@irdl_op_definition
class Rot13Op(IRDLOperation, HasExpansionInterface):
    """A decoder of another package."""

    name = "acme.rot13"
    source = operand_def(BufferType)
    destination = operand_def(BufferType)

    def __init__(self, source: Buffer, destination: Buffer):
        super().__init__(operands=[source.ssa, destination.ssa])

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        return ()


OPS = Meanings()


@OPS.describe(AverageOp)
class Average(Meaning):
    def expression(self, scope: Scope, op: AverageOp) -> Expression:
        text = "static uint vyre_acme_average(uint a, uint b)\n{\n    return rhadd(a, b);\n}"
        scope.helpers.function("vyre_acme_average", lambda: text)
        operands = scope.value(op.a), scope.value(op.b)
        return overloaded("vyre_acme_average", scope.type_of(op.result), *operands)


@OPS.describe(PeekOp)
class Peek(Meaning):
    def expression(self, scope: Scope, op: PeekOp) -> Expression:
        return load_element(scope, scope.buffer(op.buffer), scope.value(op.index))


@OPS.describe(TicketOp)
class Ticket(Meaning):
    def expression(self, scope: Scope, op: TicketOp) -> Expression:
        place = f"&{scope.buffer(op.buffer).name}[{scope.value(op.index).converted}]"
        return Expression(f"atomic_inc({place})", scope.type_of(op.result))


@OPS.describe(ClearOp)
class Clear(Meaning):
    def statement(self, printer: StatementScope, op: ClearOp) -> None:
        index = printer.value(op.index).converted
        printer.line(f"{printer.buffer(op.buffer).name}[{index}] = 0;")


@OPS.describe(FormlessOp)
class Formless(Meaning):
    """Says nothing."""


meaning.OPS.register(OPS)


def outlined(module: ModuleOp) -> ModuleOp:
    result = module.clone()
    OutlineKernelsPass().apply(make_context(), result)
    return result


def every_form() -> ModuleOp:
    """Each op of the package, so that a load or an update that moved would show."""
    with program("foreign") as p:
        words = p.buffer("words", i32, 64, live_out=True)
        tickets = p.buffer("tickets", i32, 1, live_out=True)
        out = p.buffer("out", i32, 64, live_out=True)
        with p.arm("forms", 64) as i:
            before = Value(PeekOp(words, i).result)
            ClearOp(words, i)
            after = Value(PeekOp(words, i).result)
            TicketOp(tickets, i - i)
            out[i] = Value(AverageOp(before, after + 7).result)
    return p.module


@pytest.mark.slow
def test_ops_of_another_package_run(device: Device):
    words = np.arange(64, dtype=np.int32) * 3
    got = run_module(
        every_form(), {"words": words}, device=device, pipeline="vyre-outline-kernels"
    ).outputs
    assert np.array_equal(got["out"], (words + 8) // 2)
    assert not np.any(got["words"])
    assert got["tickets"].tolist() == [64]


def test_what_reads_or_updates_a_buffer_stays_in_order():
    text = print_module(outlined(every_form())).text
    lines = [line.strip() for line in text[text.index("// forms") :].splitlines()]
    order = [
        next(n for n, line in enumerate(lines) if re.search(pattern, line))
        for pattern in (r"= vyre_load_u32\(words", r"words\[i\] = 0;", r"atomic_inc\(", r"average")
    ]
    assert order == sorted(order)


def test_an_unexpanded_op_of_another_package_is_an_error():
    with program("decode") as p:
        source = p.buffer("source", i32, 64, access=Access.READ_ONLY)
        decoded = p.buffer("decoded", i32, 64)
        out = p.buffer("out", i32, 64, live_out=True)
        Rot13Op(source, decoded)
        with p.arm("use", 64) as i:
            out[i] = decoded[i]
    message = "'acme.rot13' has no OpenCL form; run 'vyre-expand' first"
    for module in (p.module, outlined(p.module)):
        with pytest.raises(DiagnosticException, match=message):
            print_module(module)


def test_an_op_of_the_program_that_does_not_say_what_it_does_is_an_error():
    with program("host") as p:
        out = p.buffer("out", i32, 64, live_out=True)
        SecretiveOp(out[0].ssa)
    with pytest.raises(DiagnosticException, match=r"^'acme.secretive' has no OpenCL form: no pack"):
        print_module(p.module)


def test_an_op_of_a_kernel_without_a_form_is_an_error():
    with program("kernel") as p:
        out = p.buffer("out", i32, 64, live_out=True)
        with p.arm("use", 64) as i:
            FormlessOp(out[i].ssa)
    with pytest.raises(DiagnosticException, match=r"^'acme.formless' has no OpenCL form: its des"):
        print_module(outlined(p.module))


def test_an_op_that_does_not_say_what_it_depends_on_is_refused_before_it_is_printed():
    with program("kernel") as p:
        out = p.buffer("out", i32, 64, live_out=True)
        with p.arm("use", 64) as i:
            SecretiveOp(out[i].ssa)
    with pytest.raises(DiagnosticException, match=r"'acme.secretive' in the arm 'use' has no"):
        outlined(p.module)
