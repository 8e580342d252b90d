"""An OpenCL device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vyre_dialect.runtime.program.device_info import DeviceInfo

if TYPE_CHECKING:
    import pyopencl as cl


@dataclass(frozen=True)
class Device:
    """A device and what is known about it."""

    handle: cl.Device
    """The device as pyopencl knows it."""

    info: DeviceInfo
