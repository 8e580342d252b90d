"""
Atomics and traps.

Without 64-bit atomics, an addition whose old value is unused is two 32-bit additions with the
carry in between, and bitwise operations work on both halves; both are exact.
"""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Precedence,
    cast,
    combine,
    exact,
    overloaded,
)
from vyre_dialect.lowering.opencl.literals import literal
from vyre_dialect.lowering.opencl.names import comment
from vyre_dialect.lowering.opencl.scope import Buffer, Scope, StatementScope
from vyre_dialect.lowering.opencl.types import INDEX, CType
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp

_FUNCTIONS = {
    AtomicKind.ADDI: "add",
    AtomicKind.ANDI: "and",
    AtomicKind.ORI: "or",
    AtomicKind.XORI: "xor",
    AtomicKind.MAXS: "max",
    AtomicKind.MAXU: "max",
    AtomicKind.MINS: "min",
    AtomicKind.MINU: "min",
    AtomicKind.ASSIGN: "xchg",
}
_SIGNED = (AtomicKind.MAXS, AtomicKind.MINS)
_BASE_EXTENSION = "cl_khr_int64_base_atomics"
_EXTENDED_EXTENSION = "cl_khr_int64_extended_atomics"
_BASE_FUNCTIONS = ("add", "xchg", "cmpxchg")
_HALVES = {
    AtomicKind.ANDI: "and",
    AtomicKind.ORI: "or",
    AtomicKind.XORI: "xor",
}


def _rmw(scope: Scope, op: AtomicRMWOp, *, int64_atomics: bool) -> Expression:
    """The call that performs `op` and yields the old value."""
    kind = op.kind.data
    buffer, index, value = scope.buffer(op.buffer), scope.value(op.index), scope.value(op.value)
    in_bounds = op.in_bounds is not None
    if buffer.element.width == 64 and not int64_atomics:
        return _in_halves(scope, op, buffer, index, value)
    return _update(scope, kind, buffer, index, value, in_bounds=in_bounds)


def _update(
    scope: Scope,
    kind: AtomicKind,
    buffer: Buffer,
    index: Expression,
    value: Expression,
    *,
    in_bounds: bool,
) -> Expression:
    type = buffer.element.signed if kind in _SIGNED else buffer.element
    function = _FUNCTIONS[kind]
    if in_bounds and type == buffer.element:
        name = _builtin(scope, function, type)
        arguments = f"&{buffer.name}[{index.converted}], {exact(value).text}"
        return combine(f"{name}({arguments})", type, Precedence.PRIMARY, index, value)
    name = f"vyre_atomic_{function}_{type.short_name}{buffer.suffix}"
    call_text = f"{_builtin(scope, function, type)}({_pointer(buffer, type)}, v)"
    return _guarded(scope, name, buffer, type, call_text, index, value)


def _builtin(scope: Scope, function: str, type: CType) -> str:
    if type.width == 32:
        return f"atomic_{function}"
    base = function in _BASE_FUNCTIONS
    scope.helpers.extension(_BASE_EXTENSION if base else _EXTENDED_EXTENSION)
    return f"atom_{function}"


def _pointer(buffer: Buffer, type: CType) -> str:
    if type == buffer.element:
        return "&p[i]"
    return f"(volatile {buffer.qualifier} {type} *)&p[i]"


def _guarded(
    scope: Scope,
    name: str,
    buffer: Buffer,
    type: CType,
    call_text: str,
    index: Expression,
    value: Expression,
) -> Expression:
    """A call of a function that does nothing outside the buffer and then yields 0."""
    text = (
        f"static {buffer.element} {name}(volatile {buffer.qualifier} {buffer.element} *p, long n, "
        f"long i, {type} v)\n{{\n    return (ulong)i < (ulong)n ? {call_text} : 0;\n}}"
    )
    scope.helpers.function(name, lambda: text)
    return _call(name, buffer, index, value)


def _call(name: str, buffer: Buffer, index: Expression, *values: Expression) -> Expression:
    arguments = [buffer.name, buffer.length.text, index.converted, *(v.converted for v in values)]
    text = f"{name}({', '.join(arguments)})"
    return combine(text, buffer.element, Precedence.PRIMARY, index, *values)


def _in_halves(
    scope: Scope, op: AtomicRMWOp, buffer: Buffer, index: Expression, value: Expression
) -> Expression:
    kind = op.kind.data
    if op.old.uses or (kind != AtomicKind.ADDI and kind not in _HALVES):
        used = " whose old value is used" if op.old.uses else ""
        raise _needs_int64_atomics(f"'{op.name}' {kind} of an i64{used}")
    if kind == AtomicKind.ADDI:
        name, text = f"vyre_atomic_add_u64{buffer.suffix}", _add_in_halves
    else:
        name, text = f"vyre_atomic_{_HALVES[kind]}_u64{buffer.suffix}", _bitwise_in_halves
    qualifier, function = buffer.qualifier, _FUNCTIONS[kind]
    scope.helpers.function(name, lambda: text(name, qualifier, function))
    return _call(name, buffer, index, value)


