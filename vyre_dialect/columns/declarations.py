"""Buffers that every column's decoders declare."""

from __future__ import annotations

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Program
from vyre_dialect.ir.types import Access


def input_buffer(program: Program, name: str, type: Attribute) -> Buffer:
    """What the host binds."""
    return program.buffer(name, type, access=Access.READ_ONLY)


def error_buffer(program: Program, name: str) -> Buffer:
    """Where a decoder of what is called `name` reports bad input."""
    return program.buffer(f"{name}_errors", i32, 1, fill=-1)


def shared_buffer(program: Program, name: str, type: Attribute) -> Buffer:
    """What the host binds for several columns, declared by the first of them."""
    return declared_buffer(program, name) or input_buffer(program, name, type)


def declared_buffer(program: Program, name: str) -> Buffer | None:
    """A buffer that the program has already, with what decodes it."""
    for buffer in program.op.buffers():
        if buffer.sym_name.data == name:
            return Buffer(buffer.buffer)
    return None
