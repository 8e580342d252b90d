"""`vyre-join-programs`: a decoder and a scanner that live apart become one program."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import EffectInstance, MemoryEffectKind
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.effects import effects_of
from vyre_dialect.ir.types import Access, BufferType, Initial, InitialAttr, MemorySpace, sizes_attr
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.rewriting.moving import move
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of


class JoinProblem(StrEnum):
    """Machine-readable reasons why two programs do not join."""

    HANDOFF_MISSING = "handoff-missing"
    """A program declares no buffer of the handoff's name."""
    ZERO_HANDOFF = "zero-handoff"
    """The decoder leaves the element count of the handoff to the host, which has no say now."""
    HANDOFF_MISMATCH = "handoff-mismatch"
    """The two declarations of the handoff do not fit together."""
    NAME_CLASH = "name-clash"
    """Another buffer is declared by both programs."""
    NO_PAIR = "no-pair"
    """The module does not hold the two programs to join."""


class JoinError(PassFailedException):
    """Two programs that do not join, and why."""

    def __init__(self, problem: JoinProblem, detail: str):
        super().__init__(f"'vyre-join-programs' {problem}: {detail}")
        self.problem = problem


def join_programs(
    decoder: ProgramOp, scanner: ProgramOp, handoff: str, rewriter: PatternRewriter
) -> None:
    """
    Append the scanner's buffers and arms to the decoder, which hands the buffer called
    `handoff` on to them. The handoff is internal from then on: neither bound nor live out. The
    scanner goes. Raises JoinError.
    """
    given, taken = _declaration(decoder, handoff), _declaration(scanner, handoff)
    _require_matching(given, taken)
    _require_distinct_names(decoder, scanner, handoff)
    for program in (decoder, scanner):
        _state_workgroup_sizes(program, rewriter)
    internal = _internal(given, taken)
    rewriter.replace(given, internal)
    rewriter.replace(taken, [], [internal.buffer])
    _rebind(decoder, scanner, rewriter)
    _append(decoder, scanner, rewriter)


def _declaration(program: ProgramOp, handoff: str) -> BufferOp:
    buffer = program.buffer(handoff)
    if buffer is None:
        raise JoinError(
            JoinProblem.HANDOFF_MISSING,
            f"expected '@{program.sym_name.data}' to declare a buffer '@{handoff}'; declare it, "
            "or name another with 'handoff='",
        )
    return buffer


def _require_matching(given: BufferOp, taken: BufferOp) -> None:
    name = given.sym_name.data
    if given.is_sized_by_host:
        raise JoinError(
            JoinProblem.ZERO_HANDOFF,
            f"expected the decoder to say how many elements '@{name}' has, got '?' with no size",
        )
    for buffer in (given, taken):
        if buffer.type.space != MemorySpace.GLOBAL:
            raise JoinError(
                JoinProblem.HANDOFF_MISMATCH,
                f"expected '@{name}' in global memory, got {buffer.type.space}",
            )
    if given.type.element_type != taken.type.element_type:
        raise JoinError(
            JoinProblem.HANDOFF_MISMATCH,
            f"expected elements of type {given.type.element_type} in '@{name}', "
            f"got {taken.type.element_type} in the scanner",
        )
    if taken.type.static_count not in (None, given.type.static_count):
        raise JoinError(
            JoinProblem.HANDOFF_MISMATCH,
            f"expected {given.type.static_count or 'a run-time sized number of'} elements in "
            f"'@{name}', got {taken.type.static_count} in the scanner",
        )
    if taken.size is not None:
        raise JoinError(
            JoinProblem.HANDOFF_MISMATCH,
            f"expected the scanner to take the size of '@{name}' from the decoder, got one of "
            "its own",
        )


def _require_distinct_names(decoder: ProgramOp, scanner: ProgramOp, handoff: str) -> None:
    names = {buffer.sym_name.data for buffer in decoder.buffers()} - {handoff}
    for buffer in scanner.buffers():
        if buffer.sym_name.data in names:
            raise JoinError(
                JoinProblem.NAME_CLASH,
                f"expected only '@{handoff}' to be declared by both programs, got "
                f"'@{buffer.sym_name.data}' too; rename one of them",
            )