def _needs_int64_atomics(what: str) -> DiagnosticException:
    return DiagnosticException(
        f"{what} needs 64-bit atomics: expected a device with cl_khr_int64_base_atomics and "
        "cl_khr_int64_extended_atomics, or 'vyre-opencl{int64_atomics=true}' for one that has them"
    )


def _halves_text(name: str, qualifier: str, body: str) -> str:
    return f"""static void {name}({qualifier} ulong *p, long n, long i, ulong v)
{{
    if ((ulong)i >= (ulong)n)
        return;
    volatile {qualifier} uint *halves = (volatile {qualifier} uint *)&p[i];
    uint low = (uint)v;
    uint high = (uint)(v >> 32);
{body}
}}"""


def _add_in_halves(name: str, qualifier: str, function: str) -> str:
    body = """    uint old = atomic_add(&halves[0], low);
    high += old + low < old ? 1u : 0u;
    if (high != 0)
        atomic_add(&halves[1], high);"""
    return _halves_text(name, qualifier, body)


def _bitwise_in_halves(name: str, qualifier: str, function: str) -> str:
    body = f"""    atomic_{function}(&halves[0], low);
    atomic_{function}(&halves[1], high);"""
    return _halves_text(name, qualifier, body)


def _cas(scope: Scope, op: AtomicCASOp, *, int64_atomics: bool) -> Expression:
    """The call that performs `op` and yields the old value."""
    buffer, index = scope.buffer(op.buffer), scope.value(op.index)
    expected, desired = scope.value(op.expected), scope.value(op.desired)
    type = buffer.element
    if type.width == 64 and not int64_atomics:
        raise _needs_int64_atomics(f"'{op.name}' of an i64")
    builtin = _builtin(scope, "cmpxchg", type)
    if op.in_bounds is not None:
        arguments = (
            f"&{buffer.name}[{index.converted}], {exact(expected).text}, {exact(desired).text}"
        )
        text = f"{builtin}({arguments})"
        return combine(text, type, Precedence.PRIMARY, index, expected, desired)
    name = f"vyre_atomic_cmpxchg_{type.short_name}{buffer.suffix}"
    text = (
        f"static {type} {name}(volatile {buffer.qualifier} {type} *p, long n, long i, "
        f"{type} expected, {type} desired)\n{{\n"
        f"    return (ulong)i < (ulong)n ? {builtin}(&p[i], expected, desired) : 0;\n}}"
    )
    scope.helpers.function(name, lambda: text)
    return _call(name, buffer, index, expected, desired)


def _trap(scope: Scope, op: TrapOp, *, int64_atomics: bool) -> Expression:
    """The call that lowers element 0 of the errors to the offset."""
    buffer, offset = scope.buffer(op.errors), scope.value(op.offset)
    if buffer.element.width == 64 and not int64_atomics:
        raise _needs_int64_atomics(f"'{op.name}' with errors of type i64")
    in_bounds = isinstance(buffer.length.constant, int) and buffer.length.constant > 0
    value = _trap_offset(offset, buffer.element)
    return _update(scope, AtomicKind.MINU, buffer, literal(0, INDEX), value, in_bounds=in_bounds)


def _trap_offset(offset: Expression, element: CType) -> Expression:
    """The offset as errors hold it: all bits set means no error, so 32 bits stop before that."""
    wide = cast(offset, INDEX.unsigned)
    if element.width == INDEX.width:
        return wide
    largest = literal(2**element.width - 2, INDEX.unsigned)
    return cast(overloaded("min", INDEX.unsigned, wide, largest), element)


# As statements.


def _print_result(printer: StatementScope, result: SSAValue, update: Expression) -> None:
    if not result.uses:
        printer.line(f"{update.text};")
        return
    type = printer.type_of(result)
    name = printer.names.fresh(result.name_hint or "old")
    printer.line(f"{type} {name} = {update.text};")
    printer.bind(result, Expression(name, type))


def atomic_rmw(printer: StatementScope, op: AtomicRMWOp) -> None:
    """An atomic update of one element."""
    update = _rmw(printer, op, int64_atomics=printer.options.int64_atomics)
    _print_result(printer, op.old, update)


def atomic_cas(printer: StatementScope, op: AtomicCASOp) -> None:
    """An atomic exchange where the element is what is expected."""
    update = _cas(printer, op, int64_atomics=printer.options.int64_atomics)
    _print_result(printer, op.old, update)


def trap(printer: StatementScope, op: TrapOp) -> None:
    """Keeps the first offset that something is wrong at."""
    update = _trap(printer, op, int64_atomics=printer.options.int64_atomics)
    printer.line(f"{update.text}; {comment(op.message.data)}")
