"""
Programs that were compiled before, by all that what comes out depends on: the program, the
schedule, what tuning has decided, the device, and everything that is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.ir.canonical_text import canonical_text
from vyre_dialect.runtime.driver.job import BuiltProgram, Job
from vyre_dialect.runtime.driver.kept_programs import Kept, KeptPrograms
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.keyed_files import digest_of
from vyre_dialect.runtime.tuning.decisions import (
    DecisionFile,
    KeptDecision,
    byte_count,
    size_class,
)
from vyre_dialect.runtime.tuning.device_model_file import DeviceModelFile
from vyre_dialect.runtime.tuning.hot_programs import is_tuned_first
from vyre_dialect.runtime.tuning.mode import Mode

if TYPE_CHECKING:
    from vyre_dialect.passes.schedule.optimize import OptimizePass


@dataclass(frozen=True)
class ProgramCache:
    """Compiled programs in a folder, which need not exist yet."""

    folder: Path | None
    """Where they are kept, or None to keep nothing."""

    @classmethod
    def default(cls) -> ProgramCache:
        """The cache of this user; `VYRE_NO_CACHE` in the environment turns it off."""
        return cls(KeptPrograms.default().folder)

    def key(self, job: Job) -> str | None:
        """
        The name under which a program is kept; None where it is not to be. Where passes are named,
        left out or looked at, they are to run, and a report is to tell of a run of them.
        """
        passes = job.passes
        if self.folder is None or not passes.are_scheduled or passes.observers:
            return None
        if (schedule := _schedule(passes.optimize)) is None:
            return None
        parts = [canonical_text(job.module), schedule, *_what_is_decided(job)]
        return self._kept.key(job.device.info, parts)

    def get(self, key: str, job: Job) -> BuiltProgram | None:
        """The program kept under `key`, or None when there is none that is whole."""
        if (known := self._kept.get(key, job.context)) is None:
            return None
        if known.decision is None:
            return BuiltProgram(known.compiled, known.inputs)
        kept = DecisionFile.of(job.device.info)
        decision = None if kept is None else kept.get(known.decision)
        if decision is None:
            return None
        return BuiltProgram(known.compiled, known.inputs, KeptDecision(known.decision, decision))

    def put(self, key: str, built: BuiltProgram, job: Job) -> None:
        """Keep a program under `key`, if the folder can be written to."""
        decided = None if built.decision is None else built.decision.key
        self._kept.put(key, Kept(built.compiled, built.inputs, decided), job.context)

    @property
    def _kept(self) -> KeptPrograms:
        return KeptPrograms(self.folder)


NOTHING_KEPT = ProgramCache(None)
"""Programs are compiled each time."""


def _schedule(optimize: OptimizePass | None) -> str | None:
    """
    How a schedule is chosen, with what stands in the files that it names; None where a report is to
    be written, or where one of the files is none that can be read twice.
    """
    if optimize is None:
        return ""
    if optimize.report is not None:
        return None
    texts = [repr(optimize.pipeline_pass_spec())]  # which tells quotes in options apart
    for name in (optimize.schedule, optimize.hints, optimize.previous):
        if name is None:
            continue
        if not (path := Path(name)).is_file():
            return None
        texts.append(digest_of([path.read_bytes()]).hexdigest())
    return " ".join(texts)


def _what_is_decided(job: Job) -> Iterator[str]:
    """
    What tuning may add: the decisions on programs of this name, how they are looked up, and by what
    is predicted where there are none.
    """
    kept = DecisionFile.of(job.device.info)
    if job.tuner == Mode.OFF:
        return
    yield str(is_tuned_first(job.tuner, job.module, job.device))
    decisions = None if kept is None else kept.text_of(find_program(job.module).sym_name.data)
    predicts = DeviceModelFile.of(job.device.info)
    model = None if job.is_measured or predicts is None else predicts.file.read()
    if decisions or model:
        yield digest_of([decisions or b"", model or b""]).hexdigest()
        yield from (
            f"{name} {size_class(byte_count(given))}" for name, given in sorted(job.inputs.items())
        )
