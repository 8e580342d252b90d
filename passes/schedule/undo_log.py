"""Takes back what passes did to a module."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


class UndoLog:
    """
    A module as it once was, and the passes that have changed it since.

    A copy before each pass would cost more than most passes do. They are functions of the module,
    so going back is to run those again that came before, which is rare.
    """

    def __init__(self, context: Context, module: ModuleOp):
        self._context = context
        self._module = module
        self._start = module.clone()
        self._passes: list[ModulePass] = []

    def note(self, changed_by: ModulePass) -> None:
        """A pass has changed the module, which is to be kept."""
        self._passes.append(changed_by)

    def go_back(self) -> None:
        """Let the module be what it was after the last change that was noted."""
        self._restore(self._passes)
        self._start, self._passes = self._module.clone(), []

    def go_back_before(self, names: Sequence[str]) -> None:
        """Let the module be what it was before the first noted change by a pass of `names`."""
        own = [number for number, each in enumerate(self._passes) if each.name in names]
        self._restore(self._passes[: own[0]] if own else self._passes)

    def _restore(self, passes: Sequence[ModulePass]) -> None:
        copy = self._start.clone()
        for each in passes:
            each.apply(self._context, copy)
        self._module.attributes = dict(copy.attributes)
        self._module.properties = dict(copy.properties)
        self._module.detach_region(self._module.body)
        self._module.add_region(copy.detach_region(copy.body))
