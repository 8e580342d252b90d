"""Bad input that an arm has found, told to the user once the program has run."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.program.arrays import Array

LARGEST_I32_OFFSET = 2**32 - 2
"""What errors of type i32 hold for this offset and all beyond; all bits set means no error."""


class TrapError(VyreError):
    """An arm trapped: its input is not what the program takes."""

    def __init__(self, program: str, message: str, offset: int, *, or_later: bool = False):
        later = " or later" if or_later else ""
        super().__init__(f"'{program}': {message} at offset {offset}{later}")
        self.message = message
        self.offset = offset


@contextmanager
def explained_traps(program: ProgramOp, inputs: Mapping[str, Array]) -> Generator[None]:
    """Let a TrapError about an input of the host show the byte, and what would skip it."""
    try:
        yield
    except TrapError as error:
        if explanation := _explanation(program, inputs, error):
            error.args = (f"{error}{explanation}",)
        raise


def _explanation(program: ProgramOp, inputs: Mapping[str, Array], error: TrapError) -> str:
    decoders = [op for op in program.body.block.ops if isinstance(op, DecodeOp)]
    reporting = [op for op in decoders if op.reported is not None]
    sources = [op.encoded.owner for op in reporting]
    if len(sources) != 1 or not isinstance(sources[0], BufferOp):
        return ""  # nobody knows which of them has reported it
    contents = inputs.get(sources[0].sym_name.data)
    skips = getattr(reporting[0], "skip_whitespace", None)
    if contents is None or skips is not None or error.offset >= contents.size:
        return ""
    byte = int(contents[error.offset])
    hint = ""
    if bytes([byte]).isspace() and hasattr(reporting[0], "skip_whitespace"):
        hint = f"; 'skip_whitespace' on '{reporting[0].name}' skips whitespace"
    return f": byte 0x{byte:02x} ({chr(byte)!r}){hint}"


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
