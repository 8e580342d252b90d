"""Which OpenCL runtimes a fresh process sees."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vyre_dialect.runtime.opencl import loader
from vyre_dialect.runtime.opencl.loader import cache_folder

PLATFORMS = """
import json
from vyre_dialect.runtime.opencl.devices import list_devices, working
print(json.dumps([d.info.platform for d in list_devices() if working(d) is None]))
"""
INTEL = "Intel(R) OpenCL"


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


def test_intel_runtime_works_without_any_setting(tmp_path: Path) -> None:
    assert INTEL in platforms_seen(XDG_CACHE_HOME=str(tmp_path))


def test_intel_runtime_works_from_the_cached_folder(tmp_path: Path) -> None:
    first = platforms_seen(XDG_CACHE_HOME=str(tmp_path))
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.icd")}
    assert platforms_seen(XDG_CACHE_HOME=str(tmp_path)) == first
    assert written == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.icd")}


def test_intel_runtime_works_without_a_cache(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert INTEL in platforms_seen(XDG_CACHE_HOME=str(blocked), TMPDIR=str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_child_process_finds_it_too(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys; from vyre_dialect.runtime.opencl.devices import list_devices;"
        f" list_devices(); sys.exit(subprocess.call([sys.executable, '-c', {PLATFORMS!r}]))"
    )
    assert INTEL in platforms_seen(code, XDG_CACHE_HOME=str(tmp_path))


def test_a_folder_that_the_user_chose_is_kept(tmp_path: Path) -> None:
    (tmp_path / "vendors").mkdir()
    seen = platforms_seen(OCL_ICD_VENDORS=str(tmp_path / "vendors"))
    assert INTEL not in seen
    assert "Portable Computing Language" not in seen


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
    made = loader._read_vendors(Path(os.environ["OCL_ICD_VENDORS"]))
    assert made["some.icd"] == "libsome.so.1"
    assert Path(made["vyre-intel-cpu.icd"]).exists()


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


def test_the_cache_folder_follows_the_convention(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/where")
    assert cache_folder() == Path("/some/where/vyre")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path.home() / ".cache" / "vyre"
