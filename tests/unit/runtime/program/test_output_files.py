"""Output files are written all or not at all."""

import os
import stat
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.program.output_files import check_writable, write_arrays, write_files


def test_bytes_and_array_files(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.int32).reshape(3, 2)
    write_arrays({tmp_path / "a.bin": array, tmp_path / "a.npy": array})
    assert (tmp_path / "a.bin").read_bytes() == array.tobytes()
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), array)
    assert sorted(os.listdir(tmp_path)) == ["a.bin", "a.npy"]


def test_empty_arrays_give_empty_files(tmp_path: Path) -> None:
    write_arrays({tmp_path / "a": np.zeros(0, np.int32)})
    assert (tmp_path / "a").read_bytes() == b""


def test_a_failure_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"old")

    def fail(file: IO[bytes]) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(VyreError, match=r"cannot write '.*second': No space left on device"):
        write_files({first: lambda file: file.write(b"new"), second: fail})
    assert first.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["first"]


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_files({path: lambda file: file.write(b"new")})
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_new_files_have_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_files({tmp_path / "new": lambda file: file.write(b"")})
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_places_that_cannot_be_written_are_known_before(tmp_path: Path) -> None:
    check_writable(tmp_path / "new")
    with pytest.raises(VyreError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(VyreError, match="there is no folder"):
        check_writable(tmp_path / "missing" / "new")
