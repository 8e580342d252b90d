"""The cache gives back whole binaries of the same program and device, and nothing else."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from support.devices import small_device

from vyre_dialect.runtime import cache_folder, keyed_files
from vyre_dialect.runtime.opencl import kernel_cache
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache, kernel_key

DEVICE = small_device(32768)


@pytest.fixture
def cache(tmp_path: Path) -> KernelCache:
    return KernelCache(tmp_path / "not" / "yet")


def test_what_was_put_is_got(cache: KernelCache) -> None:
    assert cache.get("key") is None
    cache.put("key", b"binary")
    assert cache.get("key") == b"binary"
    assert cache.get("other") is None


def test_it_outlives_the_process(cache: KernelCache) -> None:
    cache.put("key", b"binary")
    assert KernelCache(cache.folder).get("key") == b"binary"


@pytest.mark.parametrize("damage", [b"", b"binary", b"vyre-kernel-1\n"])
def test_damaged_files_are_misses(cache: KernelCache, damage: bytes) -> None:
    cache.put("key", b"binary")
    assert cache.folder is not None
    (cache.folder / "key").write_bytes(damage)
    assert cache.get("key") is None


def test_a_huge_file_is_a_miss_and_kept_anew(
    cache: KernelCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_folder, "_told", set[str]())
    cache.put("key", b"binary")
    assert cache.folder is not None
    os.truncate(cache.folder / "key", 1 << 40)
    with pytest.warns(UserWarning, match="key' is not used: it holds more than 256 MiB"):
        assert cache.get("key") is None
    cache.put("key", b"binary")
    assert cache.get("key") == b"binary"


def test_a_changed_or_cut_binary_is_a_miss(cache: KernelCache) -> None:
    cache.put("key", b"binary")
    assert cache.folder is not None
    path = cache.folder / "key"
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:-1] + b"Y", whole + b"y"):
        path.write_bytes(damaged)
        assert cache.get("key") is None
        cache.put("key", b"binary")
        assert cache.get("key") == b"binary"


def test_discarded_binaries_are_gone(cache: KernelCache) -> None:
    cache.put("key", b"binary")
    cache.discard("key")
    cache.discard("key")
    assert cache.get("key") is None


def test_a_binary_is_bound_to_its_key(cache: KernelCache) -> None:
    cache.put("key", b"binary")
    cache.put("other", b"binary of another")
    assert cache.folder is not None
    os.replace(cache.folder / "other", cache.folder / "key")
    assert cache.get("key") is None


def test_what_others_could_have_written_is_a_miss_with_a_warning(cache: KernelCache) -> None:
    cache.put("key", b"binary")
    assert cache.folder is not None
    (cache.folder / "key").chmod(0o666)
    with pytest.warns(UserWarning, match="'.*key' is not used: other users may write to it"):
        assert cache.get("key") is None
    cache.put("key", b"binary")
    assert cache.get("key") == b"binary"


def test_nothing_is_kept_where_others_may_write(cache: KernelCache) -> None:
    cache.put("key", b"binary")
    assert cache.folder is not None
    cache.folder.chmod(0o777)
    with pytest.warns(UserWarning, match="is not used: other users may write to it") as told:
        attempt_all(cache)
    assert len(told) == 1


def test_a_fifo_in_the_place_of_a_binary_is_a_miss_and_is_replaced(cache: KernelCache) -> None:
    cache.put("other", b"binary")
    assert cache.folder is not None
    os.mkfifo(cache.folder / "key")
    with pytest.warns(UserWarning, match="'.*key' is not used: it is no regular file"):
        assert cache.get("key") is None
    cache.put("key", b"binary")
    assert cache.get("key") == b"binary"


def test_nothing_is_kept_without_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    KernelCache(None).put("key", b"binary")
    assert KernelCache(None).get("key") is None
    cache = KernelCache(tmp_path / "file" / "below")
    with pytest.warns(UserWarning, match="cannot keep '.*': Not a directory") as told:
        attempt_all(cache)
    assert len(told) == 1


def attempt_all(cache: KernelCache) -> None:
    """Do all that a cache does, which comes to nothing."""
    cache.put("key", b"binary")
    assert cache.get("key") is None
    cache.discard("key")


def test_the_oldest_binaries_go(cache: KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyed_files, "MOST_FILES", 2)
    assert cache.folder is not None
    for age, key in enumerate(("newest", "newer", "old")):
        cache.put(key, b"binary")
        os.utime(cache.folder / key, (1000 - age, 1000 - age))
    cache.put("now", b"binary")
    assert sorted(os.listdir(cache.folder)) == ["newest", "now"]


def test_writers_do_not_disturb_each_other(cache: KernelCache) -> None:
    def put(number: int) -> None:
        cache.put("key", b"%d" % (number % 4) * 100_000)
        assert cache.get("key") in [b"%d" % digit * 100_000 for digit in range(4)]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(64)))


def test_the_key_depends_on_all_that_the_binary_depends_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = {
        kernel_key("source", (), DEVICE),
        kernel_key("other source", (), DEVICE),
        kernel_key("source", ("-cl-std=CL1.2",), DEVICE),
        kernel_key("source", (), replace(DEVICE, name="other")),
        kernel_key("source", (), replace(DEVICE, platform="other")),
        kernel_key("source", (), replace(DEVICE, driver="2.0")),
    }
    monkeypatch.setattr(kernel_cache, "vyre_version", lambda: "another version")
    keys.add(kernel_key("source", (), DEVICE))
    assert len(keys) == 7


def test_parts_of_the_key_do_not_run_together() -> None:
    assert kernel_key("c", ("ab",), DEVICE) != kernel_key("bc", ("a",), DEVICE)


def test_it_can_be_turned_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert KernelCache.default().folder == tmp_path / "vyre" / "kernels"
    monkeypatch.setenv("VYRE_NO_CACHE", "1")
    assert KernelCache.default().folder is None
