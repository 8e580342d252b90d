"""Built kernels, kept between processes.

One file per program, named by the BLAKE3 digest of everything that the binary depends on, and bound
to that name: the binary of another program is a miss, as is a damaged one. Nothing here ever fails:
without a usable folder nothing is kept, which is told once.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from blake3 import blake3

from vyre_dialect.runtime.cache_folder import CacheFolder, tell_once
from vyre_dialect.runtime.opencl.device import DeviceInfo

_MAGIC = b"vyre-kernel-2\n"
_DIGEST_BYTES = 32
MOST_FILES = 1024
"""The oldest files go when there are more."""


@cache
def vyre_version() -> str:
    """The version of vyre that is installed."""
    return metadata.version("vyre")


def kernel_key(source: str, options: tuple[str, ...], device: DeviceInfo) -> str:
    """The name under which the binary of `source` for a device is kept."""
    parts = (
        vyre_version(),
        device.platform,
        device.name,
        device.version,
        device.driver,
        *options,
        source,
    )
    return _digest(*(part.encode() for part in parts)).hexdigest()


@dataclass(frozen=True)
class KernelCache:
    """Binaries in a folder, which need not exist yet."""

    folder: Path | None
    """Where they are kept, or None to keep nothing."""

    @classmethod
    def default(cls) -> KernelCache:
        """The cache of this user; `VYRE_NO_CACHE` in the environment turns it off."""
        kept = CacheFolder.of_user("kernels")
        return cls(None if kept is None else kept.path)

    def get(self, key: str) -> bytes | None:
        """The binary kept under `key`, or None when there is none that is whole."""
        if self.folder is None:
            return None
        try:
            data = CacheFolder(self.folder).read(key)
        except OSError as error:
            tell_once(self.folder, error)
            return None
        header = len(_MAGIC) + _DIGEST_BYTES
        if data is None or data[:header] != _header(key, data[header:]):
            return None
        return data[header:]

    def put(self, key: str, binary: bytes) -> None:
        """Keep `binary` under `key`, if the folder can be written to."""
        if self.folder is None:
            return
        kept = CacheFolder(self.folder)
        try:
            kept.write(key, _header(key, binary) + binary)
            kept.keep_newest(MOST_FILES)
        except OSError as error:
            tell_once(self.folder, error)

    def discard(self, key: str) -> None:
        """Forget what is kept under `key`."""
        if self.folder is not None:
            with contextlib.suppress(OSError):
                CacheFolder(self.folder).remove(key)


def _header(key: str, binary: bytes) -> bytes:
    return _MAGIC + _digest(key.encode(), binary).digest()


def _digest(*parts: bytes) -> blake3:
    """The digest of parts that do not run together."""
    digest = blake3()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest
