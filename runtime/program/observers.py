"""Observers of passes: what prints the IR between them, keeps it, and takes the time."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from io import StringIO
from pathlib import Path
from time import perf_counter_ns
from typing import IO, TYPE_CHECKING, TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.paths import STANDARD_STREAM
from vyre_dialect.whole_files import real_path

if TYPE_CHECKING:
    from vyre_dialect.passes.schedule.optimize import Optimized


def module_text(module: ModuleOp) -> str:
    """The IR, as xdsl-opt prints it."""
    text = StringIO()
    Printer(stream=text).print_op(module)
    return f"{text.getvalue()}\n"


class Observer:
    """
    Looks on while a program is compiled.

    It is called as a callback of xDSL's `PassPipeline` is: with the pass that ran, the module, and
    the pass that is about to run, either pass None where there is none.
    """

    def __call__(
        self, previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        """Tell `ran` of the pass before, and `begins` of the one that follows."""
        if previous is not None:
            self.ran(previous, module)
        if following is not None:
            self.begins(following, module)

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        """A pass is about to run over `module`."""

    def ran(self, module_pass: ModulePass, module: ModuleOp) -> None:
        """A pass has made of `module` what it is now."""

    def optimized(self, optimized: Optimized) -> None:
        """A schedule has run, unless a pipeline was given in its place."""

    def kernels(self, text: str) -> None:
        """The kernels as OpenCL C, once they are printed."""


class IRPrinter(Observer):
    """Prints the IR before and after passes; None stands for all of them."""

    def __init__(
        self,
        before: Collection[str] | None = (),
        after: Collection[str] | None = (),
        file: IO[str] | None = None,
    ):
        self._before = before
        self._after = after
        self._file = file or sys.stderr

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if self._before is None or module_pass.name in self._before:
            self._print(f"Before {module_pass.name}", module)

    def ran(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if self._after is None or module_pass.name in self._after:
            self._print(f"After {module_pass.name}", module)

    def _print(self, when: str, module: ModuleOp) -> None:
        print(f"// -----// IR Dump {when} //----- //\n{module_text(module)}", file=self._file)


class IRDump(Observer):
    """
    Keeps the IR after each pass in a folder of its own, in files numbered as the passes ran, and
    the kernels in `kernels.cl`. Raises a VyreError where the folder holds anything, and a
    UsageError for `-`.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._count = 0
        if str(folder) == STANDARD_STREAM:
            raise UsageError("argument --dump: expected a folder, got '-'")
        try:
            is_free = not folder.exists() or not any(folder.iterdir())
        except OSError as error:
            raise VyreError(f"cannot write '{folder}': {error.strerror or error}") from error
        if not is_free:
            raise VyreError(f"cannot write '{folder}': expected a new or an empty folder")
        if not Path(real_path(folder)).parent.is_dir():
            raise VyreError(f"cannot write '{folder}': there is no folder '{folder.parent}'")

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        if not self._count:
            self._write("000-input.mlir", module_text(module))

    def ran(self, module_pass: ModulePass, module: ModuleOp) -> None:
        self._write(f"{self._count:03}-{module_pass.name}.mlir", module_text(module))

    def kernels(self, text: str) -> None:
        self._write("kernels.cl", text)

    def _write(self, name: str, text: str) -> None:
        self._count += 1
        path = self._folder / name
        try:
            self._folder.mkdir(exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                _write_or_remove(text, file, path)
        except OSError as error:
            raise VyreError(f"cannot write '{path}': {error.strerror or error}") from error


def _write_or_remove(text: str, file: TextIO, path: Path) -> None:
    """Write a new file, which goes where that fails."""
    try:
        file.write(text)
        file.flush()
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


class PassTimings(Observer):
    """Takes the time of passes, on the clock of the wall, those that they run included."""

    def __init__(self) -> None:
        self.runs: Counter[str] = Counter()
        self.ns: Counter[str] = Counter()
        self._began: list[int] = []

    def begins(self, module_pass: ModulePass, module: ModuleOp) -> None:
        self._began.append(perf_counter_ns())

    def ran(self, module_pass: ModulePass, module: ModuleOp) -> None:
        self.runs[module_pass.name] += 1
        self.ns[module_pass.name] += perf_counter_ns() - self._began.pop()
