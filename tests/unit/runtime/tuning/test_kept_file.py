"""A kept file is whole at any instant, whoever changes it and whoever dies while doing so."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vyre_dialect.runtime import cache_folder
from vyre_dialect.runtime.tuning.kept_file import KeptFile, kept_folder

APPEND = """
import sys
from pathlib import Path
from vyre_dialect.runtime.tuning.kept_file import KeptFile
file = KeptFile(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    line = f"{sys.argv[2]}-{number} {'x' * 4000}\\n".encode()
    assert file.change(lambda data: (data or b"") + line)
    print(number, flush=True)
"""


def start(path: Path, name: str, lines: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", APPEND, str(path), name, str(lines)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def names(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    assert all(line.endswith("x" * 4000) for line in lines)
    return [line.split()[0] for line in lines]


@pytest.fixture
def file(tmp_path: Path) -> KeptFile:
    return KeptFile(tmp_path / "not" / "yet" / "file.toml")


def test_what_was_put_is_read(file: KeptFile):
    assert file.read() is None
    assert file.change(lambda data: b"new" if data is None else b"wrong")
    assert file.read() == b"new"
    assert file.change(lambda data: (data or b"") + b"er")
    assert file.read() == b"newer"


def test_neither_the_file_nor_its_lock_is_for_others(file: KeptFile):
    before = os.umask(0)
    try:
        file.change(lambda _: b"new")
    finally:
        os.umask(before)
    assert {path.name: path.stat().st_mode & 0o777 for path in file.path.parent.iterdir()} == {
        "file.toml": 0o600,
        "file.toml.lock": 0o600,
    }


def test_nothing_is_no_file(file: KeptFile):
    assert file.change(lambda _: None)
    file.change(lambda _: b"new")
    assert file.change(lambda _: None)
    assert file.read() is None


def test_an_error_while_changing_leaves_the_old_contents_and_no_lock(file: KeptFile):
    file.change(lambda _: b"old")
    with pytest.raises(ZeroDivisionError):
        file.change(lambda _: bytes(1 // 0))
    assert file.read() == b"old"
    assert file.change(lambda _: b"new")


def test_what_a_dead_process_left_half_written_is_in_nobodys_way(file: KeptFile):
    file.change(lambda _: b"old")
    file.path.with_name(f"{file.path.name}.new").write_bytes(b"hal")
    assert file.read() == b"old"
    file.change(lambda _: b"new")
    assert file.read() == b"new"
    assert not file.path.with_name(f"{file.path.name}.new").exists()


def test_what_is_set_aside_is_kept_once(file: KeptFile):
    file.change(lambda _: b"old")
    first, second = file.set_aside(b"garbage"), file.set_aside(b"other")
    assert file.set_aside(b"garbage") == first != second
    assert (first.read_bytes(), second.read_bytes()) == (b"garbage", b"other")


def test_what_others_could_have_written_is_not_read_and_not_lost(file: KeptFile):
    file.change(lambda _: b"data")
    file.path.chmod(0o666)
    with pytest.warns(UserWarning, match="is not used: other users may write to it"):
        assert file.read() is None
    assert not file.change(lambda _: b"new")
    assert file.path.read_bytes() == b"data"


def test_a_fifo_in_its_place_and_in_that_of_its_lock_hold_nobody_up(file: KeptFile):
    file.change(lambda _: b"data")
    file.path.unlink()
    lock = file.path.with_name(f"{file.path.name}.lock")
    lock.unlink()
    os.mkfifo(file.path)
    with pytest.warns(UserWarning, match="is not used: it is no regular file"):
        assert file.read() is None
    file.path.unlink()
    os.mkfifo(lock)
    file.change(lambda _: b"new")


def test_a_huge_file_is_not_read_and_written_anew(file: KeptFile, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache_folder, "_told", set[str]())
    file.change(lambda _: b"old")
    os.truncate(file.path, 1 << 40)
    with pytest.warns(UserWarning, match="is not used: it holds more than 16 MiB"):
        assert file.read() is None
    assert file.change(lambda data: b"new" if data is None else b"wrong")
    assert file.read() == b"new"


def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path):
    (tmp_path / "file").write_text("no folder")
    with pytest.warns(UserWarning, match="cannot keep"):
        assert not KeptFile(tmp_path / "file" / "inner").change(lambda _: b"")


def test_nothing_is_kept_where_the_user_wants_no_cache(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VYRE_NO_CACHE", "1")
    assert kept_folder("tuner") is None


def test_eight_processes_at_once_lose_nothing_and_one_that_is_killed_corrupts_nothing(
    tmp_path: Path,
):
    path = tmp_path / "file"
    victim = start(path, "victim", 100_000)
    assert victim.stdout is not None
    victim.stdout.readline()  # it is at work
    others = [start(path, str(number), 12) for number in range(7)]
    time.sleep(0.05)
    os.kill(victim.pid, signal.SIGKILL)
    written = victim.stdout.read().splitlines()
    victim.wait()
    assert [each.communicate() and each.returncode for each in others] == [0] * 7
    found = names(path)
    for number in range(7):
        own = [name for name in found if name.startswith(f"{number}-")]
        assert own == [f"{number}-{step}" for step in range(12)]
    of_victim = [name for name in found if name.startswith("victim-")]
    assert of_victim == [f"victim-{step}" for step in range(len(of_victim))]
    assert len(of_victim) >= len(written) + 1


def test_readers_never_see_half_a_file(file: KeptFile):
    contents = [bytes([65 + number]) * 200_000 for number in range(8)]
    file.change(lambda _: contents[0])

    def write(number: int) -> None:
        for _ in range(20):
            file.change(lambda _: contents[number])

    with ThreadPoolExecutor(4) as threads:
        pending = [threads.submit(write, number) for number in range(3)]
        while not all(each.done() for each in pending):
            assert file.read() in contents
    for each in pending:
        each.result()
