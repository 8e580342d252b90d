"""Makes every OpenCL runtime on this machine visible to pyopencl.

Two kinds of runtime are installed but not found by the OpenCL loader on its own:

* Intel's CPU runtime from PyPI (`vyre[cpu]`): its `.icd` file names a folder that does not exist,
  and its libraries need each other without saying where they are, so they are loaded here first.
* NVIDIA's driver inside containers, which often lack the `.icd` file that names it.

The loader reads one folder of `.icd` files, whoever put them there, so a temporary folder is made
that names the system's runtimes and these. A folder that the user chose (`OCL_ICD_VENDORS`) stands
for the system's: what it hides stays hidden, and Intel's runtime, which belongs to the Python
environment, is added to it.

Barriers under a condition that the whole workgroup agrees on are too much for the default of PoCL:
3.1 hangs, unless it turns kernels into loops over the workgroup without vectorising these, and 5.0
ends the process, unless it goes from barrier to barrier by continuations; so they are asked to,
unless the user has chosen how it works (`POCL_WORK_GROUP_METHOD`). It does not work without a
folder, to which it writes what it loads: so it has one that no one else may write to
(`POCL_CACHE_DIR`), in the user's cache, or a temporary one where that cannot be used.

pyopencl's own caches are turned off: vyre keeps its kernels itself, a full disk makes SQLite raise,
and what is read from there is unpickled.
"""

import atexit
import contextlib
import ctypes
import errno
import os
import shutil
import sys
import tempfile
from functools import cache
from importlib import metadata
from pathlib import Path

from vyre_dialect.runtime.cache_folder import CacheFolder, tell_once
from vyre_dialect.runtime.opencl.current_folder import outside_current_folder

VENDORS_VARIABLE = "OCL_ICD_VENDORS"
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")

# Tells a folder made here from one that the user chose.
_FOLDER_PREFIX = "vyre-opencl-vendors-"

_INTEL_RUNTIME = "libintelocl.so"
_INTEL_VENDOR = "vyre-intel-cpu.icd"
# In the order they need each other; the runtime's own search path does not reach them.
_INTEL_LIBRARIES = ("libintlc.so.5", "libimf.so", "libirng.so", "libsvml.so", "libtbb.so.12")
# Of the system, and needed, too: that path names the current folder before those of the system.
_SYSTEM_LIBRARIES = (
    *("libdl.so.2", "libpthread.so.0", "librt.so.1"),
    *("libm.so.6", "libz.so.1", "libgcc_s.so.1"),
)
_NVIDIA_RUNTIME = "libnvidia-opencl.so.1"

_POCL_METHOD_VARIABLE = "POCL_WORK_GROUP_METHOD"
_POCL = "libpocl.so"
_POCL_METHODS = {"libpocl.so.2.10": "loops", "libpocl.so.2.12": "cbs"}
"""By the libraries of 3.1 and 5.0."""
_POCL_FOLDER_VARIABLE = "POCL_CACHE_DIR"
_POCL_FOLDER_PREFIX = "vyre-pocl-"
_POCL_BYTES, _POCL_FILES = 16 << 20, 1024
"""Room for what PoCL writes as it builds the kernels of a program, and more."""

_POCL_LEAVINGS = "tempfile_"
"""What each process of PoCL leaves one of in its folder, empty, begins so."""
_POCL_SECONDS = 3600
"""No build takes as long between the first sight of such a file and what is written to it."""


@cache
def prepare_opencl() -> None:
    """Make all runtimes visible; call it before pyopencl is imported.

    Does its work once per process.
    """
    _turn_off_caches_of_pyopencl()
    _load_system_libraries()
    _name_folders_in_full()
    chosen = os.environ.get(VENDORS_VARIABLE)
    if chosen and _FOLDER_PREFIX in chosen and not os.path.isdir(chosen):
        chosen = None  # of a vyre process that started this one, and has ended
    vendors = _read_vendors(Path(chosen) if chosen else SYSTEM_VENDORS)
    vendors.pop(_INTEL_VENDOR, None)  # of one that has not
    for library, method in _POCL_METHODS.items():
        if _names_library(vendors, library):
            os.environ.setdefault(_POCL_METHOD_VARIABLE, method)
    if _names_library(vendors, _POCL):
        _give_pocl_a_folder()
    added = _intel_vendor(vendors) | ({} if chosen else _nvidia_vendor(vendors))
    if added:
        _offer_vendors(vendors | added)


def _load_system_libraries() -> None:
    """Those that Intel's runtime would look for in the current folder first, wherever it lies."""
    for library in _SYSTEM_LIBRARIES:
        with contextlib.suppress(OSError):  # another system has others
            ctypes.CDLL(library)


