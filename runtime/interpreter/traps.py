"""Bad input that an arm has found, told to the user once the program has run."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import IntegerType, i8
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.traps import messages_of_traps
from vyre_dialect.lowering.opencl.printed import PrintedKernel
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes, as_elements

LARGEST_I32_OFFSET = 2**32 - 2
"""What errors of type i32 hold for this offset and all beyond; all bits set means no error."""


class TrapError(VyreError):
    """An arm trapped: its input is not what the program takes."""

    def __init__(self, program: str, message: str, offset: int, *, or_later: bool = False):
        later = " or later" if or_later else ""
        super().__init__(f"'{program}': {message} at offset {offset}{later}")
        self.message = message
        self.offset = offset
        self.or_later = or_later


@contextmanager
def explained_traps(program: ProgramOp, inputs: Mapping[str, Array | Bytes]) -> Generator[None]:
    """
    Let a TrapError about an input of the host show the byte, and what would skip it; `inputs` are
    as they were given.
    """
    try:
        yield
    except TrapError as error:
        if explanation := _explanation(program, inputs, error):
            error.args = (f"{error}{explanation}",)
        raise


def _explanation(program: ProgramOp, inputs: Mapping[str, Array | Bytes], error: TrapError) -> str:
    decoders = [op for op in program.body.block.ops if isinstance(op, DecodeOp)]
    reporting = [op for op in decoders if op.reported is not None]
    sources = [op.encoded.owner for op in reporting]
    if len(sources) != 1 or not isinstance(source := sources[0], BufferOp):
        return ""  # which of them has reported it is unknown
    if source.type.element_type != i8 or not reporting[0].reports_elements:
        return ""  # there is no byte at the offset
    given = inputs.get(name := source.sym_name.data)
    if given is None or getattr(reporting[0], "skip_whitespace", None) is not None:
        return ""
    contents = as_elements(name, source.type, given)
    if error.offset >= contents.size:
        return ": the input ends there" if error.offset == contents.size else ""
    byte = int(contents[error.offset])
    hint = ""
    if bytes([byte]).isspace() and hasattr(reporting[0], "skip_whitespace"):
        hint = f"; 'skip_whitespace' on '{reporting[0].name}' skips whitespace"
    return f": byte 0x{byte:02x} ({chr(byte)!r}){hint}"


def trap_messages(program: ProgramOp) -> dict[BufferOp, list[str]]:
    """The buffers that the traps of arms and kernels report into, each with their messages."""
    return _joined(found for op in program.body.block.ops for found in _reported_by(op))


def printed_trap_messages(
    program: ProgramOp, kernels: Mapping[str, PrintedKernel]
) -> dict[BufferOp, list[str]]:
    """As `trap_messages`, where the kernels that the program launches are printed."""
    return _joined(
        (buffer, argument.traps)
        for op in program.body.block.ops
        if isinstance(op, LaunchOp)
        for buffer, argument in zip(op.arguments, kernels[op.kernel_name].arguments, strict=True)
    )


def _reported_by(op: Operation) -> Iterator[tuple[SSAValue, Sequence[str]]]:
    """What the traps of an arm, or of the kernel of a launch, report into, with the messages."""
    if isinstance(op, RegionOp):
        yield from messages_of_traps(op.body).items()
    elif isinstance(op, LaunchOp) and (kernel := op.callee()) is not None:
        given = dict[SSAValue, SSAValue](zip(kernel.body.block.args, op.arguments, strict=True))
        for errors, messages in messages_of_traps(kernel.body).items():
            yield given[errors], messages


def _joined(found: Iterable[tuple[SSAValue, Sequence[str]]]) -> dict[BufferOp, list[str]]:
    """All messages about each buffer, each once."""
    joined = dict[BufferOp, list[str]]()
    for value, messages in found:
        if messages:
            assert isinstance(value.owner, BufferOp)
            known = joined.setdefault(value.owner, [])
            known += [each for each in messages if each not in known]
    return joined


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
