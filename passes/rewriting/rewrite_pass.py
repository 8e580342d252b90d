"""Passes that say whether they change a module, and that share facts about it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vyre_dialect.analysis.manager import AnalysisManager


@dataclass(frozen=True)
class RewritePass(ModulePass):
    """
    A pass that knows whether it has changed anything, as drivers of patterns do, and that asks a
    manager for facts: by itself one of its own, in a schedule the one that other passes have asked.
    """

    preserves_facts: ClassVar[bool] = False
    """Whether it changes nothing that facts rest on: only marks that say what is known anyway."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.rewrite(ctx, op, AnalysisManager())

    @abstractmethod
    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        """
        Rewrite `module` in place; False where nothing of it is another than before. Facts need not
        be dropped by a pass, unless it asks again about a program or kernel that it has changed.
        """
        raise NotImplementedError
