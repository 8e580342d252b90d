"""A compiled program as plain data: all that another host needs to launch its kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.runtime.program.compiled_program import CompiledProgram

Expression: TypeAlias = "int | float | list[Expression | str]"
"""A number, or what the host computes: the name of an op and its operands, as `["length", "a"]`."""
Parts: TypeAlias = Mapping[SSAValue, int]
MOST_PARTS = 200
"""Ops of an expression that is told whole; each that uses the one before twice doubles them."""


def describe(compiled: CompiledProgram) -> dict[str, object]:
    """
    The kernels, buffers and launches of a program, in the order in which the host makes them.

    Arguments and grids are numbers, or expressions of the host: `["length", BUFFER]` is a number of
    elements, `["load", BUFFER, INDEX]` an element, and any other an op of `arith` on expressions;
    one of more than `MOST_PARTS` ops is `["..."]`.
    """
    ops = list(compiled.program.body.block.ops)
    parts = _parts(ops)
    return {
        "program": compiled.name,
        "kernels": [
            {
                "name": name,
                "generator": kernel.generator,
                "workgroup_size": list(kernel.workgroup),
            }
            for name, kernel in compiled.kernels.items()
        ],
        "buffers": [_buffer(op, parts) for op in ops if isinstance(op, BufferOp)],
        "launches": [_launch(op, parts) for op in ops if isinstance(op, LaunchOp)],
    }


def _buffer(buffer: BufferOp, parts: Parts) -> dict[str, object]:
    type, fill = buffer.type, buffer.fill
    count = type.static_count if buffer.size is None else _expression(buffer.size, parts)
    has_fill = isinstance(fill, IntegerAttr | FloatAttr)
    return {
        "name": buffer.sym_name.data,
        "element_type": str(type.element_type),
        "count": count,
        "access": str(type.access.data),
        "memory_space": str(type.space),
        "initial": str(buffer.initial_contents),
        "fill": fill.value.data if has_fill else None,
        "contents": None if buffer.contents is None else str(buffer.contents),
        "live_out": buffer.live_out is not None,
    }


def _launch(launch: LaunchOp, parts: Parts) -> dict[str, object]:
    return {
        "kernel": launch.kernel.string_value(),
        "workgroups": [_expression(count, parts) for count in launch.workgroups],
        "arguments": [_argument(value, parts) for value in launch.arguments],
    }


def _argument(value: SSAValue, parts: Parts) -> dict[str, object]:
    if isinstance(value.owner, BufferOp):
        return {"buffer": value.owner.sym_name.data}
    return {"type": str(value.type), "value": _expression(value, parts)}


def _parts(ops: Iterable[Operation]) -> Parts:
    """How many ops the expression of each value has, in which those that are shared stand again."""
    parts = dict[SSAValue, int]()
    for op in ops:
        told = [each for each in op.operands if not isinstance(each.type, BufferType)]  # no names
        size = 1 + sum(parts.get(operand, 0) for operand in told)
        parts.update(dict.fromkeys(op.results, size))
    return parts


def _expression(value: SSAValue | int, parts: Parts) -> Expression:
    if isinstance(value, int):
        return value
    if parts.get(value, 0) > MOST_PARTS:
        return ["..."]
    op = value.owner
    assert isinstance(op, Operation)  # the body of a program has no arguments
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
        return op.value.value.data
    match op:
        case BufLenOp():
            return ["length", _name(op.buffer)]
        case LoadOp():
            return ["load", _name(op.buffer), _expression(op.index, parts)]
        case arith.CmpiOp():
            name = f"cmpi {op.predicate.value.data}"
        case _:
            name = op.name.removeprefix("arith.")
    return [name, *(_expression(operand, parts) for operand in op.operands)]


def _name(buffer: SSAValue) -> str:
    assert isinstance(buffer.owner, BufferOp)
    return buffer.owner.sym_name.data
