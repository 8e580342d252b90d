"""Loads and stores. What is not proven to lie inside its buffer goes through a function."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import arith, vector
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    Precedence,
    call,
    combine,
    exact,
    index_by,
)
from vyre_dialect.lowering.opencl.helpers import Helpers
from vyre_dialect.lowering.opencl.runs import Run, in_array, of_array, read, write
from vyre_dialect.lowering.opencl.scope import Buffer, Scope, StatementScope
from vyre_dialect.lowering.opencl.types import BOOL, INDEX, CType, storage_type
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.lanes import ConvertLanesOp
from vyre_dialect.ops.memory import LoadOp, StoreOp

_OF_LANES = (ConvertLanesOp, arith.ExtUIOp, arith.ExtSIOp, vector.ExtractOp)
"""What takes the lanes of a vector one by one."""


@dataclass(frozen=True)
class MemoryAccess:
    """A load or store of `value` from element `index` of `buffer` on."""

    buffer: Buffer
    index: Expression
    value: CType
    alignment: int
    """Of the first byte, in bytes."""
    is_whole: bool = False
    """Whether the lanes are used together, as those of few words."""

    @property
    def is_element(self) -> bool:
        """Whether one object of the buffer's C type is accessed as what it is."""
        return self.buffer.lanes == 1 and self.value == self.buffer.element

    @property
    def run(self) -> Run:
        """The run of units of the C type that is accessed."""
        unit = self.buffer.element.scalar
        return Run(unit, self.value, self.alignment, self.buffer, self.is_whole)

    @property
    def units_per_element(self) -> int:
        """Units of the C type in an element of the buffer."""
        return self.buffer.element.lanes * self.buffer.lanes

    @property
    def elements(self) -> int:
        """Elements of the buffer that are accessed."""
        return self.run.units // self.units_per_element

    @property
    def names(self) -> str:
        """What the names of its functions have in common."""
        value, element = self.value.short_name, self.buffer.element.short_name
        if self.buffer.lanes > 1:
            element += f"p{self.buffer.lanes}"
        between = "" if self.is_element else f"_{element}"
        known = self.alignment > self.buffer.element.scalar.bytes and not self.is_element
        aligned = f"_a{self.alignment}" if known else ""
        words = "_words" if self.run.is_of_words else ""
        return f"{value}{between}{aligned}{words}{self.buffer.suffix}"


def _access(scope: Scope, op: LoadOp | StoreOp) -> MemoryAccess:
    buffer = scope.buffer(op.buffer)
    value = scope.helpers.use_type(storage_type(op.value.type))
    if buffer.lanes > 1 and value != buffer.element.with_lanes(buffer.lanes):
        raise DiagnosticException(
            f"'{op.name}' of '{op.buffer.type}' has an OpenCL form for whole elements, "
            f"got '{op.value.type}'"
        )
    if value.is_extended and value.scalar != buffer.element:
        raise DiagnosticException(
            f"'{op.name}' of '{op.buffer.type}' has an OpenCL form for 16 lanes at most, "
            f"got '{op.value.type}', which 'vyre-split-vectors' splits"
        )
    natural = buffer.element.scalar.bytes
    known = 0 if op.alignment is None else op.alignment.value.data
    if buffer.lanes == 1:
        natural = buffer.element.bytes
    alignment = min(max(natural, known), value.bytes & -value.bytes)
    access = MemoryAccess(
        buffer, scope.value(op.index), value, max(alignment, buffer.element.lane_bytes)
    )
    if op.in_bounds is not None and access.run.is_split:
        return replace(access, index=scope.simple(op.index))
    return access


def load(scope: Scope, op: LoadOp) -> Expression:
    """Elements of a buffer, zeros outside of it."""
    is_whole = not all(isinstance(use.operation, _OF_LANES) for use in op.value.uses)
    access = replace(_access(scope, op), is_whole=is_whole)
    if op.in_bounds is None:
        loaded = _guarded_load(scope.helpers, access)
    elif access.is_element:
        loaded = index_by(access.buffer.name, access.index, access.value)
    else:
        loaded = _wide_load(scope.helpers, access)
    if scope.type_of(op.value).is_bool:
        return replace(loaded, type=BOOL, form=Form.PROMOTED)
    return loaded


def length(scope: Scope, op: BufLenOp) -> Expression:
    """How many elements a buffer has."""
    return scope.buffer(op.buffer).length


def _guarded_load(helpers: Helpers, access: MemoryAccess) -> Expression:
    name = f"vyre_load_{access.names}"
    helpers.function(name, lambda: _load_text(helpers, access, name))
    buffer = access.buffer
    pointer = Expression(buffer.name, buffer.element)
    return call(name, access.value, pointer, buffer.length, access.index)


