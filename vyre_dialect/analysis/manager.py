"""
One home for facts: each analysis of a program, arm or kernel is computed once, until that changes.

A manager belongs to one run over one module, which it does not outlive, and to the thread of that.
No pass keeps them. Source: the `AnalysisManager` of LLVM and MLIR, whose passes say what
they preserve; here nobody needs to say it, as listeners and snapshots tell what has changed.
"""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar, cast

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriterListener

from vyre_dialect.ir.interfaces import HasInvocationsInterface, arms_in
from vyre_dialect.ops.kernel import KernelOp


class Analysis(Protocol):
    """Something that is known about an op and all that is inside of it."""

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """
        The facts about `scope`: a module, a program, an arm or a kernel. They may rest on the op
        itself, on what stands around it, and on programs, but on no other kernel.
        """
        ...


A = TypeVar("A", bound=Analysis)


class AnalysisManager:
    """The facts about one module that are known to hold."""

    def __init__(self) -> None:
        self._known: dict[Operation, dict[tuple[type[Any], Operation], Any]] = {}

    def get(self, analysis: type[A], scope: Operation) -> A:
        """What an analysis says about `scope`, computed when somebody asks for the first time."""
        known = self._known.setdefault(top_level_op(scope), {})
        key = analysis, scope
        if key not in known:
            known[key] = analysis.of_scope(scope, self)
        return cast(A, known[key])

    def of_arms(
        self, analysis: type[A], module: Operation
    ) -> list[tuple[HasInvocationsInterface, A]]:
        """
        The arms and kernels of a module, each with what is known of it before anything changes.
        That stays true of values while ops are replaced by others that compute the same.
        """
        return [(arm, self.get(analysis, arm)) for arm in arms_in(module)]

    def invalidate(self, changed: Operation) -> None:
        """
        Forget what may rest on `changed`, in which, or around which, something is about to change
        or has changed: the facts about the kernel that it stands in, or else all.
        """
        top = top_level_op(changed)
        if isinstance(top, KernelOp):
            self._known.pop(top, None)
        else:
            self._known.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()

    def listener(self) -> PatternRewriterListener:
        """What a rewriter tells of its changes, so that no fact outlives them."""
        return PatternRewriterListener(
            operation_insertion_handler=[self.invalidate],
            operation_removal_handler=[self.invalidate],
            operation_modification_handler=[self.invalidate],
            operation_replacement_handler=[lambda op, _: self.invalidate(op)],
        )


def top_level_op(op: Operation) -> Operation:
    """The kernel or program around `op`, or `op` itself; of a module, the module."""
    while (parent := op.parent_op()) is not None and parent.parent_op() is not None:
        op = parent
    return op
