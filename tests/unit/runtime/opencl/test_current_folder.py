"""Calls of drivers that nothing in the current folder changes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import current_thread

import pytest

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl import current_folder
from vyre_dialect.runtime.opencl.current_folder import outside_current_folder

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="threads have no folder of their own")


@on_linux
def test_only_the_call_is_made_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert outside_current_folder(os.getcwd) == "/"
    assert os.getcwd() == str(tmp_path)
    assert outside_current_folder(current_thread) is not current_thread()


def test_it_raises_what_the_call_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        outside_current_folder(lambda: 1 // 0)


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