def _wide_load(helpers: Helpers, access: MemoryAccess) -> Expression:
    pointer, index = _units(access, const=True)
    text = read(access.run, pointer, _repeatable(access.run, index), helpers)
    precedence = Precedence.UNARY if text[0] in "*(" else Precedence.PRIMARY
    return combine(text, access.value, precedence, access.index)


def _units(access: MemoryAccess, *, const: bool) -> tuple[str, Expression]:
    """The buffer as a pointer to units, and the index of the first unit."""
    buffer, index = access.buffer, access.index
    pointer = buffer.name
    if buffer.element.is_vector:
        qualifiers = f"{buffer.qualifier} const" if const else buffer.qualifier
        pointer = f"(({qualifiers} {buffer.element.scalar} *){buffer.name})"
    if access.units_per_element == 1:
        return pointer, index
    factor = access.units_per_element
    text = f"{index.at_least(Precedence.MULTIPLICATIVE)} * {factor}"
    return pointer, combine(text, INDEX, Precedence.MULTIPLICATIVE, index)


def _store_statements(scope: Scope, op: StoreOp) -> list[str]:
    """The statements that store what `op` stores."""
    access = _access(scope, op)
    value = scope.value(op.value)
    if op.in_bounds is None:
        return [_guarded_store(scope.helpers, access, value)]
    if access.is_element:
        return [f"{access.buffer.name}[{access.index.converted}] = {value.converted};"]
    pointer, index = _units(access, const=False)
    run = access.run
    written = scope.simple(op.value) if run.is_split else exact(value)
    text = written.converted if run.is_one_access else written.text
    return write(run, pointer, _repeatable(run, index), text, scope.helpers)


def _guarded_store(helpers: Helpers, access: MemoryAccess, value: Expression) -> str:
    name = f"vyre_store_{access.names}"
    helpers.function(name, lambda: _store_text(helpers, access, name))
    arguments = (access.buffer.name, access.buffer.length.text, access.index.converted)
    return f"{name}({', '.join(arguments)}, {value.converted});"


def _repeatable(run: Run, index: Expression) -> str:
    """The text of an index to which an offset is added when the value is split."""
    return index.at_least(Precedence.ADDITIVE) if run.is_split else index.converted


def load_element(scope: Scope, buffer: Buffer, index: Expression) -> Expression:
    """The expression that loads the element `index`, wherever that is."""
    value = buffer.element.with_lanes(max(buffer.element.lanes, buffer.lanes))
    return _guarded_load(
        scope.helpers, MemoryAccess(buffer, index, value, buffer.element.lane_bytes)
    )


def store_element(scope: Scope, buffer: Buffer, index: Expression, value: Expression) -> str:
    """The statement that stores the element `index`, wherever that is."""
    access = MemoryAccess(buffer, index, value.type, buffer.element.lane_bytes)
    return _guarded_store(scope.helpers, access, value)


def store(printer: StatementScope, op: StoreOp) -> None:
    """Writes elements of a buffer, and nothing outside of it."""
    for statement in _store_statements(printer, op):
        printer.line(statement)


def already_declared(printer: StatementScope, op: BufferOp) -> None:
    """The arrays of the workgroup and of the invocation stand at the top of the kernel."""


# The functions.


def _parameters(access: MemoryAccess, *, const: bool) -> str:
    buffer = access.buffer
    qualifiers = f"{buffer.qualifier} const" if const else buffer.qualifier
    return f"{qualifiers} {buffer.element} *p, long n, long i"


def _zero(type: CType) -> str:
    return f"({type})(0)" if type.is_vector else "0"


def _load_text(helpers: Helpers, access: MemoryAccess, name: str) -> str:
    value = access.value
    head = f"static {value} {name}({_parameters(access, const=True)})\n{{\n"
    if access.is_element:
        return f"{head}    return (ulong)i < (ulong)n ? p[i] : {_zero(value)};\n}}"
    inside = replace(access, buffer=replace(access.buffer, name="p"), index=Expression("i", INDEX))
    pointer, index = _units(inside, const=True)
    fast = read(access.run, pointer, index.text, helpers)
    lines = [_whole_run_inside(access), f"        return {fast};"]
    return head + "\n".join(lines + _slow_load(helpers, access, pointer)) + "\n}"


def _whole_run_inside(access: MemoryAccess) -> str:
    """The test for the usual path; `n` is the same for all invocations, so half of it is free."""
    return f"    if (n >= {access.elements} && (ulong)i <= (ulong)(n - {access.elements}))"


