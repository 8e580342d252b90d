"""Passes that ask for facts, and share them with other passes where somebody runs several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vyre_dialect.analysis.manager import AnalysisManager


class AnalysisPass(ModulePass, ABC):
    """
    A pass that asks a manager for facts: by itself one of its own, in a schedule the one that
    other passes have asked before.
    """

    preserves_facts: ClassVar[bool] = False
    """Whether it changes nothing that facts rest on: only marks that say what is known anyway."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.apply_with(AnalysisManager(), op)

    @abstractmethod
    def apply_with(self, facts: AnalysisManager, module: ModuleOp) -> None:
        """
        As `apply`. What it changes, it need not tell, unless it asks for facts about the same
        program or kernel again: whoever runs several passes finds out.
        """
        raise NotImplementedError
