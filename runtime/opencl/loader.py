"""Makes every OpenCL runtime on this machine visible to pyopencl.

Two kinds of runtime are installed but not found by the OpenCL loader on its own:

* Intel's CPU runtime from PyPI (`vyre[cpu]`): its `.icd` file names a folder that does not exist,
  and its libraries need each other without saying where they are, so they are loaded here first.
* NVIDIA's driver inside containers, which often lack the `.icd` file that names it.

The loader reads one folder of `.icd` files, so a folder is made that names the system's runtimes
and these. A folder that the user chose (`OCL_ICD_VENDORS`) is taken as it is.

PoCL 3.1 hangs on a barrier under a condition that the whole workgroup agrees on, unless it turns
kernels into loops over the workgroup without vectorising these; so it is asked to, unless the user
has chosen how it works (`POCL_WORK_GROUP_METHOD`).
"""

import atexit
import ctypes
import hashlib
import os
import shutil
import tempfile
from functools import cache
from importlib import metadata
from pathlib import Path

VENDORS_VARIABLE = "OCL_ICD_VENDORS"
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")

# Tells the folders made here from one that the user chose.
_FOLDER_PREFIX = "vyre-opencl-vendors-"

_INTEL_RUNTIME = "libintelocl.so"
# In the order they need each other; the runtime's own search path does not reach them.
_INTEL_LIBRARIES = ("libintlc.so.5", "libimf.so", "libirng.so", "libsvml.so", "libtbb.so.12")
_NVIDIA_RUNTIME = "libnvidia-opencl.so.1"

_POCL_METHOD_VARIABLE = "POCL_WORK_GROUP_METHOD"
_POCL_METHOD = "loops"
# The library of PoCL 3.1.
_HANGING_POCL = "libpocl.so.2.10"


@cache
def prepare_opencl() -> None:
    """Make all runtimes visible; call it before pyopencl is imported.

    Does its work once per process.
    """
    _tolerate_missing_cache()
    chosen = _user_chose_vendors()
    system = _read_vendors(Path(os.environ[VENDORS_VARIABLE]) if chosen else SYSTEM_VENDORS)
    if _names_library(system, _HANGING_POCL):
        os.environ.setdefault(_POCL_METHOD_VARIABLE, _POCL_METHOD)
    if chosen:
        return
    added = _added_vendors(system)
    if added:
        os.environ[VENDORS_VARIABLE] = str(_write_vendors(system | added))


def _tolerate_missing_cache() -> None:
    """Keep pyopencl from failing where its cache cannot be written, as in a read-only home."""
    os.environ.setdefault("PYOPENCL_CACHE_FAILURE_FATAL", "")
    if not _can_write_cache():
        os.environ.setdefault("PYOPENCL_NO_CACHE", "true")


def _can_write_cache() -> bool:
    try:
        base = cache_folder().parent
        base.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(base, os.W_OK)


def _user_chose_vendors() -> bool:
    """Whether the variable is set, other than by a vyre process that started this one."""
    chosen = os.environ.get(VENDORS_VARIABLE)
    return bool(chosen) and _FOLDER_PREFIX not in chosen


def missing_runtime_advice() -> str:
    """The one thing that helps on this machine where no device is found or works."""
    if _user_chose_vendors():
        return (
            f"{VENDORS_VARIABLE}={os.environ[VENDORS_VARIABLE]} hides every runtime that it does "
            "not name: unset it"
        )
    if _find_intel_runtime() is None:
        return "install Intel's CPU runtime with pip install 'vyre[cpu]', or a driver for your GPU"
    return "reinstall Intel's CPU runtime: pip install --force-reinstall 'vyre[cpu]'"


def _read_vendors(folder: Path) -> dict[str, str]:
    """The contents of each readable `.icd` file of `folder`, by file name."""
    vendors: dict[str, str] = {}
    for file in sorted(folder.glob("*.icd")):
        try:
            vendors[file.name] = file.read_text().strip()
        except (OSError, UnicodeDecodeError):
            continue
    return vendors


def _added_vendors(system: dict[str, str]) -> dict[str, str]:
    """The runtimes that are installed but not named by the system's `.icd` files."""
    added: dict[str, str] = {}
    runtime = None if _names_library(system, _INTEL_RUNTIME) else _load_intel_runtime()
    if runtime is not None:
        added["vyre-intel-cpu.icd"] = str(runtime)
    if not _names_library(system, _NVIDIA_RUNTIME) and _is_loadable(_NVIDIA_RUNTIME):
        added["vyre-nvidia.icd"] = _NVIDIA_RUNTIME
    return added


def _names_library(vendors: dict[str, str], library: str) -> bool:
    """Whether an `.icd` file names `library` and, where it gives a full path, that file exists."""
    paths = [Path(line) for line in vendors.values() if Path(line).name.startswith(library)]
    return any(path.exists() or not path.is_absolute() for path in paths)


def _is_loadable(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _load_intel_runtime() -> Path | None:
    """Load what Intel's runtime needs and return its path, or None when it is not usable."""
    runtime = _find_intel_runtime()
    if runtime is None:
        return None
    try:
        for library in _INTEL_LIBRARIES:
            ctypes.CDLL(str(runtime.with_name(library)), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return None
    return runtime


def _find_intel_runtime() -> Path | None:
    """Where pip put Intel's runtime, which differs between kinds of install."""
    try:
        files = metadata.files("intel-opencl-rt") or []
    except metadata.PackageNotFoundError:
        return None
    found = [Path(str(file.locate())) for file in files if file.name == _INTEL_RUNTIME]
    return found[0].resolve() if found and found[0].exists() else None


def _write_vendors(vendors: dict[str, str]) -> Path:
    """A folder holding `vendors`: a cached one named by its contents, else a temporary one."""
    text = "\n".join(f"{name}={contents}" for name, contents in sorted(vendors.items()))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    try:
        return _write_cached_vendors(vendors, cache_folder() / f"{_FOLDER_PREFIX}{digest}")
    except OSError:
        temporary = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        _write_files(vendors, temporary)
        return temporary


def _write_cached_vendors(vendors: dict[str, str], target: Path) -> Path:
    """Write `target` in one step, so that no other process sees half of it."""
    if _read_vendors(target) == vendors:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as parent:
        staged = Path(parent) / "vendors"
        staged.mkdir()
        _write_files(vendors, staged)
        shutil.rmtree(target, ignore_errors=True)
        _rename_unless_made(staged, target)
    return target


def _rename_unless_made(staged: Path, target: Path) -> None:
    try:
        staged.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def _write_files(vendors: dict[str, str], folder: Path) -> None:
    for name, contents in vendors.items():
        (folder / name).write_text(contents + "\n")


def cache_folder() -> Path:
    """Where vyre keeps what it can make again: `$XDG_CACHE_HOME/vyre`, else `~/.cache/vyre`.

    Raises an OSError when there is no home folder. The folder itself may not exist yet.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else _home() / ".cache") / "vyre"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise FileNotFoundError("this user has no home folder") from error
