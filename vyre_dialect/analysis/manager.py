"""
One home for facts: each analysis of a program, arm or kernel is computed once, until that changes.

A manager belongs to one run over one module, which it does not outlive, and to the thread of that.
No pass keeps them. Source: the `AnalysisManager` of LLVM and MLIR, whose passes say what
they preserve; here nobody needs to say it, as listeners and snapshots tell what has changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum, auto
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, cast

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriterListener

from vyre_dialect.ir.interfaces import HasInvocationsInterface, arms_in


class Change(Enum):
    """What a rewriter does to an op."""

    INSERTED = auto()
    """It stands where it was inserted."""
    REMOVED = auto()
    """It is about to go, and stands there still."""
    MODIFIED = auto()
    """Its operands, properties or attributes are others, or ops inside of it."""


class Analysis(ABC):
    """Something that is known about an op and all that is inside of it."""

    rests_on_kernels: ClassVar[bool] = False
    """Whether what is known of a program follows from what its kernels do, too."""

    @classmethod
    @abstractmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """
        The facts about `scope`: a module, a program, an arm or a kernel. They may rest on the op
        itself, on what stands around it, and on programs, but on no other kernel.
        """
        raise NotImplementedError

    def follow(self, change: Change, op: Operation) -> bool:
        """
        Take in that `op`, of a program, has changed; False where the facts are to be found afresh.
        Source: `isInvalidated` of MLIR's analyses.
        """
        return False


A = TypeVar("A", bound=Analysis)
_Facts: TypeAlias = dict[tuple[type[Any], Operation], Analysis]
"""What is known, by the analysis and by what it is about."""


class AnalysisManager:
    """The facts about one module that are known to hold."""

    def __init__(self) -> None:
        self._of_kernels: dict[Operation, _Facts] = {}
        self._of_programs: _Facts = {}
        """About modules and programs, and all in them but kernels."""

    def get(self, analysis: type[A], scope: Operation) -> A:
        """What an analysis says about `scope`, computed when somebody asks for the first time."""
        top = top_level_op(scope)
        known = self._of_kernels.setdefault(top, {}) if _is_kernel(top) else self._of_programs
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
        if _is_kernel(top):
            self._forget_kernel(top)
        else:
            self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._of_kernels.clear()
        self._of_programs.clear()

    def listener(self) -> PatternRewriterListener:
        """What a rewriter tells of its changes, so that no fact outlives them."""
        return PatternRewriterListener(
            operation_insertion_handler=[lambda op: self._follow(Change.INSERTED, op)],
            operation_removal_handler=[lambda op: self._follow(Change.REMOVED, op)],
            operation_modification_handler=[lambda op: self._follow(Change.MODIFIED, op)],
            operation_replacement_handler=[lambda op, _: self._follow(Change.MODIFIED, op)],
        )

    def _follow(self, change: Change, op: Operation) -> None:
        """Keep what holds after a change, or takes it in."""
        top = top_level_op(op)
        if _is_kernel(top):
            self._forget_kernel(top)
            return
        self._of_kernels.clear()
        known = self._of_programs.items()
        self._of_programs = {key: fact for key, fact in known if fact.follow(change, op)}

    def _forget_kernel(self, kernel: Operation) -> None:
        self._of_kernels.pop(kernel, None)
        for key in [each for each in self._of_programs if each[0].rests_on_kernels]:
            del self._of_programs[key]


def top_level_op(op: Operation) -> Operation:
    """The kernel or program around `op`, or `op` itself; of a module, the module."""
    while (parent := op.parent_op()) is not None and parent.parent_op() is not None:
        op = parent
    return op


def _is_kernel(top: Operation) -> bool:
    """Whether an op of a module is a kernel: arms stand in programs."""
    return isinstance(top, HasInvocationsInterface)
