"""Calls of drivers that nothing in the current folder changes."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread, current_thread

import pytest

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl import current_folder
from vyre_dialect.runtime.opencl.current_folder import (
    leave_current_folder,
    outside_current_folder,
)
from vyre_dialect.runtime.opencl.waiting import awaited


@pytest.mark.skipif(not awaited(leave_current_folder), reason="threads share a folder here")
def test_only_the_call_is_made_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert outside_current_folder(os.getcwd) == "/"
    assert os.getcwd() == str(tmp_path)
    assert outside_current_folder(current_thread) is not current_thread()


def test_it_raises_what_the_call_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        outside_current_folder(lambda: 1 // 0)


def test_a_thread_that_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", fail)
    with pytest.raises(DeviceError, match="no call of a driver can be made: can't start"):
        outside_current_folder(os.getcwd)


@pytest.mark.parametrize("name", ["cl.cfg", "modules.idx", "libgcc_s.so.1"])
def test_a_file_that_drivers_read_is_refused_where_threads_share_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(current_folder, "_CLONE_FS", -1)  # which no kernel grants
    monkeypatch.chdir(tmp_path)
    assert outside_current_folder(os.getcwd) == str(tmp_path)
    (tmp_path / name).symlink_to("nowhere")
    with pytest.raises(DeviceError, match=f"the current folder has '{name}', which"):
        outside_current_folder(os.getcwd)
