"""Nothing is taken from a cache that another user could have written, and no cache ends a run."""

import os
import stat
from pathlib import Path

import pytest

from vyre_dialect.runtime import cache_folder
from vyre_dialect.runtime.cache_folder import CacheFolder, UntrustedError, tell_once


@pytest.fixture
def folder(tmp_path: Path) -> CacheFolder:
    return CacheFolder(tmp_path / "not" / "yet")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_was_written_is_read(folder: CacheFolder) -> None:
    assert folder.read("name") is None
    folder.write("name", b"old")
    folder.write("name", b"new")
    assert folder.read("name") == b"new"
    folder.remove("name")
    folder.remove("name")
    assert folder.read("name") is None
    assert os.listdir(folder.path) == []


@pytest.mark.parametrize("mask", [0, 0o077, 0o277, 0o777])
def test_folders_and_files_are_made_for_this_user_alone(folder: CacheFolder, mask: int) -> None:
    before = os.umask(mask)
    try:
        folder.write("name", b"data")
    finally:
        os.umask(before)
    assert [mode(path) for path in (folder.path.parent, folder.path)] == [0o700, 0o700]
    assert mode(folder.path / "name") == 0o600


@pytest.mark.parametrize("permissions", [0o666, 0o620, 0o602])
def test_a_file_that_others_may_write_to_is_not_read(folder: CacheFolder, permissions: int) -> None:
    folder.write("name", b"data")
    (folder.path / "name").chmod(permissions)
    with pytest.raises(UntrustedError, match="may write to it, and may have: remove it"):
        folder.read("name")


@pytest.mark.parametrize("permissions", [0o777, 0o1777, 0o770])
def test_a_folder_that_others_may_write_to_is_not_used(
    folder: CacheFolder, permissions: int
) -> None:
    folder.write("name", b"data")
    folder.path.chmod(permissions)
    with pytest.raises(UntrustedError):
        folder.read("name")
    with pytest.raises(UntrustedError):
        folder.write("name", b"other")
    with pytest.raises(UntrustedError):
        folder.remove("name")
    with pytest.raises(UntrustedError):
        folder.keep_newest(0)


@pytest.mark.parametrize("name", ["folder", "file"])
def test_entries_that_something_else_reads_are_checked(folder: CacheFolder, name: str) -> None:
    folder.path.mkdir(parents=True, mode=0o700)
    (folder.path / "folder").mkdir(mode=0o755)
    (folder.path / "file").touch()
    (folder.path / "link").symlink_to("file")
    with folder.opened() as opened:
        folder.check_entries(opened)
        (folder.path / name).chmod(0o777)
        with pytest.raises(UntrustedError, match="other users may write to it"):
            folder.check_entries(opened)
        (folder.path / name).chmod(0o775)  # as a umask of 002 leaves what PoCL makes
        folder.check_entries(opened)
        if os.geteuid() == 0:
            os.chown(folder.path / name, 4242, -1)
            with pytest.raises(UntrustedError, match=r"belongs to another user \(4242\)"):
                folder.check_entries(opened)


