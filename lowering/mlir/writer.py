"""One kernel as text: what its values are called, the lines of its body, and its attributions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.builder.definition import defined
from vyre_dialect.ir.interfaces import HasExpansionInterface
from vyre_dialect.ir.meaning import DEFINITION, Facet
from vyre_dialect.ir.types import TokenType, lane_count, scalar_type
from vyre_dialect.lowering.mlir.storage import Storage
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.program import RegionOp

Rule: TypeAlias = Callable[[Any, Any], None]
"""Writes an op of its class by a `Writer`."""
FORM = Facet[Rule]("text_gpu_mlir")
"""How ops are written, as their rows say, and packages of their own."""
WORKGROUP = "#gpu.address_space<workgroup>"
PRIVATE = "#gpu.address_space<private>"


@dataclass
class Writer:
    """Writes one kernel as a `gpu.func`."""

    kernel: KernelOp
    lines: list[str] = field(default_factory=list[str])
    depth: int = 3
    workgroup: list[str] = field(default_factory=list[str])
    """Workgroup memory: names and types, as `gpu.func` declares it."""
    private: list[str] = field(default_factory=list[str])
    """The same of private memory."""
    arena: str = ""
    """The bytes that tiles share, where they do."""
    _names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    _storage: dict[SSAValue, Storage] = field(default_factory=dict[SSAValue, Storage])
    _taken: dict[str, int] = field(default_factory=dict[str, int])
    _exchanges: dict[str, str] = field(default_factory=dict[str, str])

    # Names.

    def fresh(self, hint: str | None = None) -> str:
        """A name that nothing else in the kernel has."""
        base = hint or "v"
        count = self._taken[base] = self._taken.get(base, -1) + 1
        return f"%{base}" if hint and not count else f"%{base}_{count}"

    def value(self, value: SSAValue) -> str:
        """What a value is called."""
        return self._names[value]

    def values(self, values: Sequence[SSAValue]) -> list[str]:
        """What values are called."""
        return [self.value(each) for each in values]

    def bind(self, value: SSAValue, name: str) -> None:
        """Let a name stand for a value."""
        self._names[value] = name

    def storage(self, buffer: SSAValue) -> Storage:
        """How the kernel knows a buffer."""
        return self._storage[buffer]

    def store_in(self, buffer: SSAValue, storage: Storage) -> None:
        """Say how the kernel knows a buffer."""
        self._storage[buffer] = storage

    # Lines.

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append("  " * self.depth + text)

    def let(self, text: str, hint: str | None = None) -> str:
        """Write an op with one result; gives its name."""
        name = self.fresh(hint)
        self.line(f"{name} = {text}")
        return name

    def constant(self, number: str | int, type: str) -> str:
        """A number, or a vector of it."""
        if _scalar_of(type) == "i1":
            number = "true" if number else "false"
        if type == "i1":  # whose constants have no type behind them
            return self.let(f"arith.constant {number}", "c")
        number = f"dense<{number}>" if type.startswith("vector") else number
        return self.let(f"arith.constant {number} : {type}", "c")

    def zero(self, type: str) -> str:
        """The zero of a type of integers, floats or vectors of them."""
        return self.constant("0.0" if "f" in _scalar_of(type) else 0, type)

    def choice(
        self, condition: str, type: str, then: Callable[[], str], other: Callable[[], str]
    ) -> str:
        """An `scf.if` that yields one value of a type, or another."""
        name = self.fresh()
        self.line(f"{name} = scf.if {condition} -> ({type}) {{")
        with self.indented():
            self.line(f"scf.yield {then()} : {type}")
        self.line("} else {")
        with self.indented():
            self.line(f"scf.yield {other()} : {type}")
        self.line("}")
        return name

    def when(
        self, condition: str, then: Callable[[], None], other: Callable[[], None] | None = None
    ) -> None:
        """An `scf.if` for what its branches do."""
        self.line(f"scf.if {condition} {{")
        with self.indented():
            then()
        if other is not None:
            self.line("} else {")
            with self.indented():
                other()
        self.line("}")

    @contextmanager
    def indented(self) -> Generator[None]:
        """Write the body of a region."""
        self.depth += 1
        yield
        self.depth -= 1

    # Ops.

    def block(self, block: Block) -> None:
        """Write the ops of a block."""
        for op in block.ops:
            self.op(op)

    def op(self, op: Operation) -> None:
        """Write an op by its rule, that of its package, or the ops that define it."""
        if (rule := FORM.of(type(op))) is not None:
            rule(self, op)
        elif (definition := DEFINITION.of(type(op))) is not None:
            made = defined(definition, op)
            for argument, operand in zip(made.block.args, op.operands, strict=True):
                self.bind(argument, self.value(operand))
            self.block(made.block)
            self.bind(op.results[0], self.value(made.result))
        else:
            raise no_form(op)

    def exchange(self, type: str, count: int) -> Storage:
        """Workgroup memory by which the invocations of a workgroup hand values on."""
        memref = f"memref<{count}x{type}, {WORKGROUP}>"
        if type not in self._exchanges:
            self._exchanges[type] = self.fresh("exchange")
            self.workgroup.append(f"{self._exchanges[type]} : {memref}")
        return Storage(self._exchanges[type], memref, type, 1, None, count)


def _scalar_of(type: str) -> str:
    """The type of a lane, where a type is that of a vector."""
    return type.partition("x")[2].rstrip(">") if type.startswith("vector") else type


def no_form(op: Operation) -> DiagnosticException:
    """The error for an op without a rule, with the pass to run where there is one."""
    missing = ""
    if isinstance(op, HasExpansionInterface):
        missing = "; run 'vyre-expand' first"
    elif isinstance(op, RegionOp):
        missing = "; run 'vyre-outline-kernels' first"
    return DiagnosticException(f"'{op.name}' has no form in MLIR's gpu dialect{missing}")


def type_text(op: Operation, type: Attribute) -> str:
    """The text of a type of values, which MLIR has, too."""
    if isinstance(type, TokenType):
        return "index"
    scalar = scalar_type(type)
    if isinstance(scalar, IndexType | IntegerType | AnyFloat):
        return str(type)
    raise DiagnosticException(f"'{op.name}' has no form in MLIR's gpu dialect for '{type}'")


def like(type: Attribute, scalar: str) -> str:
    """Lanes of `scalar`, as many as `type` has, or one number where it is no vector."""
    return f"vector<{lane_count(type)}x{scalar}>" if isinstance(type, VectorType) else scalar
