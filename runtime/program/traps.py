"""Bad input that an arm has found, told to the user once the program has run."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.runtime.errors import VyreError

LARGEST_I32_OFFSET = 2**32 - 2
"""What errors of type i32 hold for this offset and all beyond; all bits set means no error."""


class TrapError(VyreError):
    """An arm trapped: its input is not what the program takes."""

    def __init__(self, program: str, message: str, offset: int, *, or_later: bool = False):
        later = " or later" if or_later else ""
        super().__init__(f"'{program}': {message} at offset {offset}{later}")
        self.message = message
        self.offset = offset


def trap_messages(program: ProgramOp) -> dict[BufferOp, list[str]]:
    """The buffers that traps report into, each with their messages in order."""
    messages = dict[BufferOp, list[str]]()
    for op in program.body.block.ops:
        for trap, buffer in _traps(op):
            known = messages.setdefault(buffer, [])
            if trap.message.data not in known:
                known.append(trap.message.data)
    return messages


def verify_no_trap(program: ProgramOp, buffer: BufferOp, messages: list[str], first: int) -> None:
    """Raise TrapError unless `first`, element 0 of `buffer` after the run, has all bits set."""
    element = buffer.type.element_type
    assert isinstance(element, IntegerType)
    all_ones = (1 << element.width.data) - 1
    offset = first & all_ones
    if offset == all_ones:
        return
    saturated = element.width.data == 32 and offset == LARGEST_I32_OFFSET
    raise TrapError(program.sym_name.data, " or ".join(messages), offset, or_later=saturated)


def _traps(op: Operation) -> Iterator[tuple[TrapOp, BufferOp]]:
    """The traps of an arm, or of the kernel of a launch, and the buffers they report into."""
    given = dict[SSAValue, SSAValue]()
    if isinstance(op, LaunchOp) and (kernel := op.callee()) is not None:
        given.update(zip(kernel.body.block.args, op.arguments, strict=True))
        op = kernel
    for trap in op.walk():
        if isinstance(trap, TrapOp):
            errors = given.get(trap.errors, trap.errors).owner
            assert isinstance(errors, BufferOp)
            yield trap, errors
