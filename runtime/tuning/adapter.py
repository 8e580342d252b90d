"""What a device is called in files that are kept for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blake3 import blake3

from vyre_dialect.runtime.program.device_info import DeviceInfo


@dataclass(frozen=True)
class Adapter:
    """A device of a platform, whatever its driver. Several of one kind in a machine are one."""

    platform: str
    device: str

    @classmethod
    def of(cls, info: DeviceInfo) -> Adapter:
        """The adapter of a device."""
        return cls(info.platform, info.name)

    @property
    def file_stem(self) -> str:
        """A name for files: readable, and not that of another adapter."""
        digest = blake3(f"{self.platform}\0{self.device}".encode()).hexdigest()[:12]
        readable = re.sub(r"[^a-z0-9]+", "-", self.device.lower()).strip("-")[:48]
        return f"{readable or 'device'}-{digest}"
