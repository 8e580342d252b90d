"""The IR of a program after each pass that changed it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vyre_dialect.runtime.program.observers import Observer, module_text

MOST_LINES = 2000
"""Lines of a difference that are shown."""


@dataclass(frozen=True)
class Stage:
    """A form of a program, and what made it of the one before."""

    name: str
    before: str
    after: str

    def difference(self) -> list[str]:
        """The lines that differ, with three around them, as `diff -u` has them."""
        lines = unified_diff(self.before.splitlines(), self.after.splitlines(), lineterm="", n=3)
        shown = [line for line in lines if not line.startswith(("---", "+++"))]
        if len(shown) > MOST_LINES:
            shown[MOST_LINES:] = [f"@@ {len(shown) - MOST_LINES} more lines @@"]
        return shown


class StageRecorder(Observer):
    """Keeps the IR after each pass that changes it, and the kernels."""

    def __init__(self) -> None:
        self.first = ""
        self.kernel_text = ""
        self._texts = list[tuple[str, str]]()

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if not self.first:
            self.first = module_text(module)

    def ran(self, module_pass: ModulePass, module: ModuleOp) -> None:
        text = module_text(module)
        latest = self._texts[-1][1] if self._texts else self.first
        if text != latest:
            self._texts.append((module_pass.name, text))

    def kernels(self, text: str) -> None:
        self.kernel_text = text

    def stages(self) -> Iterator[Stage]:
        """The stages, in the order of the passes."""
        before = self.first
        for name, after in self._texts:
            yield Stage(name, before, after)
            before = after