def test_what_belongs_to_another_user_is_not_used(
    folder: CacheFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("name", b"data")
    path = folder.path / "name"
    if os.geteuid() == 0:
        os.chown(path, 4242, -1)
        with pytest.raises(UntrustedError, match=r"belongs to another user \(4242\)"):
            folder.read("name")
        os.chown(path, 0, -1)
        os.chown(folder.path, 4242, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4242)
    with pytest.raises(UntrustedError, match="belongs to another user"):
        folder.read("name")


@pytest.fixture
def precious(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of this user in a folder that is no cache; the cache is at `shared/vyre`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    (tmp_path / "shared").mkdir()
    (tmp_path / "precious").mkdir(mode=0o700)
    (tmp_path / "precious" / "file").touch()
    return tmp_path / "precious" / "file"


def refused(name: str) -> str:
    """Why a folder of the cache is not used."""
    kept = CacheFolder.of_user(name)
    assert kept is not None
    with pytest.raises(UntrustedError) as error:
        kept.keep_newest(0)
    return str(error.value.strerror)


def test_a_cache_that_others_may_write_to_is_not_used(precious: Path) -> None:
    cache = cache_folder.cache_folder()
    cache.mkdir()
    cache.chmod(0o777)
    assert "other users may write to it" in refused("kernels")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_cache_of_another_user_is_not_used(precious: Path) -> None:
    cache = cache_folder.cache_folder()
    cache.mkdir()
    (cache / "kernels").mkdir(mode=0o700)
    os.chown(cache, 4242, -1)
    assert "belongs to another user" in refused("kernels")


def test_no_link_leads_to_what_is_no_cache(precious: Path) -> None:
    cache = cache_folder.cache_folder()
    cache.symlink_to(precious.parent.parent)
    assert refused("precious") == "it is a link: remove it"
    assert refused("new") == "it is a link: remove it"
    assert not (precious.parent.parent / "new").exists()
    cache.unlink()
    cache.mkdir(mode=0o700)
    (cache / "kernels").symlink_to(precious.parent)
    assert refused("kernels") == "it is a link: remove it"
    assert precious.exists()


def test_a_fifo_a_link_and_a_folder_are_no_files(folder: CacheFolder, tmp_path: Path) -> None:
    folder.write("file", b"data")
    os.mkfifo(folder.path / "fifo")
    os.symlink(folder.path / "file", folder.path / "link")
    os.mkdir(folder.path / "folder")
    for name in ("fifo", "folder"):
        with pytest.raises(UntrustedError, match="it is no regular file: remove it"):
            folder.read(name)
    with pytest.raises(UntrustedError, match="it is no regular file: remove it"):
        folder.write("folder", b"data")
    with pytest.raises(OSError, match="link"):
        folder.read("link")


@pytest.fixture
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_folder, "_told", set[str]())


@pytest.mark.usefixtures("nothing_told")
def test_a_huge_file_is_not_read_and_written_anew(folder: CacheFolder) -> None:
    folder.write("name", b"old")
    os.truncate(folder.path / "name", 1 << 40)
    with pytest.warns(UserWarning, match="name' is not used: it holds more than 256 MiB"):
        assert folder.read("name") is None
    folder.write("name", b"new")
    assert folder.read("name") == b"new"


def test_what_would_not_be_read_is_not_written(folder: CacheFolder) -> None:
    small = CacheFolder(folder.path, most_bytes=4)
    small.write("name", b"data")
    with pytest.raises(OSError, match="File too large"):
        small.write("name", b"data!")
    assert small.read("name") == b"data"


def test_only_regular_files_go_when_the_oldest_do(folder: CacheFolder, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("data")
    folder.write("newest", b"data")
    os.mkfifo(folder.path / "fifo")
    os.symlink(tmp_path / "precious", folder.path / "link")
    os.mkdir(folder.path / "folder")
    folder.write("old", b"data")
    os.utime(folder.path / "old", (1000, 1000))
    folder.keep_newest(1)
    assert sorted(os.listdir(folder.path)) == ["fifo", "folder", "link", "newest"]
    folder.keep_newest(0)
    assert sorted(os.listdir(folder.path)) == ["fifo", "folder", "link"]
    assert (tmp_path / "precious").exists()


def test_only_old_empty_files_of_this_user_are_abandoned(
    folder: CacheFolder, tmp_path: Path
) -> None:
    (tmp_path / "precious").touch()
    folder.write("left_full", b"data")
    for name in ("left_old", "left_new", "other_old"):
        folder.write(name, b"")
    os.mkfifo(folder.path / "left_fifo")
    os.mkdir(folder.path / "left_folder")
    os.symlink(tmp_path / "precious", folder.path / "left_link")
    for name in set(os.listdir(folder.path)) - {"left_new"}:
        os.utime(folder.path / name, (1000, 1000), follow_symlinks=False)
    kept = set(os.listdir(folder.path)) - {"left_old"}
    folder.remove_abandoned("left_", 3600)
    assert set(os.listdir(folder.path)) == kept
    assert (tmp_path / "precious").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_another_user_has_abandoned_stays(folder: CacheFolder) -> None:
    folder.write("left", b"")
    os.chown(folder.path / "left", 4242, -1)
    folder.remove_abandoned("left", -60)
    assert os.listdir(folder.path) == ["left"]


def test_what_another_process_has_just_removed_is_no_error(
    folder: CacheFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("left", b"")
    is_abandoned = cache_folder._is_abandoned

    def removing(entry: os.DirEntry[str], before: float) -> bool:
        found = is_abandoned(entry, before)
        os.remove(folder.path / "left")
        return found

    monkeypatch.setattr(cache_folder, "_is_abandoned", removing)
    folder.remove_abandoned("left", -60)
    assert os.listdir(folder.path) == []


def test_what_a_killed_process_left_is_replaced(folder: CacheFolder) -> None:
    folder.write("name.new", b"hal")
    folder.write("name", b"whole", temporary="name.new")
    assert os.listdir(folder.path) == ["name"]


def test_a_folder_that_vanishes_is_made_again(folder: CacheFolder) -> None:
    folder.write("name", b"data")
    os.remove(folder.path / "name")
    os.rmdir(folder.path)
    assert folder.read("name") is None
    folder.write("name", b"data")
    assert folder.read("name") == b"data"


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(NotADirectoryError):
            CacheFolder(path).write("name", b"data")


def test_each_reason_is_told_once(tmp_path: Path) -> None:
    full, foreign = OSError(28, "No space left on device"), "it belongs to another user"

    def tell() -> None:
        tell_once(tmp_path / "kernels", full)
        tell_once(tmp_path / "tuner", full)
        tell_once(tmp_path, UntrustedError(tmp_path / "one", foreign))
        tell_once(tmp_path, UntrustedError(tmp_path / "other", foreign))

    with pytest.warns(UserWarning, match="cannot keep") as told:
        tell()
    assert [str(each.message) for each in told] == [
        f"cannot keep '{tmp_path / 'kernels'}': No space left on device",
        f"'{tmp_path / 'one'}' is not used: it belongs to another user",
    ]


def test_the_folder_follows_the_convention(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/where")
    assert cache_folder.cache_folder() == Path("/some/where/vyre")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder.cache_folder() == Path.home() / ".cache" / "vyre"


def test_a_home_is_named_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "home")
    assert cache_folder.cache_folder() == tmp_path / "home" / ".cache" / "vyre"


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.warns(UserWarning, match="this user has no home folder"):
        assert CacheFolder.of_user("kernels") is None
