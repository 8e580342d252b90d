"""
Calls of drivers that read what lies in the current folder, which may be anybody's.

Intel's runtime takes `cl.cfg` from there before its own, wherever it looks for devices, makes a
context or builds a program, and that says where files go and how kernels compute; its compiler
looks for `modules.idx`, and the linker that PoCL runs for `libgcc_s.so.1`. So threads make these
calls whose current folder is the root of the file system, as it is that of the threads that drivers
begin meanwhile. On Linux, a thread can have a folder of its own; elsewhere, and where a sandbox
forbids it, as that of Docker does by default, the current folder must have no such file when the
call is made.
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
"""Of unshare(2): the current folder, the root and the mask of file modes."""


def outside_current_folder(call: Callable[[], T]) -> T:
    """
    What `call` gives, which nothing that lies in the current folder changes; the main thread may be
    interrupted meanwhile. Raises a DeviceError where that cannot be had, or no thread be started.
    """
    return awaited(lambda: _elsewhere(call))


def leave_current_folder() -> bool:
    """Let the root be the current folder of this thread, and of no other; whether that can be."""
    if sys.platform != "linux" or ctypes.CDLL(None).unshare(_CLONE_FS) != 0:
        return False
    os.chdir("/")
    return True


def _elsewhere(call: Callable[[], T]) -> T:
    if leave_current_folder():
        return call()
    found = next((name for name in _READ_BY_DRIVERS if os.path.lexists(name)), None)
    if found is not None:
        raise DeviceError(
            f"the current folder has '{found}', which OpenCL runtimes read: change to another one"
        )
    return call()
