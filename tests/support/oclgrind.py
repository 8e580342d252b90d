"""Runs kernels under the Oclgrind checker and reads what it found.

Oclgrind reads its settings when a context is made and reports into a log; the process always exits
with 0, so a test must read that log. A report is one unindented line and its indented details.
"""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session

if TYPE_CHECKING:
    import pyopencl as cl

# The cap is shared by all detectors: a low one lets one kind of report hide the others.
_MAX_ERRORS = 100_000


@dataclass
class CheckedRun:
    """A session on the checker, and its log."""

    session: Session
    log: Path
    expects_reports: bool = field(default=False)
    """Set by a test that plants an error, so that the end of the run does not complain."""

    @property
    def device(self) -> Device:
        """The checker."""
        return self.session.device

    @property
    def context(self) -> "cl.Context":
        """Where kernels are checked."""
        return self.session.context

    @property
    def queue(self) -> "cl.CommandQueue":
        """Where checked kernels are launched."""
        return self.session.queue

    def reports(self) -> list[str]:
        """The first line of each report so far."""
        self.queue.finish()
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if line.strip() and not line[0].isspace()]

    def assert_clean(self) -> None:
        """Fail with the whole log when anything was found."""
        if self.reports():
            raise AssertionError(f"Oclgrind reports:\n{self.log.read_text()}")


@contextmanager
def checked_run(device: Device, log: Path, *, uninitialised: bool = True) -> Generator[CheckedRun]:
    """A run under the checker that fails at its end when the log holds a report.

    Data races, accesses out of bounds and divergent barriers are always looked for. Uninitialised
    reads cost five times as much again; `uninitialised=False` leaves them out. To look for them,
    start a run for each executor: a buffer made without contents inherits, from the released one
    whose place it takes, what Oclgrind 21.10 knows of defined elements, and how many there are.
    """
    with _environment(_settings(log, uninitialised)):
        session = Session(device)
    run = CheckedRun(session, log)
    yield run
    if not run.expects_reports:
        run.assert_clean()


def _settings(log: Path, uninitialised: bool) -> dict[str, str]:
    settings = {
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_LOG": str(log),
        "OCLGRIND_MAX_ERRORS": str(_MAX_ERRORS),
    }
    if uninitialised:
        settings["OCLGRIND_UNINITIALIZED"] = "1"
    return settings


@contextmanager
def _environment(settings: Mapping[str, str]) -> Generator[None]:
    saved = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in saved.items():
            _restore(name, value)


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
