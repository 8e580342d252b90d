"""What passes put into a program around its arms: invocation counts and buffers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.builder import Buffer, Program, Value
from vyre_dialect.ir.types import Access, Initial, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp


def program_of(op: Operation) -> ProgramOp:
    """The program that a library op stands in."""
    parent = op.parent_op()
    assert isinstance(parent, ProgramOp)
    return parent


def invocations(buffer: Buffer, elements: int) -> Value | int:
    """How many invocations cover a buffer when each takes `elements` elements of it."""
    count = buffer.type.static_count
    if count is not None:
        return -(-count // elements)
    return buffer.length.ceildiv(elements).named("invocations")


def length_of(buffer: Buffer, name: str) -> Value | int:
    """How many elements a buffer has; a value of the host of that name where it is not known."""
    count = buffer.type.static_count
    return buffer.length.named(name) if count is None else count


def name_of(buffer: SSAValue) -> str:
    """The name of a buffer of a program."""
    assert isinstance(buffer.owner, BufferOp)
    return buffer.owner.sym_name.data


def table(
    program: ProgramOp, name: str, element_type: Attribute, contents: Sequence[int]
) -> Buffer:
    """A read-only table with compile-time contents."""
    return Program(program).buffer(
        unique_name(program, name), element_type, access=Access.READ_ONLY, contents=contents
    )


def temporary(
    program: ProgramOp,
    name: str,
    element_type: Attribute,
    count: Value | int,
    memory_space: MemorySpace = MemorySpace.GLOBAL,
) -> Buffer:
    """A buffer for what one arm hands on to the next, or for what a workgroup shares."""
    return Program(program).buffer(
        unique_name(program, name),
        element_type,
        count,
        memory_space=memory_space,
        initial=Initial.UNDEFINED if memory_space == MemorySpace.GLOBAL else None,
    )


def unique_name(program: ProgramOp, name: str) -> str:
    """`name`, or `name` with a number behind it, that no buffer of the program has."""
    taken = {buffer.sym_name.data for buffer in program.buffers()}
    candidate, number = name, 0
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
