"""Output files are written all or not at all."""

import os
import stat
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.program.output_files import (
    check_destinations,
    check_writable,
    write_arrays,
    write_files,
)


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


# What is no new file and no plain one.


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"old")
    (tmp_path / "second").symlink_to("folder/file")
    (tmp_path / "first").symlink_to("second")
    write_arrays({tmp_path / "first": np.frombuffer(b"new", np.uint8)})
    assert (tmp_path / "folder" / "file").read_bytes() == b"new"
    assert os.readlink(tmp_path / "first") == "second"
    assert os.listdir(tmp_path / "folder") == ["file"]


def test_links_to_files_that_are_not_there_make_them(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("new")
    write_arrays({tmp_path / "link": np.frombuffer(b"new", np.uint8)})
    assert (tmp_path / "new").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(VyreError, match="Too many levels of symbolic links"):
        check_writable(tmp_path / "a")


def test_pipes_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_arrays({pipe: np.array([1, 2], np.int16)})
        assert os.read(reader, 100) == b"\1\0\2\0"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_pipe_nobody_reads_any_more_is_told_apart(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        with pytest.raises(BrokenPipeError):
            write_arrays({Path(f"/dev/fd/{writer}"): np.zeros(9, np.uint8)})
    finally:
        os.close(writer)


def test_devices_are_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    device = Path("/dev/full")
    with pytest.raises(VyreError, match="cannot write '/dev/full': No space left on device"):
        write_arrays({tmp_path / "file": np.zeros(9), device: np.zeros(9)})
    assert device.is_char_device()
    assert (tmp_path / "file").read_bytes() == b"old"


def test_files_known_by_their_descriptor_are_written_in_place(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    try:
        write_arrays({Path(f"/dev/fd/{descriptor}"): np.frombuffer(b"new", np.uint8)})
        assert os.pread(descriptor, 9, 0) == b"new"
    finally:
        os.close(descriptor)


def test_one_place_under_two_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    os.link(tmp_path / "file", tmp_path / "twin")
    for name in ("file", "link", "twin", f"../{tmp_path.name}/file"):
        with pytest.raises(UsageError, match="two buffers are to be written to one file"):
            check_destinations([tmp_path / "file", tmp_path / name])
    check_destinations([tmp_path / "file", tmp_path / "other"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_files_that_may_not_be_written_are_kept(tmp_path: Path) -> None:
    (tmp_path / "file").touch(0o444)
    with pytest.raises(VyreError, match="may not be written to"):
        check_writable(tmp_path / "file")