def _fits_one_vector(run: Run) -> bool:
    """Whether the units of the run can be read as one vector and reinterpreted as the value."""
    if run.value.is_extended:
        return run.value.scalar == run.unit
    return run.units in (1, 2, 4, 8, 16) or (run.units == 3 and run.value.scalar == run.unit)


def _slow_load(helpers: Helpers, access: MemoryAccess, pointer: str) -> list[str]:
    """Statements that load each element on its own."""
    run = access.run
    if not _fits_one_vector(run):
        return _split_load(helpers, access)
    per_element = access.units_per_element
    lines = [
        f"    {run.unit} units[{run.units}];",
        # Written out, the rare path would slow the usual one down.
        "    #pragma unroll 1",
        f"    for (int k = 0; k < {run.units}; k++)",
        f"        units[k] = (ulong)i + {_quotient('k', per_element)} < (ulong)n"
        f" ? {pointer}[{_product('i', per_element)} + k] : 0;",
    ]
    together = run.unit.with_lanes(run.units)
    loaded = of_array(together, "units") if run.units > 1 else "units[0]"
    result = loaded if together == run.value else f"as_{run.value}({loaded})"
    return [*lines, f"    return {result};"]


def _quotient(text: str, divisor: int) -> str:
    return text if divisor == 1 else f"{text} / {divisor}"


def _product(text: str, factor: int) -> str:
    return text if factor == 1 else f"{text} * {factor}"


def _split_load(helpers: Helpers, access: MemoryAccess) -> list[str]:
    """
    Statements that load the value part by part.

    The parts meet in memory: to join vectors Clang makes shuffles with undefined lanes, on which
    the search of Oclgrind 21.10 for uninitialised reads crashes.
    """
    value = access.value
    lines = [f"    {value.scalar} lanes[{value.lanes}];"]
    for number, (at, _, part) in enumerate(access.run.parts()):
        piece = replace(access, value=part.value, alignment=part.alignment)
        name = f"vyre_load_{piece.names}"
        helpers.function(name, lambda piece=piece, name=name: _load_text(helpers, piece, name))
        index = f"i + {at // access.units_per_element}" if at else "i"
        loaded = f"{name}(p, n, {index})"
        if part.value.is_vector:
            lines.append(f"    vstore{part.value.lanes}({loaded}, {number}, lanes);")
        else:
            lines.append(f"    lanes[{number}] = {loaded};")
    return [*lines, f"    return vload{value.lanes}(0, lanes);"]


def _store_text(helpers: Helpers, access: MemoryAccess, name: str) -> str:
    value = access.value
    head = f"static void {name}({_parameters(access, const=False)}, {value} v)\n{{\n"
    if access.is_element:
        return f"{head}    if ((ulong)i < (ulong)n)\n        p[i] = v;\n}}"
    inside = replace(access, buffer=replace(access.buffer, name="p"), index=Expression("i", INDEX))
    pointer, index = _units(inside, const=False)
    fast = write(access.run, pointer, index.text, "v", helpers)
    lines = [f"    if (0 <= i && i <= n - {access.elements}) {{"]
    lines += [f"        {statement}" for statement in fast]
    lines += ["        return;", "    }"]
    return head + "\n".join(lines + _slow_store(helpers, access, pointer)) + "\n}"


def _slow_store(helpers: Helpers, access: MemoryAccess, pointer: str) -> list[str]:
    run = access.run
    if not _fits_one_vector(run):
        return _split_store(helpers, access)
    per_element = access.units_per_element
    together = run.unit.with_lanes(run.units)
    value = "v" if together == run.value else f"as_{together}(v)"
    fill = f"{in_array(together, value, 'units')};" if run.units > 1 else f"units[0] = {value};"
    return [
        f"    {run.unit} units[{run.units}];",
        f"    {fill}",
        "    #pragma unroll 1",
        f"    for (int k = 0; k < {run.units}; k++)",
        f"        if ((ulong)i + {_quotient('k', per_element)} < (ulong)n)",
        f"            {pointer}[{_product('i', per_element)} + k] = units[k];",
    ]


def _split_store(helpers: Helpers, access: MemoryAccess) -> list[str]:
    lines = list[str]()
    for at, suffix, part in access.run.parts():
        piece = replace(access, value=part.value, alignment=part.alignment)
        name = f"vyre_store_{piece.names}"
        helpers.function(name, lambda piece=piece, name=name: _store_text(helpers, piece, name))
        index = f"i + {at // access.units_per_element}" if at else "i"
        lines.append(f"    {name}(p, n, {index}, v.{suffix});")
    return lines
