"""What a worker of a cluster does with the files of a scan."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock, Thread
from types import SimpleNamespace

import pytest

from vyre_dialect.runtime.distributed import scan_runs
from vyre_dialect.runtime.distributed.scan_runs import Search, scan_task
from vyre_dialect.runtime.scanning.device_programs import runs_on
from vyre_dialect.runtime.scanning.results import FileMatches, Result
from vyre_dialect.runtime.scanning.scanner import Scanner
from vyre_dialect.runtime.scanning.walk import Problem, Source

SEARCH = Search((), (b"needle",), skips_binary=False)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    held = SimpleNamespace(
        lock=Lock(),
        scanner=lambda chain, literals: Scanner(chain, runs_on("reference", literals)),
    )
    monkeypatch.setattr(scan_runs, "plugin_of", lambda name: held)


@pytest.mark.usefixtures("worker")
def test_a_pipe_that_is_named_is_never_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"a needle")
    batch = [Source(name, is_named=True) for name in ("pipe", "file", "/dev/zero")]
    results = list[Result]()
    task = Thread(
        target=lambda: results.extend(scan_task(batch, str(tmp_path), SEARCH, "")), daemon=True
    )
    task.start()
    task.join(30)
    assert [type(each) for each in results] == [Problem, FileMatches, Problem]
    assert [str(each.error) for each in results if isinstance(each, Problem)] == [
        "cannot read it: it is no regular file"
    ] * 2
