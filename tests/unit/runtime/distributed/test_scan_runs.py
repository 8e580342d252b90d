"""What a worker of a cluster does with the files of a scan."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock, Thread

import pytest

from vyre_dialect.runtime.distributed import scan_runs
from vyre_dialect.runtime.distributed.scan_runs import Search, scan_task
from vyre_dialect.runtime.scanning.chain import Stage
from vyre_dialect.runtime.scanning.device_programs import runs_on
from vyre_dialect.runtime.scanning.results import FileMatches, Result
from vyre_dialect.runtime.scanning.scanner import Scanner
from vyre_dialect.runtime.scanning.walk import Problem, Source

SEARCH = Search((), (b"needle",), skips_binary=False)


class Held:
    """Of what a worker holds, what a scan asks for."""

    def __init__(self, name: str):
        self.name = name
        self.lock = Lock()

    def scanner(self, chain: tuple[Stage, ...], literals: tuple[bytes, ...]) -> Scanner:
        return Scanner(chain, runs_on("reference", literals))


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_runs, "plugin_of", Held)


@pytest.mark.usefixtures("worker")
def test_a_pipe_that_is_named_is_never_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"a needle")
    batch = [Source(name) for name in ("pipe", "file", "/dev/zero")]
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


@pytest.mark.usefixtures("worker")
def test_a_link_in_the_place_of_a_folder_is_not_followed(tmp_path: Path):
    for name in ("secret", "of_another"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"a needle")
    (tmp_path / "of_another/link").symlink_to("../secret")
    batch = [Source(f"of_another/{name}", "of_another") for name in ("link/file", "file")]
    results = scan_task(batch, str(tmp_path), SEARCH, "")
    assert [type(each) for each in results] == [Problem, FileMatches]
