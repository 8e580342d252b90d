"""Which OpenCL runtimes a fresh process sees."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import command_line

from vyre_dialect.runtime import cache_folder
from vyre_dialect.runtime.cache_folder import CacheFolder
from vyre_dialect.runtime.opencl import loader

PLATFORMS = """
import json
from vyre_dialect.runtime.opencl.devices import list_devices, working
print(json.dumps([d.info.platform for d in list_devices() if working(d) is None]))
"""
OF_A_CHILD = (
    "import subprocess, sys; from vyre_dialect.runtime.opencl.devices import list_devices;"
    f" list_devices(); sys.exit(subprocess.call([sys.executable, '-c', {PLATFORMS!r}]))"
)
INTEL = "Intel(R) OpenCL"
POCL = "Portable Computing Language"


def platforms_seen(code: str = PLATFORMS, **environment: str) -> list[str]:
    """The platforms that a fresh process finds working, in that environment."""
    inherited = {name: value for name, value in os.environ.items() if name != "OCL_ICD_VENDORS"}
    output = subprocess.run(
        [sys.executable, "-c", code],
        env=inherited | environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return json.loads(output)


@pytest.fixture(autouse=True)
def has_intel_runtime() -> None:
    if loader._find_intel_runtime() is None:
        pytest.skip("Intel's runtime is not installed: pip install 'vyre[cpu]'")


@pytest.mark.slow
def test_intel_runtime_works_without_any_setting(tmp_path: Path) -> None:
    assert INTEL in platforms_seen(XDG_CACHE_HOME=str(tmp_path))


@pytest.mark.slow
def test_intel_runtime_works_from_the_cached_folder(tmp_path: Path) -> None:
    first = platforms_seen(XDG_CACHE_HOME=str(tmp_path))
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.icd")}
    assert platforms_seen(XDG_CACHE_HOME=str(tmp_path)) == first
    assert written == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.icd")}


@pytest.mark.slow
def test_intel_runtime_works_without_a_cache(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert INTEL in platforms_seen(XDG_CACHE_HOME=str(blocked), TMPDIR=str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
def test_a_child_process_finds_it_too(tmp_path: Path) -> None:
    assert INTEL in platforms_seen(OF_A_CHILD, XDG_CACHE_HOME=str(tmp_path))


def test_an_empty_folder_hides_all_but_what_pip_brings(tmp_path: Path) -> None:
    (tmp_path / "vendors").mkdir()
    seen = platforms_seen(OCL_ICD_VENDORS=str(tmp_path / "vendors"))
    assert INTEL in seen
    assert POCL not in seen


def test_a_child_process_sees_no_more_than_the_folder_that_the_user_chose(tmp_path: Path) -> None:
    (tmp_path / "vendors").mkdir()
    seen = platforms_seen(OF_A_CHILD, OCL_ICD_VENDORS=str(tmp_path / "vendors"))
    assert INTEL in seen
    assert POCL not in seen


def test_the_runtimes_of_the_system_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "system"
    system.mkdir()
    (system / "some.icd").write_text("libsome.so.1\n")
    monkeypatch.setattr(loader, "SYSTEM_VENDORS", system)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("OCL_ICD_VENDORS", "")
    loader.prepare_opencl.__wrapped__()
    made = loader._read_vendors(folder := Path(os.environ["OCL_ICD_VENDORS"]))
    assert made["some.icd"] == "libsome.so.1"
    assert Path(made["vyre-intel-cpu.icd"]).exists()
    # What somebody else puts into a cache is no library of a runtime.
    assert tmp_path not in folder.parents
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("contents", "named"),
    [
        ("libintelocl.so", True),
        (sys.executable, False),
        ("/no/such/folder/libintelocl.so", False),
        ("libintelocl_emu.so", False),
    ],
)
def test_a_library_is_named_by_a_usable_file(contents: str, named: bool) -> None:
    vendors = {"intel.icd": contents}
    assert loader._names_library(vendors, "libintelocl.so") is named


@pytest.mark.parametrize(
    ("library", "chosen", "method"),
    [
        ("libpocl.so.2.10.0", None, "loops"),
        ("libpocl.so.2.12.0", None, "cbs"),
        ("libpocl.so.2.12.0", "loopvec", "loopvec"),
        ("libpocl.so.2", None, None),
        ("libsome.so.1", None, None),
    ],
)
def test_pocl_runs_workgroups_as_it_can(
    library: str,
    chosen: str | None,
    method: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vendors = tmp_path / "vendors"
    vendors.mkdir()
    (vendors / "one.icd").write_text(library)
    monkeypatch.setenv("OCL_ICD_VENDORS", str(vendors))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("POCL_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("POCL_WORK_GROUP_METHOD", chosen or "")
    if chosen is None:
        monkeypatch.delenv("POCL_WORK_GROUP_METHOD")
    loader.prepare_opencl.__wrapped__()
    assert os.environ.get("POCL_WORK_GROUP_METHOD") == method


def test_links_to_pocl_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library, link = tmp_path / "libpocl.so.2.12.0", tmp_path / "libpocl.so.2"
    library.touch()
    link.symlink_to(library)
    test_pocl_runs_workgroups_as_it_can(str(link), None, "cbs", tmp_path, monkeypatch)


def broken_cache(folder: Path, how: str) -> Path:
    """A cache that cannot be used."""
    if how == "nowhere":
        return Path("/proc/nowhere")
    if how == "a file":
        folder.write_text("no folder")
    elif how == "of everybody":
        for name in ("kernels", "vyre-pocl-kernels", "hot-paths", "tuner"):
            (folder / "vyre" / name).mkdir(parents=True)
            (folder / "vyre" / name).chmod(0o777)
    elif how == "of everybody, as a whole":
        (folder / "vyre").mkdir(parents=True)
        (folder / "vyre").chmod(0o777)
    elif how == "too long":
        return folder / ("a" * 300)
    elif how == "damaged":
        (folder / "pytools").mkdir(parents=True)
        version = ".".join(map(str, sys.version_info))
        for name in ("pyopencl-invoker-cache-v42-nano", "pyopencl-invoker-cache-v42"):
            (folder / "pytools" / f"pdict-v5-{name}-{version}.sqlite").write_text("no database")
    return folder


PROGRAM = """
vyre.program @p {
  %o = vyre.buffer @o live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "r" invocations [4] {
    %i = vyre.invocation_id x
    %v = arith.constant 7 : i32
    vyre.store %v, %o[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
"""


def run_program(platform: str, file: Path, **environment: str) -> tuple[str, str]:
    """What a fresh process of `vyre run` prints to both streams."""
    file.write_text(PROGRAM)
    inherited = {name: value for name, value in os.environ.items() if name != "POCL_CACHE_DIR"}
    done = subprocess.run(
        command_line("run", str(file), "--device", platform, "--json"),
        env=inherited | environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("platform", [INTEL, POCL])
@pytest.mark.parametrize(
    ("how", "warning"),
    [
        ("nowhere", "cannot keep '/proc/nowhere/vyre"),
        ("a file", "': Not a directory"),
        ("of everybody", "' is not used: other users may write to it"),
        ("of everybody, as a whole", "vyre' is not used: other users may write to it"),
        ("too long", "': File name too long"),
        ("damaged", ""),
    ],
)
def test_a_cache_that_cannot_be_used_is_one_warning(
    tmp_path: Path, platform: str, how: str, warning: str
) -> None:
    if platform not in platforms_seen():
        pytest.skip(f"{platform} is not installed")
    cache, temporary = broken_cache(tmp_path / "cache", how), tmp_path / "temporary"
    temporary.mkdir()
    out, err = run_program(
        platform, tmp_path / "p.mlir", XDG_CACHE_HOME=str(cache), TMPDIR=str(temporary)
    )
    assert json.loads(out)["outputs"] == {"o": [7, 7, 7, 7]}
    assert err.count("\n") == bool(warning)
    assert warning in err
    assert not list(temporary.iterdir())


@pytest.mark.slow
def test_nothing_is_kept_where_no_cache_is_wanted(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    run_program(INTEL, tmp_path / "p.mlir", XDG_CACHE_HOME=cache, VYRE_NO_CACHE="1")
    assert [path.name for path in tmp_path.iterdir()] == ["p.mlir"]


@pytest.mark.slow
def test_pyopencl_keeps_nothing_also_where_it_is_loaded_before(tmp_path: Path) -> None:
    assert INTEL in platforms_seen(f"import pyopencl\n{PLATFORMS}", XDG_CACHE_HOME=str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} <= {"vyre"}


@pytest.mark.parametrize("room", ["_POCL_BYTES", "_POCL_FILES"])
def test_a_folder_without_room_for_pocl_is_not_used(
    room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = CacheFolder(tmp_path)
    assert loader._has_room(kept)
    monkeypatch.setattr(cache_folder, "_told", set[str]())
    monkeypatch.setattr(loader, room, 1 << 60)
    with pytest.warns(UserWarning, match="cannot keep '.*': No space left on device"):
        assert not loader._has_room(kept)


@pytest.mark.parametrize(
    ("bytes_", "bytes_left", "files", "files_left", "full"),
    [
        (1 << 30, 1 << 29, 9, 0, True),
        (1 << 30, 0, 1 << 20, 1 << 19, True),
        (1 << 30, 1 << 29, 1 << 20, 1 << 19, False),
        (1 << 30, 1 << 29, 0, 0, False),
        (0, 0, 0, 0, False),
    ],
)
def test_a_file_system_has_room_for_bytes_and_for_files(
    bytes_: int, bytes_left: int, files: int, files_left: int, full: bool
) -> None:
    blocks = (1, 1, bytes_, bytes_left, bytes_left)
    assert (
        loader._is_full(os.statvfs_result((*blocks, files, files_left, files_left, 0, 255))) is full
    )


def test_folders_that_drivers_read_are_named_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vendors").mkdir()
    (tmp_path / "vendors" / "pocl.icd").write_text("libpocl.so.2.10.0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCL_ICD_VENDORS", "vendors")
    monkeypatch.setenv("POCL_CACHE_DIR", "kernels")
    monkeypatch.setenv("POCL_WORK_GROUP_METHOD", "loops")

    def no_vendor(_: object) -> dict[str, str]:
        return {}

    monkeypatch.setattr(loader, "_intel_vendor", no_vendor)
    loader.prepare_opencl.__wrapped__()
    assert os.environ["OCL_ICD_VENDORS"] == str(tmp_path / "vendors")
    assert os.environ["POCL_CACHE_DIR"] == str(tmp_path / "kernels")
    monkeypatch.setattr(loader.tempfile, "tempdir", ".")
    assert loader._temporary_folder("made-").is_absolute()


def test_what_processes_of_pocl_left_goes_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vendors").mkdir()
    (tmp_path / "vendors" / "pocl.icd").write_text("libpocl.so.2.10.0")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "vendors"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("POCL_CACHE_DIR", "")
    monkeypatch.setenv("POCL_WORK_GROUP_METHOD", "loops")
    folder = tmp_path / "vyre" / "vyre-pocl-kernels"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "tempfile_abcdef").touch()
    (folder / "kernel").touch()
    for name in ("tempfile_abcdef", "kernel"):
        os.utime(folder / name, (1000, 1000))
    (folder / "tempfile_ghijkl").touch()
    loader.prepare_opencl.__wrapped__()
    assert os.environ["POCL_CACHE_DIR"] == str(folder)
    assert sorted(os.listdir(folder)) == ["kernel", "tempfile_ghijkl"]
