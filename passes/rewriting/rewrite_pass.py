"""Passes that say whether they change a module, and that share facts about it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

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

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.rewrite(ctx, op, AnalysisManager())

    @abstractmethod
    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        """
        Rewrite `module` in place, by rewriters that tell `facts` (`rewriters.py`); whether anything
        of it is another than before.
        """
        raise NotImplementedError