def _name_folders_in_full() -> None:
    """Of what drivers read: they are called where another folder is the current one."""
    vendors, folder = map(os.environ.get, (VENDORS_VARIABLE, _POCL_FOLDER_VARIABLE))
    with contextlib.suppress(OSError):  # a current folder that was removed
        if vendors and os.path.isdir(vendors):  # it may be a name among those of the system
            os.environ[VENDORS_VARIABLE] = os.path.abspath(vendors)
        if folder:
            os.environ[_POCL_FOLDER_VARIABLE] = os.path.abspath(folder)


def _turn_off_caches_of_pyopencl() -> None:
    os.environ["PYOPENCL_NO_CACHE"] = "1"
    if (loaded := sys.modules.get("pyopencl")) is not None:  # it has read the variable
        loaded.__dict__["_PYOPENCL_NO_CACHE"] = True


def _give_pocl_a_folder() -> None:
    """Unless the user has chosen one, or it can have none."""
    chosen = os.environ.get(_POCL_FOLDER_VARIABLE)
    if chosen and _POCL_FOLDER_PREFIX not in chosen:
        return
    kept = CacheFolder.of_user(f"{_POCL_FOLDER_PREFIX}kernels")
    if kept is not None:
        with contextlib.suppress(OSError):  # asking for room tells why it cannot be used
            kept.remove_abandoned(_POCL_LEAVINGS, _POCL_SECONDS)
    try:
        folder = kept.path if kept is not None and _has_room(kept) else None
        os.environ[_POCL_FOLDER_VARIABLE] = str(folder or _temporary_folder(_POCL_FOLDER_PREFIX))
    except OSError as error:
        tell_once("the kernels of PoCL", error)


def _has_room(kept: CacheFolder) -> bool:
    """Whether PoCL can write to a folder; if not, that is told."""
    try:
        with kept.opened() as folder:
            kept.check_entries(folder)
            if not os.access(".", os.W_OK, dir_fd=folder):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            system = os.statvfs(folder)
        if _is_full(system):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        tell_once(kept.path, error)
        return False
    return True


def _is_full(system: os.statvfs_result) -> bool:
    """Whether too few bytes or files are left; a file system that counts none has 0 in all."""
    lacks_bytes = system.f_blocks > 0 and system.f_bavail * system.f_frsize < _POCL_BYTES
    lacks_files = system.f_files > 0 and system.f_favail < _POCL_FILES
    return lacks_bytes or lacks_files


def missing_runtime_advice() -> str:
    """The one thing that helps on this machine where no device is found or works."""
    chosen = os.environ.get(VENDORS_VARIABLE)
    if chosen and _FOLDER_PREFIX not in chosen:
        return f"{VENDORS_VARIABLE}={chosen} hides every runtime that it does not name: unset it"
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


def _intel_vendor(vendors: dict[str, str]) -> dict[str, str]:
    """Intel's runtime, loaded, where it is installed but not named by `vendors`."""
    if _names_library(vendors, _INTEL_RUNTIME):
        return {}
    runtime = outside_current_folder(load_intel_runtime)
    return {} if runtime is None else {_INTEL_VENDOR: str(runtime)}


def _nvidia_vendor(vendors: dict[str, str]) -> dict[str, str]:
    """NVIDIA's driver, where it is installed but not named by `vendors`."""
    usable = not _names_library(vendors, _NVIDIA_RUNTIME) and _is_loadable(_NVIDIA_RUNTIME)
    return {"vyre-nvidia.icd": _NVIDIA_RUNTIME} if usable else {}


def _names_library(vendors: dict[str, str], library: str) -> bool:
    """
    Whether an `.icd` file names `library`, or a link to it, and, where it gives a full path, that
    file exists.
    """
    for path in map(Path, vendors.values()):
        is_absolute = path.is_absolute()
        names = {path.name, path.resolve().name} if is_absolute else {path.name}
        if any(each.startswith(library) for each in names) and (not is_absolute or path.exists()):
            return True
    return False


def _is_loadable(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def load_intel_runtime() -> Path | None:
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


def _offer_vendors(vendors: dict[str, str]) -> None:
    """Let the loader read `vendors`, and no other, from a folder that this process alone has."""
    try:
        folder = _temporary_folder(_FOLDER_PREFIX)
        for name, contents in vendors.items():
            (folder / name).write_text(f"{contents}\n")
    except OSError as error:
        tell_once("the names of OpenCL runtimes", error)
        return
    os.environ[VENDORS_VARIABLE] = str(folder)


def _temporary_folder(prefix: str) -> Path:
    """A new folder that is removed when this process ends, not a fork of it. Raises an OSError."""
    folder, owner = Path(tempfile.mkdtemp(prefix=prefix)).absolute(), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
