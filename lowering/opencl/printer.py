"""Kernels as text: structure, statements, and what the values of a kernel are called."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.analysis.tile_live_ranges import TILE_ALIGNMENT
from vyre_dialect.analysis.traps import messages_of_traps
from vyre_dialect.ir.canonical_text import structural_hash
from vyre_dialect.ir.cooperation import has_convergent_op
from vyre_dialect.ir.interfaces import AccessKind, HasAccessesInterface, accesses_of
from vyre_dialect.ir.types import BufferType, MemorySpace, TokenType
from vyre_dialect.lowering.opencl import invocations
from vyre_dialect.lowering.opencl.expressions import Expression
from vyre_dialect.lowering.opencl.forms import EXPRESSION, STATEMENT
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.inlining import (
    has_side_effects,
    inlinable_values,
    is_inner,
    reads_memory,
)
from vyre_dialect.lowering.opencl.literals import literal
from vyre_dialect.lowering.opencl.names import Names, comment, is_function_name
from vyre_dialect.lowering.opencl.printed import ArgumentKind, PrintedArgument, PrintedKernel
from vyre_dialect.lowering.opencl.scope import Buffer, Emit, Options
from vyre_dialect.lowering.opencl.types import BOOL, INDEX, CType, c_type, storage_type
from vyre_dialect.lowering.opencl.unprintable import no_form
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import KernelOp, is_run_time_sized, measured_buffer
from vyre_dialect.ops.memory import LoadOp, StoreOp

_NEW_PARAMETER = "\n    "

MAX_INLINE = 52
"""Characters of a value that is printed where it is used."""
MAX_INLINE_NAMED = 40
"""The same for a value that has a name of its own."""


@dataclass
class KernelPrinter:
    """Prints one kernel. It is the scope of the expressions in it."""

    kernel: KernelOp
    helpers: Helpers
    options: Options
    names: Names = field(default_factory=Names)
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1
    exchanges: dict[CType, str] = field(default_factory=dict[CType, str])
    """The array through which subgroups exchange values of a type."""
    linear_id: Expression = Expression("linear_id", INDEX)
    """The position in the workgroup, where the kernel needs it."""
    _values: dict[SSAValue, Expression] = field(default_factory=dict[SSAValue, Expression])
    _buffers: dict[SSAValue, Buffer] = field(default_factory=dict[SSAValue, Buffer])
    _inlinable: set[SSAValue] = field(default_factory=set[SSAValue])

    def __post_init__(self) -> None:
        if not self.options.expand_ssa:
            self._inlinable = inlinable_values(self.kernel.body.block, _is_expression)

    # What expressions ask of their scope.

    def value(self, value: SSAValue) -> Expression:
        """The expression that stands for a value."""
        return self._values[value]

    def type_of(self, value: SSAValue) -> CType:
        """The C type of a value. A token says nothing, and goes where values go, as a `bool`."""
        if isinstance(value.type, TokenType):
            return BOOL
        return self.helpers.use_type(c_type(value.type))

    def buffer(self, value: SSAValue) -> Buffer:
        """How the kernel knows a buffer."""
        return self._buffers[value]

    def simple(self, value: SSAValue) -> Expression:
        """A variable or constant that stands for a value, so that it can be written twice."""
        expression = self.value(value)
        if not expression.is_simple and expression.constant is None:
            return self.declare(value, expression)
        return expression

    # Lines and names.

    def line(self, text: str) -> None:
        """Print one line at the current depth."""
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def indented(self) -> Generator[None]:
        """Print what follows one level deeper."""
        self.depth += 1
        yield
        self.depth -= 1

    @contextmanager
    def captured(self) -> Generator[list[str]]:
        """Collect the lines that are printed instead of printing them."""
        outer, self.lines = self.lines, []
        yield self.lines
        self.lines = outer

    def bind(self, value: SSAValue, expression: Expression) -> None:
        """Let `expression` stand for `value`."""
        self._values[value] = expression

    def bind_buffer(self, value: SSAValue, name: str, length: Expression | None = None) -> Buffer:
        """Let `name` be the pointer to a buffer; `length` is that of a run-time sized one."""
        type = value.type
        assert isinstance(type, BufferType)
        element = self.helpers.use_type(storage_type(type.element_type))
        lanes = 1
        if element.lanes == 3:
            element, lanes = element.scalar, 3
        if length is None:
            assert type.static_count is not None
            length = literal(type.static_count, INDEX)
        self._buffers[value] = Buffer(name, element, lanes, length, type.space)
        return self._buffers[value]

    def declare(self, value: SSAValue, expression: Expression, role: str = "") -> Expression:
        """Print a variable that holds `expression`, named after `value`."""
        name = self.names.fresh(value.name_hint or role or _role(value))
        self.line(f"{expression.type} {name} = {expression.converted};")
        return Expression(name, expression.type)

    # Ops.

    def block(self, block: Block) -> None:
        """Print the ops of a block, without its terminator."""
        for op in block.ops:
            self._op(op)

    def _op(self, op: Operation) -> None:
        if (emit := EXPRESSION.of(type(op))) is not None:
            self._expression(op, emit)
        elif (print_op := STATEMENT.of(type(op))) is not None:
            print_op(self, op)
        else:
            raise no_form(op)

    def _expression(self, op: Operation, emit: Emit) -> None:
        (result,) = op.results
        stays = has_side_effects(op)
        if is_inner(op) or not (result.uses or stays):
            return
        expression = emit(self, op)
        if reads_memory(op):
            expression = replace(expression, reads_memory=True)
        if stays or not self._stays_inline(result, expression):
            expression = self.declare(result, expression)
        self.bind(result, expression)

    def _stays_inline(self, value: SSAValue, expression: Expression) -> bool:
        if expression.constant is not None:
            return True
        unchanging = not (expression.variables or expression.reads_memory)
        if expression.is_simple and unchanging and not self.options.expand_ssa:
            return True
        if value not in self._inlinable or expression.text.count("?") > 1:
            return False
        limit = MAX_INLINE_NAMED if value.name_hint else MAX_INLINE
        return len(expression.text) <= limit


def _is_expression(op: Operation) -> bool:
    return len(op.results) == 1 and EXPRESSION.of(type(op)) is not None


def _role(value: SSAValue) -> str:
    """A name for a value that has none."""
    match value.owner:
        case LoadOp(buffer=buffer) if buffer.name_hint:
            return f"{buffer.name_hint}_value"
        case arith.CmpiOp() | arith.CmpfOp():
            return "condition"
        case _:
            return "t"


# The kernel as a whole.


def print_kernel(kernel: KernelOp, helpers: Helpers, options: Options) -> tuple[str, PrintedKernel]:
    """The text of one kernel, and what is known of it; what it needs goes into `helpers`."""
    name = kernel.sym_name.data
    if not is_function_name(name):
        raise DiagnosticException(
            f"'{kernel.name}' @{name}: expected the name of a C function, got '{name}'"
        )
    printer = KernelPrinter(kernel, helpers, options)
    traps = messages_of_traps(kernel.body)
    arguments = {
        each: replace(
            _bind_argument(printer, each), accesses=accesses, traps=tuple(traps.get(each, ()))
        )
        for each, accesses in zip(kernel.body.block.args, kernel.argument_accesses(), strict=True)
    }
    parameters = _parameters(arguments, waits=has_convergent_op(kernel.body))
    _declare_buffers(printer)
    invocations.declare_exchanges(printer)
    invocations.declare_ids(printer)
    printer.block(kernel.body.block)
    x, y, z = kernel.workgroup
    head = [
        comment(kernel.generator.data),
        f"__kernel __attribute__((reqd_work_group_size({x}, {y}, {z})))",
        f"void {name}({_NEW_PARAMETER}{f',{_NEW_PARAMETER}'.join(parameters)})"
        if parameters
        else f"void {name}()",
        "{",
    ]
    printed = PrintedKernel(
        name,
        tuple(arguments.values()),
        kernel.generator.data,
        kernel.workgroup,
        kernel.tile_bytes,
        kernel.private_bytes,
        structural_hash(kernel),
    )
    return "\n".join([*head, *printer.lines, "}"]), printed


def _bind_argument(printer: KernelPrinter, argument: BlockArgument) -> PrintedArgument:
    """Give a name to an argument, and with a run-time sized buffer to its length."""
    if isinstance(argument.type, BufferType):
        name = printer.names.fresh(argument.name_hint or "buffer")
        buffer = printer.bind_buffer(argument, name, _bind_length(printer, argument, name))
        element = argument.type.element_type
        return PrintedArgument(name, ArgumentKind.BUFFER, buffer.element, element)
    if measured_buffer(argument) is not None:
        return PrintedArgument(printer.value(argument).text, ArgumentKind.LENGTH, INDEX)
    name = printer.names.fresh(argument.name_hint or "n")
    printer.bind(argument, Expression(name, INDEX))
    return PrintedArgument(name, ArgumentKind.SIZE, INDEX)


def _bind_length(printer: KernelPrinter, buffer: BlockArgument, name: str) -> Expression | None:
    """Give a name to the argument behind a run-time sized buffer."""
    if not is_run_time_sized(buffer.type):
        return None
    argument = buffer.block.args[buffer.index + 1]
    length = Expression(printer.names.fresh(argument.name_hint or f"{name}_len"), INDEX)
    printer.bind(argument, length)
    return length


def _is_written_and_loaded(buffer: BlockArgument, printed: PrintedArgument) -> bool:
    """Whether a kernel has loads, and not only updates, of a buffer that it changes."""
    users = {use.operation for use in buffer.uses}
    kinds = {access.kind for op in users for access in accesses_of(op) if access.buffer is buffer}
    is_unknown = not all(isinstance(op, HasAccessesInterface) for op in users)
    return AccessKind.WRITE in printed.accesses and (is_unknown or AccessKind.READ in kinds)


def _parameters(
    arguments: Mapping[BlockArgument, PrintedArgument], *, waits: bool
) -> Sequence[str]:
    """
    The lines of the parameter list; a length stands in the line of its buffer. `waits` says whether
    invocations wait for each other.
    """
    lines = list[str]()
    for argument, printed in arguments.items():
        text = f"{printed.type} {printed.name}"
        if printed.kind == ArgumentKind.BUFFER:
            is_written = AccessKind.WRITE in printed.accesses
            qualifiers = "__global" if is_written else "__global const"
            # Compilers move loads of what is `restrict` over barriers: no other invocation has it.
            is_handed_over = waits and _is_written_and_loaded(argument, printed)
            alone = "" if is_handed_over else "restrict "
            text = f"{qualifiers} {printed.type} *{alone}{printed.name}"
        if printed.kind == ArgumentKind.LENGTH:
            lines[-1] += f", {text}"
        else:
            lines.append(text)
    return lines


def _declare_buffers(printer: KernelPrinter) -> None:
    """Print the arrays of the workgroup and of the invocation."""
    arena = _declare_arena(printer)
    for op in printer.kernel.buffers():
        if op.arena_offset is not None:
            _declare_in_arena(printer, op, arena)
            continue
        buffer = printer.bind_buffer(op.buffer, printer.names.fresh(op.sym_name.data))
        count = (op.type.static_count or 0) * buffer.lanes
        shared = op.type.space == MemorySpace.WORKGROUP
        space = "__local " if shared else ""
        # PoCL 3.1 drops stores that are the first ones, under a condition, to such an array.
        start = "" if shared else " = {0}"
        alignment = _alignment(op)
        aligned = ""
        if alignment > buffer.element.bytes:
            aligned = f" __attribute__((aligned({alignment})))"
        printer.line(f"{space}{buffer.element} {buffer.name}[{count}]{aligned}{start};")


def _declare_arena(printer: KernelPrinter) -> str:
    """Print the array that workgroup buffers share, one after the other; its name."""
    size = printer.kernel.arena_bytes
    if size is None or not size.value.data:
        return ""
    name = printer.names.fresh("tiles")
    aligned = f"__attribute__((aligned({TILE_ALIGNMENT})))"
    printer.line(f"__local uchar {name}[{size.value.data}] {aligned};")
    return name


def _declare_in_arena(printer: KernelPrinter, op: BufferOp, arena: str) -> None:
    """Print the pointer to a workgroup buffer that has a part of the arena."""
    buffer = printer.bind_buffer(op.buffer, printer.names.fresh(op.sym_name.data))
    offset = 0 if op.arena_offset is None else op.arena_offset.value.data
    pointer = f"__local {buffer.element} *"
    printer.line(f"{pointer}const {buffer.name} = ({pointer})&{arena}[{offset}];")


def _alignment(op: BufferOp) -> int:
    """The largest alignment that an access of the buffer relies on."""
    known = [
        use.operation.alignment.value.data
        for use in op.buffer.uses
        if isinstance(use.operation, LoadOp | StoreOp) and use.operation.alignment is not None
    ]
    return max(known, default=1)
