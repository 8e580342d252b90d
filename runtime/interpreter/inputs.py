"""Checks what the host supplies to a program before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from vyre_dialect.ir.types import Access, BufferType, Initial, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.errors import UsageError, VyreError, did_you_mean
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes, as_elements


@dataclass(frozen=True)
class ProgramInputs:
    """What the host may supply to a program."""

    program: str
    """Its name."""
    types: Mapping[str, BufferType]
    """The buffers whose contents may be supplied, by name."""
    needed: tuple[str, ...]
    """Those of them that must be."""
    others: tuple[str, ...]
    """The buffers that take no input."""

    @classmethod
    def of(cls, program: ProgramOp) -> ProgramInputs:
        """The inputs of `program`. Library ops may still give buffers sizes: expand them before."""
        buffers = {buffer.sym_name.data: buffer for buffer in program.buffers()}
        supplied = {name: each for name, each in buffers.items() if _may_be_supplied(each)}
        return cls(
            program.sym_name.data,
            {name: buffer.type for name, buffer in supplied.items()},
            tuple(name for name, buffer in supplied.items() if buffer.is_sized_by_host),
            tuple(name for name in buffers if name not in supplied),
        )

    def verify_names(self, names: Iterable[str]) -> None:
        """Raise a UsageError for a name that is no buffer of the program, or one without input."""
        for name in names:
            if name in self.types:
                continue
            if name not in self.others:
                raise UsageError(_unknown(self.program, "input", name, self._inputs()))
            raise UsageError(f"buffer '{name}' of '{self.program}' takes no input")

    def _inputs(self) -> list[str]:
        """What the host is expected to supply, rather than what it may fill beforehand."""
        return [
            name
            for name, type in self.types.items()
            if name in self.needed or type.access.data in (Access.READ_ONLY, Access.UNIFORM)
        ]

    def verify_complete(self, names: Collection[str]) -> None:
        """Raise a UsageError where something else has to be supplied, too."""
        for name in self.needed:
            if name not in names:
                raise missing_input(self.program, name, self._how_it_is_made(name))

    def _how_it_is_made(self, name: str) -> str:
        """What an output is to look like that was taken for an input."""
        if not self.types[name].writable:
            return ""
        return f"; where the program makes it: '@{name}[%n] initial undefined'"

    def bind(self, inputs: Mapping[str, Array | Bytes]) -> dict[str, Array]:
        """The contents of each buffer that the host supplies, as elements of the buffer.

        Raises a UsageError for a name that is no input and for an input that is missing, and a
        VyreError for one of the wrong size.
        """
        self.verify_names(inputs)
        self.verify_complete(inputs)
        return {name: as_elements(name, self.types[name], inputs[name]) for name in inputs}


def missing_input(program: str, buffer: str, hint: str = "") -> UsageError:
    """The error of an input that a program does not get."""
    error = UsageError(f"'{program}' expected an input for buffer '{buffer}', got none{hint}")
    error.advice = f"name it by --input {buffer}=FILE"
    return error


def remaining_inputs(program: ProgramOp, bound: Mapping[str, Array]) -> dict[str, Array]:
    """The inputs of a program's source that `program`, compiled from it, still takes.

    Fusion removes a handoff only where its initial contents are not read.
    """
    names = {buffer.sym_name.data for buffer in program.buffers() if _may_be_supplied(buffer)}
    return {name: contents for name, contents in bound.items() if name in names}


def check_outputs(program: ProgramOp, names: Iterable[str]) -> None:
    """Raise a UsageError for a name that is no live-out buffer of the program."""
    live = {buffer.sym_name.data: buffer.live_out is not None for buffer in program.buffers()}
    known = [name for name, is_live_out in live.items() if is_live_out]
    for name in names:
        if name not in live:
            raise UsageError(_unknown(program.sym_name.data, "output", name, known))
        if not live[name]:
            raise UsageError(
                f"buffer '{name}' of '{program.sym_name.data}' is not live out: declare it "
                f"'live_out' to have it read back{_those(known)}"
            )


def _those(known: list[str]) -> str:
    return f"; live out {'is' if len(known) == 1 else 'are'} {', '.join(known)}" if known else ""


def check_supplied_count(buffer: BufferOp, computed: int | None, supplied: int) -> None:
    """Raise a VyreError when an input has another size than the program computes for it."""
    if computed is not None and computed != supplied:
        raise VyreError(
            f"input '{buffer.sym_name.data}' expected {computed} elements of "
            f"{buffer.type.element_type}, got {supplied}"
        )


def _may_be_supplied(buffer: BufferOp) -> bool:
    return (
        buffer.type.space == MemorySpace.GLOBAL
        and buffer.initial_contents == Initial.HOST
        and buffer.contents is None
    )


def _unknown(program: str, role: str, name: str, known: list[str]) -> str:
    """What to say of a name that no input or output of a program has."""
    hint = did_you_mean(name, known, f"it has {', '.join(known) or 'none'}")
    return f"unknown {role} '{name}' of '{program}': {hint}"
