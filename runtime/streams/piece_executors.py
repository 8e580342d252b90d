"""A program compiled for each kind of piece, when one comes up for the first time."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from time import perf_counter_ns
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.program.cut_stream import PieceName
from vyre_dialect.passes.schedule.instrumentation import Edits
from vyre_dialect.runtime.driver.execute import built_program
from vyre_dialect.runtime.driver.job import Job
from vyre_dialect.runtime.driver.program_cache import ProgramCache
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.flight import Contents
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import lower_module
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.progress import Progress
from vyre_dialect.runtime.streams.pieces import Pieces
from vyre_dialect.runtime.tuning.mode import Mode

ARMS = "vyre-expand"
"""The pass behind which a program is cut: library ops are arms by then, for the device."""


def arms_of(
    module: ModuleOp, passes: Passes, context: Context, device: DeviceInfo | None
) -> ModuleOp:
    """A program whose library ops are arms as they are for the device; None is the interpreter."""
    edits = Edits(stop_after=ARMS)
    lowered = lower_module(module, Passes(optimize=passes.optimize, edits=edits), context, device)
    return lowered.module


class PieceExecutor(NamedTuple):
    """What runs a program on pieces of a kind."""

    executor: Executor
    place: str | None
    """The input by which it learns where a piece lies."""
    policy: str | None

    def taken(self, given: Mapping[str, Contents]) -> dict[str, Contents]:
        """What of `given` the compiled program still takes."""
        program = self.executor.compiled.program
        types = ProgramInputs.of(program).types
        return {name: each for name, each in given.items() if name in types}


class PieceExecutors:
    """What runs a program, by the kind of piece; pieces that are the same program share it."""

    def __init__(
        self,
        pieces: Pieces,
        session: Session,
        passes: Passes,
        context: Context,
        programs: ProgramCache,
        progress: Progress,
    ):
        self._pieces = pieces
        self._session = session
        self._passes = passes
        self._context = context
        self._programs = programs
        self._progress = progress
        self._by_kind: dict[PieceName | None, PieceExecutor] = {}
        self._by_text: dict[str, PieceExecutor] = {}
        self._building = Lock()
        self.compile_ns = 0

    def of(self, kind: PieceName | None, inputs: Mapping[str, Array]) -> PieceExecutor:
        """What runs pieces of a kind, of which `inputs` are those of one; threads may ask."""
        with self._building:
            if kind not in self._by_kind:
                begin = perf_counter_ns()
                self._by_kind[kind] = self._build(self._pieces.module(kind), inputs)
                self.compile_ns += perf_counter_ns() - begin
            return self._by_kind[kind]

    def _build(self, module: ModuleOp, inputs: Mapping[str, Array]) -> PieceExecutor:
        if (text := str(module)) in self._by_text:
            return self._by_text[text]
        job = Job(
            *(module, self._session.device, inputs, self._passes, Mode.OFF),
            *(self._context, self._progress, self._session.seconds),
        )
        built = built_program(job, self._programs)
        executor = Executor(built.compiled, self._session, progress=self._progress)
        place = self._pieces.place_input(find_program(module))
        made = self._by_text[text] = PieceExecutor(executor, place, built.compiled.policy)
        return made
