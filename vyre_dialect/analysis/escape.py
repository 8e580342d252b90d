"""Who else may look at a buffer than the arms of its program, by its def-use chains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Self

from xdsl.ir import Operation, SSAValue, Use

from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import AccessKind, HasInvocationsInterface, accesses_of, arm_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, Escape, MemorySpace
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import ProgramOp


class Escapes(Analysis):
    """Why buffers of one program escape. Exact: each cause is a use that is there."""

    rests_on_kernels = True

    def __init__(self, program: ProgramOp):
        self._program = program

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """The buffers of a program."""
        assert isinstance(scope, ProgramOp)
        return cls(scope)

    def cause(self, buffer: BufferOp) -> Escape | None:
        """Why the contents of `buffer` matter beyond the program's arms, or None."""
        if buffer.live_out is not None:
            return Escape.LIVE_OUT
        if buffer.contents is not None:
            return Escape.TABLE
        causes = [cause for use in buffer.buffer.uses if (cause := self._of_use(use)) is not None]
        if Escape.HOST_READ in causes and _is_updated(buffer.buffer):
            causes.append(Escape.ATOMIC_HOST_READ)
        return min(causes, key=_PRECEDENCE.index, default=None)

    @cached_property
    def non_escaping(self) -> list[BufferOp]:
        """The global buffers that only the arms know, in order."""
        return [
            buffer
            for buffer in self._program.buffers()
            if buffer.type.space == MemorySpace.GLOBAL and self.cause(buffer) is None
        ]

    def recyclable_by(self, arm: Operation) -> list[BufferOp]:
        """Those of them that an arm or a launch touches, in order."""
        touching = (op for op in ops_inside(arm) if not isinstance(op, BufLenOp))
        used = {value for op in touching for value in op.operands}
        places = sorted(self._places[value] for value in used & self._places.keys())
        return [self.non_escaping[place] for place in places]

    @cached_property
    def _places(self) -> dict[SSAValue, int]:
        return {buffer.buffer: place for place, buffer in enumerate(self.non_escaping)}

    def _of_use(self, use: Use) -> Escape | None:
        user = use.operation
        if isinstance(user, BufLenOp):
            return None
        if isinstance(user, LaunchOp):
            return self._of_argument(user, use.index)
        if arm_of(user) is not None:
            return _inside(user)
        if not isinstance(user, LoadOp):
            return Escape.UNKNOWN_USER
        counts = any(result in self._counting for result in user.results)
        return Escape.DISPATCH_COUNT if counts else Escape.HOST_READ

    def _of_argument(self, launch: LaunchOp, operand: int) -> Escape | None:
        argument = _argument(launch, operand)
        if argument is None:
            return Escape.UNKNOWN_USER
        causes = (_inside(use.operation) for use in argument.uses)
        found = [cause for cause in causes if cause is not None]
        return min(found, key=_PRECEDENCE.index, default=None)

    @cached_property
    def _counting(self) -> set[SSAValue]:
        """The host's values that the invocations or workgroups of an arm are computed from."""
        pending = [count for op in self._program.body.block.ops for count in _counts(op)]
        counting = set[SSAValue]()
        while pending:
            value = pending.pop()
            if value in counting:
                continue
            counting.add(value)
            if isinstance(value.owner, Operation) and not isinstance(value.owner, BufLenOp):
                pending += [each for op in ops_inside(value.owner) for each in op.operands]
        return counting


_PRECEDENCE = [
    Escape.UNKNOWN_USER,
    Escape.TRAP,
    Escape.DISPATCH_COUNT,
    Escape.ATOMIC_HOST_READ,
    Escape.HOST_READ,
]
"""Of several causes, the one to tell."""


def _inside(user: Operation) -> Escape | None:
    """
    Why an op of an arm or a kernel lets its buffers escape. A copy does not: it is waited for in
    the arm that starts it, as its verifier asks.
    """
    if isinstance(user, TrapOp):
        return Escape.TRAP
    return None if states_effects(user) else Escape.UNKNOWN_USER


def _is_updated(buffer: SSAValue) -> bool:
    """Whether an arm updates `buffer` atomically."""
    return any(
        access.kind == AccessKind.UPDATE and access.buffer is value
        for user, value in _users_inside(buffer)
        for access in accesses_of(user)
    )


def _users_inside(buffer: SSAValue) -> Iterator[tuple[Operation, SSAValue]]:
    """The ops that use a buffer, those of kernels included, with the value they know it by."""
    for use in buffer.uses:
        if not isinstance(use.operation, LaunchOp):
            yield use.operation, buffer
        elif (argument := _argument(use.operation, use.index)) is not None:
            yield from ((inner.operation, argument) for inner in argument.uses)


def _argument(launch: LaunchOp, operand: int) -> SSAValue | None:
    """What the kernel of `launch` calls an operand, where there is such a kernel."""
    kernel, position = launch.callee(), operand - len(launch.grid)
    if kernel is None or not 0 <= position < len(kernel.body.block.args):
        return None
    return kernel.body.block.args[position]


def _counts(op: Operation) -> Sequence[SSAValue]:
    """How many invocations or workgroups an arm or a launch has, as far as the host computes it."""
    if isinstance(op, LaunchOp):
        return op.grid
    if not isinstance(op, HasInvocationsInterface):
        return ()
    return [value for value in op.operands if not isinstance(value.type, BufferType)]