def _state_workgroup_sizes(program: ProgramOp, rewriter: PatternRewriter) -> None:
    """Let every arm state the workgroup size that it has by default."""
    for arm in program.arms():
        arm.workgroup_size = arm.workgroup_size or sizes_attr(arm.workgroup)
        rewriter.notify_op_modified(arm)


def _internal(given: BufferOp, taken: BufferOp) -> BufferOp:
    """The handoff inside the joined program; where attributes differ, the decoder's win."""
    type = BufferType(given.type.count, given.type.element_type, Access.READ_WRITE)
    buffer = BufferOp(given.sym_name.data, type, size=given.size)
    buffer.initial, buffer.fill = given.initial or InitialAttr(Initial.HOST), given.fill
    buffer.attributes = {**taken.attributes, **given.attributes}
    buffer.location = given.location
    return buffer


def _rebind(decoder: ProgramOp, scanner: ProgramOp, rewriter: PatternRewriter) -> None:
    """Move bindings of the scanner that the decoder has taken to the next free ones."""
    used = {buffer.binding.value.data for buffer in decoder.buffers() if buffer.binding}
    used_later = {buffer.binding.value.data for buffer in scanner.buffers() if buffer.binding}
    for buffer in scanner.buffers():
        if buffer.binding is None or buffer.binding.value.data not in used:
            continue
        free = next(slot for slot in count() if slot not in used | used_later)
        buffer.binding = IntegerAttr(free, i64)
        rewriter.notify_op_modified(buffer)
        used.add(free)


def _append(decoder: ProgramOp, scanner: ProgramOp, rewriter: PatternRewriter) -> None:
    move(list(scanner.body.block.ops), InsertPoint.at_end(decoder.body.block), rewriter)
    ids = [program.entry_op_id.data for program in (decoder, scanner) if program.entry_op_id]
    decoder.entry_op_id = StringAttr("+".join(ids)) if ids else None
    decoder.attributes = {**scanner.attributes, **decoder.attributes}
    rewriter.notify_op_modified(decoder)
    rewriter.erase(scanner)


def _pair(module: ModuleOp, handoff: str, decoder: str, scanner: str) -> list[ProgramOp]:
    """The programs to join: those that are named, or else the only two, writer first."""
    programs = {op.sym_name.data: op for op in module.ops if isinstance(op, ProgramOp)}
    for name in filter(None, (decoder, scanner)):
        if name not in programs:
            raise JoinError(JoinProblem.NO_PAIR, f"expected a 'vyre.program' '@{name}', got none")
    if decoder and scanner:
        return [programs[decoder], programs[scanner]]
    if len(programs) != 2:
        raise JoinError(
            JoinProblem.NO_PAIR,
            f"expected two programs, got {len(programs)}; name them with 'decoder=' and 'scanner='",
        )
    both = list(programs.values())
    if decoder or scanner:
        named = programs[decoder or scanner]
        both.sort(key=lambda program: (program is named) == bool(scanner))
        return both
    return sorted(both, key=lambda program: not _writes(program, handoff))


def _writes(program: ProgramOp, handoff: str) -> bool:
    buffer = program.buffer(handoff)
    if buffer is None:
        return False
    write = EffectInstance(MemoryEffectKind.WRITE, buffer.buffer)
    return any(write in (effects_of(use.operation) or ()) for use in buffer.buffer.uses)


@dataclass(frozen=True)
class JoinProgramsPass(RewritePass):
    """
    Joins a decoder and a scanner at the buffer that both declare under the name `handoff`.

    The decoder writes it, the scanner reads it; `decoder` and `scanner` name the programs
    where the module has more than two.
    """

    name = "vyre-join-programs"

    handoff: str
    """Name of the buffer that the decoder hands to the scanner."""
    decoder: str = ""
    """Name of the decoding program; unless stated, the one that writes the handoff."""
    scanner: str = ""
    """Name of the scanning program; unless stated, the other one."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        first, second = _pair(module, self.handoff, self.decoder, self.scanner)
        join_programs(first, second, self.handoff, rewriter_of(module, facts))
        return True
