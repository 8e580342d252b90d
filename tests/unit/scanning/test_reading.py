"""Files are read whole and safely."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from vyre_dialect.runtime.scanning import reading
from vyre_dialect.runtime.scanning.batches import BATCH_BYTES, Batch, Reader
from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.folders import place
from vyre_dialect.runtime.scanning.reading import read_met, read_named, read_named_file
from vyre_dialect.runtime.scanning.walk import Problem, Source

MOST = 1 << 30


def met(path: Path, most: int) -> bytes:
    """A file that was met in its folder."""
    with place(str(path.parent)) as folder:
        return read_met(path.name, most, folder).tobytes()


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 21) + 3])
def test_all_of_a_file_is_read(tmp_path: Path, size: int):
    data = os.urandom(size)
    path = tmp_path / "file"
    path.write_bytes(data)
    assert met(path, MOST) == read_named(str(path), MOST).tobytes() == data


@pytest.mark.parametrize("size", [10, 3 << 20])
def test_a_file_that_becomes_shorter_gives_what_there_is(tmp_path: Path, size: int):
    path = tmp_path / "file"
    path.write_bytes(b"a" * (size // 2))
    with path.open("rb") as file:
        assert reading._read_known(file.fileno(), size, MOST).tobytes() == b"a" * (size // 2)


def test_a_file_that_becomes_longer_gives_what_there_was(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(b"ab")
    with path.open("rb") as file:
        assert reading._read_known(file.fileno(), 1, MOST).tobytes() == b"a"


def test_what_is_met_is_no_link_and_no_pipe(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"a")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(FileError, match="cannot read it"):
            met(tmp_path / name, MOST)
    with pytest.raises(FileError, match="it is no regular file"):
        read_named_file("/dev/null", MOST)


def test_a_pipe_that_is_named_is_read_to_its_end(tmp_path: Path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = Thread(target=path.write_bytes, args=(b"a" * 200_000,))
    writer.start()
    assert read_named(str(path), MOST).tobytes() == b"a" * 200_000
    writer.join()


def test_too_large_a_file_is_refused_and_an_endless_one_is_not_read_on(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(b"a" * 101)
    with pytest.raises(FileError, match=r"too large: expected up to 100 bytes .*, got 101 bytes"):
        met(path, 100)
    with pytest.raises(FileError, match=r"too large: expected up to 100 bytes .*, got more"):
        read_named("/dev/zero", 100)


@pytest.mark.parametrize("name", ["missing", "a\0b"])
def test_what_cannot_be_opened_is_said(name: str):
    with pytest.raises(FileError, match="cannot read it: "):
        read_named(name, MOST)


def batches(folder: Path, *names: str, skips_binary: bool = False) -> list[Batch]:
    sources = [Source(str(folder / name), str(folder)) for name in names]
    return list(Reader(MOST, skips_binary).batches(sources))


def test_small_files_share_a_batch_and_a_large_one_has_its_own(tmp_path: Path):
    for name in ("a", "b", "d"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "c").write_bytes(b"x" * BATCH_BYTES)
    made = batches(tmp_path, "a", "b", "c", "missing", "d")
    assert [len(each.contents) for each in made] == [2, 1, 1]
    assert isinstance(made[2].items[0], Problem)


def test_no_folder_on_the_way_to_what_is_met_is_a_link(tmp_path: Path):
    for name in ("secret", "of_another"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x")
    (tmp_path / "of_another/link").symlink_to("../secret")
    (tmp_path / "named").symlink_to("of_another")
    (made,) = batches(tmp_path / "named", "link/file", "file")
    assert [type(each) for each in made.items] == [Problem, Source]


def test_binary_files_are_passed_over_where_that_is_asked_for(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"x\0")
    (tmp_path / "b").write_bytes(b"x")
    assert [len(each.contents) for each in batches(tmp_path, "a", "b", skips_binary=True)] == [1]
    assert [len(each.contents) for each in batches(tmp_path, "a", "b")] == [2]
    named = Reader(MOST, skips_binary=True).batches([Source(str(tmp_path / "a"))])
    assert [len(each.contents) for each in named] == [1]
