"""A second lowering, as a package has it: arms as Lisp, for which it has a facet of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.builder.definition import defined
from vyre_dialect.ir.meaning import Definition, Facet, Meaning, Meanings, unsaid
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import RegionOp

Write: TypeAlias = Callable[["Writer", Any], str]
LISP = Facet[Write]("text_lisp", "support.lisp:by_definition")
"""What is written for an op: an expression, or, of one without results, what it does."""
OPS = Meanings()


class Writer:
    """What values are called."""

    def __init__(self) -> None:
        self._names = dict[SSAValue, str]()

    def name(self, value: SSAValue) -> str:
        """What a value is called, or the name of a buffer."""
        if isinstance(value.owner, BufferOp):
            return value.owner.sym_name.data
        return self._names.setdefault(value, f"v{len(self._names)}")

    def bind(self, value: SSAValue, other: SSAValue) -> None:
        """Call one value as another is called."""
        self._names[value] = self.name(other)

    def call(self, function: str, op: Operation) -> str:
        """A function of the operands of an op."""
        return f"({function} {' '.join(map(self.name, op.operands))})"

    def block(self, block: Block) -> list[str]:
        """What the ops of a block do, a line each."""
        return [self._line(op) for op in block.ops]

    def _line(self, op: Operation) -> str:
        if (write := LISP.of(type(op))) is None:
            missing = unsaid(type(op), LISP.name, "definition")
            raise DiagnosticException(f"'{op.name}' cannot be written as Lisp: {missing}")
        text = write(self, op)
        return f"(setq {self.name(op.results[0])} {text})" if op.results else text


def by_definition(definition: Definition) -> Write:
    """The ops that define one, and the value of the last."""

    def write(writer: Writer, op: Operation) -> str:
        made = defined(definition, op)
        for argument, operand in zip(made.block.args, op.operands, strict=True):
            writer.bind(argument, operand)
        return f"(progn {' '.join([*writer.block(made.block), writer.name(made.result)])})"

    return write


def print_arm(arm: RegionOp) -> str:
    """An arm as Lisp. Raises DiagnosticException for an op of which nobody says how."""
    return "\n".join(Writer().block(arm.body.block))


@OPS.describe(arith.ConstantOp)
class Constant(Meaning):
    """A number."""

    def text_lisp(self, writer: Writer, op: arith.ConstantOp) -> str:
        assert isinstance(op.value, IntegerAttr)
        return str(op.value.value.data)


@OPS.describe(arith.AddiOp, arith.RemSIOp)
class Arithmetic(Meaning):
    """A function of Lisp."""

    def text_lisp(self, writer: Writer, op: Operation) -> str:
        return writer.call("+" if isinstance(op, arith.AddiOp) else "rem", op)


@OPS.describe(InvocationIdOp)
class InvocationId(Meaning):
    """The number of the invocation."""

    def text_lisp(self, writer: Writer, op: InvocationIdOp) -> str:
        return f"*{op.axis.data}*"


@OPS.describe(LoadOp)
class Load(Meaning):
    """An element."""

    def text_lisp(self, writer: Writer, op: LoadOp) -> str:
        return writer.call("aref", op)


@OPS.describe(StoreOp)
class Store(Meaning):
    """Another element."""

    def text_lisp(self, writer: Writer, op: StoreOp) -> str:
        element = f"(aref {writer.name(op.buffer)} {writer.name(op.index)})"
        return f"(setf {element} {writer.name(op.value)})"
