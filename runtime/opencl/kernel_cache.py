"""Built kernels, kept between processes by the digest of everything that they depend on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from vyre_dialect.runtime.cache_folder import CacheFolder
from vyre_dialect.runtime.keyed_files import KeyedFiles, digest_of
from vyre_dialect.runtime.program.device_info import DeviceInfo

_KIND = b"vyre-kernel-4\n"


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
    return digest_of(parts).hexdigest()


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
        return self._files.get(key)

    def put(self, key: str, binary: bytes) -> None:
        """Keep `binary` under `key`, if the folder can be written to."""
        self._files.put(key, binary)

    def discard(self, key: str) -> None:
        """Forget what is kept under `key`."""
        self._files.discard(key)

    @property
    def _files(self) -> KeyedFiles:
        return KeyedFiles(self.folder, _KIND)
