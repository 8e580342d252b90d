"""Broken schedules and damaged files of every kind: one line or none, no hang, no file touched."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest
from support.file_mutations import ADD, KINDS, check_files, check_schedules, make_folder

EXAMPLES = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "0"))
SEED = int(os.environ.get("VYRE_FUZZ_SEED", "0"))
SCHEDULES, FILES = (EXAMPLES // 5, EXAMPLES // 2) if EXAMPLES else (30, 60)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that one is in, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    return tmp_path


def test_broken_schedules(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "add.mlir").write_text(ADD)
    outcomes = check_schedules(SCHEDULES, SEED, folder)
    with capsys.disabled():
        print(f"\n{SCHEDULES} broken schedules: {outcomes}")
    assert outcomes.statuses[0] and outcomes.statuses[1]


@pytest.mark.slow
def test_damaged_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_folder(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of caches that are damaged
        outcomes, kinds = check_files(FILES, SEED, folder)
    with capsys.disabled():
        print(f"\n{FILES} damaged files: {outcomes}; {dict(kinds)}")
    assert outcomes.statuses[0] and outcomes.statuses[1]
    assert set(kinds) == {each.name for each in KINDS}
