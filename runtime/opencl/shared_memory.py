"""The host's own memory, where a device works on that too: inputs need no copy."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session

if TYPE_CHECKING:
    from vyre_dialect.runtime.opencl.transfers import Handle

# Kernels may rely on the alignment that OpenCL promises for its widest type.
_ALIGNMENT = 128


class SharedMemory(NamedTuple):
    """Memory of the host that the device works on, and only reads."""

    handle: Handle
    array: Array
    """The contents, kept as long as the handle."""

    @property
    def bytes(self) -> Array:
        """The contents as bytes."""
        return self.array.reshape(-1).view(np.uint8)


def shared_memory(session: Session, contents: Array) -> SharedMemory | None:
    """Memory of the host as a device of the host can read it, or None where it has to be copied."""
    import pyopencl as cl

    info = session.device.info
    if info.kind != "cpu" or info.simulator or not contents.size:
        return None
    if contents.ctypes.data % _ALIGNMENT:
        return None
    if contents.nbytes > info.max_alloc_bytes:
        return _shared_beyond_limit(session, contents)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR
    return SharedMemory(cl.Buffer(session.context, flags, hostbuf=contents), contents)


def _shared_beyond_limit(session: Session, contents: Array) -> SharedMemory | None:
    """More than a buffer may hold, by address; for devices that take any address."""
    import pyopencl as cl

    if not takes_any_address(session.device):
        return None
    # pyopencl takes only memory that may be written, though the kernel does not write to it.
    memory = (ctypes.c_uint8 * contents.nbytes).from_address(contents.ctypes.data)
    return SharedMemory(cl.SVM(np.ctypeslib.as_array(memory)), contents)


def takes_any_address(device: Device) -> bool:
    """Whether kernels may work on any memory of the host, by address."""
    import pyopencl as cl

    try:
        capabilities = device.handle.svm_capabilities
    except (cl.Error, AttributeError):  # OpenCL 1.2
        return False
    return bool(capabilities & cl.device_svm_capabilities.FINE_GRAIN_SYSTEM)
