"""`vyre-scratch-reuse`: one arena for the buffers that escape nowhere, by when they are alive."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.escape import Escapes
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import KernelOp, LaunchOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.passes.memory.packing.planner import Effort, Packing, plan
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

DEFAULT_ALIGNMENT = 512
"""Bytes; no device was seen to ask for more of the beginning of a sub-buffer."""
EFFORT = Effort(nodes=4000)
"""Counted, not timed, so that a program has the same plan every time; some tenths of a second."""


class ScratchReusePlan(Analysis):
    """
    Which buffers of a program may share memory.

    Inputs are among them: what the host has handed over may go once it was read for the last time.
    """

    rests_on_kernels = True

    def __init__(self, program: ProgramOp, escapes: Escapes):
        self._program, self._escapes = program, escapes

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """What may share memory in a program."""
        assert isinstance(scope, ProgramOp)
        return cls(scope, facts.get(Escapes, scope))

    @property
    def non_escaping(self) -> list[BufferOp]:
        """The buffers that only the arms know, in order."""
        return self._escapes.non_escaping

    def is_recyclable(self, name: str) -> bool:
        """Whether the buffer of that name may share its memory."""
        return any(buffer.sym_name.data == name for buffer in self.non_escaping)

    @cached_property
    def by_arm(self) -> Mapping[str, Set[str]]:
        """
        The names of the recyclable buffers that each arm touches, or its kernel once it is one, by
        its generator.
        """
        found = dict[str, set[str]]()
        for op in self._program.body.block.ops:
            if (generator := _generator(op)) is None:
                continue
            if touched := {each.sym_name.data for each in self._escapes.recyclable_by(op)}:
                found.setdefault(generator, set()).update(touched)
        return found

    def recyclable_for(self, generator: str) -> Set[str]:
        """The buffers that the arm of that generator may recycle; none if there is no such arm."""
        return self.by_arm.get(generator, frozenset())

    @property
    def pair_count(self) -> int:
        """How many pairs of an arm and a buffer that it may recycle there are."""
        return sum(map(len, self.by_arm.values()))


def _generator(op: Operation) -> str | None:
    """What produced an arm or the kernel of a launch; None for other ops."""
    producer = op.callee() if isinstance(op, LaunchOp) else op
    return producer.generator.data if isinstance(producer, RegionOp | KernelOp) else None


def packed(
    program: ProgramOp, sizes: Mapping[BufferOp, int], alignment: int = DEFAULT_ALIGNMENT
) -> Packing:
    """Offsets for the buffers in `sizes`, which says how many bytes each has, in their order."""
    return plan(live_ranges_of(program, sizes), EFFORT, alignment=alignment)


def live_ranges_of(program: ProgramOp, sizes: Mapping[BufferOp, int]) -> list[LiveRange]:
    """What a planner needs to know of the buffers in `sizes`, in their order."""
    live_ranges = program.live_ranges()
    return [
        LiveRange(live_ranges[each].begin, live_ranges[each].end, size)
        for each, size in sizes.items()
    ]


_Offsets: TypeAlias = Mapping[BufferOp, IntegerAttr]


@dataclass(frozen=True)
class ScratchReusePass(RewritePass):
    """
    Gives each buffer marked `non_escaping` that an arm touches its `arena_offset`, and the program
    the size of the arena.

    Where the size of one of them is known at run time only, no offset holds for every run: then
    the runtime places them, by the same live ranges and planner, for the sizes that it sees.
    """

    name = "vyre-scratch-reuse"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-escape-analysis",),
        boundary=Boundary.PROGRAM,
    )

    alignment: int = DEFAULT_ALIGNMENT
    """Bytes that every offset is a multiple of."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        if self.alignment < 1:
            raise PassFailedException(
                f"'{self.name}' expected an alignment of at least 1 byte, got {self.alignment}"
            )
        rewriter = rewriter_of(module, facts)
        for program in [each for each in ops_outside_arms(module) if isinstance(each, ProgramOp)]:
            _place(program, *self._plan(program), rewriter)
        return rewriter.has_done_action

    def _plan(self, program: ProgramOp) -> tuple[IntegerAttr | None, _Offsets]:
        """The size of the arena and the offsets in it; None and none without one."""
        sizes = {
            buffer: buffer.type.static_bytes
            for buffer, live_range in program.live_ranges().items()
            if buffer.non_escaping is not None and not live_range.is_empty
        }
        known = {each: size for each, size in sizes.items() if size is not None}
        if not known or len(known) < len(sizes):
            return None, {}
        packing = packed(program, known, self.alignment)
        offsets = zip(known, packing.offsets, strict=True)
        return IntegerAttr(packing.peak, i64), {each: IntegerAttr(at, i64) for each, at in offsets}


def _place(
    program: ProgramOp, size: IntegerAttr | None, offsets: _Offsets, rewriter: PatternRewriter
) -> None:
    """Let a program have an arena of `size` bytes with the buffers at `offsets`, and no others."""
    for buffer in program.buffers():
        if buffer.arena_offset != offsets.get(buffer):
            buffer.arena_offset = offsets.get(buffer)
            rewriter.notify_op_modified(buffer)
    if program.arena_bytes != size:
        program.arena_bytes = size
        rewriter.notify_op_modified(program)
