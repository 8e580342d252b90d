"""
Calls of drivers that read what lies in the current folder, which may be anybody's.

Intel's runtime takes `cl.cfg` from there before its own, wherever it looks for devices, makes a
context or builds a program, and that says where files go and how kernels compute; the linker that
PoCL runs takes `libgcc_s.so.1`, and a library that this names is run. So threads make these calls
whose current folder is the root of the file system, as it is that of the threads that drivers begin
meanwhile. A thread has a folder of its own on Linux, but where a sandbox forbids it: there, the
current folder must have no such file.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from typing import TypeVar

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.waiting import awaited

T = TypeVar("T")

_READ_BY_DRIVERS = ("cl.cfg", "modules.idx", "libgcc_s.so.1")
_CLONE_FS = 0x200
"""What threads of a process share: their current folder, their root and their file mode mask."""


def outside_current_folder(call: Callable[[], T]) -> T:
    """
    What `call` gives, which nothing that lies in the current folder changes; the main thread may be
    interrupted meanwhile. Raises a DeviceError where that cannot be had.
    """
    return awaited(lambda: _in_root(call))


def _in_root(call: Callable[[], T]) -> T:
    """What `call` gives, in a thread that does nothing else."""
    if sys.platform == "linux" and ctypes.CDLL(None).unshare(_CLONE_FS) == 0:
        os.chdir("/")
        return call()
    found = next((name for name in _READ_BY_DRIVERS if os.path.lexists(name)), None)
    if found is not None:
        raise DeviceError(
            f"the current folder has '{found}', which OpenCL runtimes read: change to another one"
        )
    return call()
