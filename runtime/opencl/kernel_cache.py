"""Built kernels, kept between processes.

One file per program, named by the BLAKE3 digest of everything that the binary depends on. Files are
written beside their place and renamed, so that no process sees half of one; one that is damaged all
the same is a miss. Nothing here ever fails: without a usable folder nothing is kept.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from blake3 import blake3

from vyre_dialect.runtime.opencl.devices import DeviceInfo
from vyre_dialect.runtime.opencl.loader import cache_folder

_MAGIC = b"vyre-kernel-1\n"
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
    digest = blake3()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


@dataclass(frozen=True)
class KernelCache:
    """Binaries in a folder, which need not exist yet."""

    folder: Path | None
    """Where they are kept, or None to keep nothing."""

    @classmethod
    def default(cls) -> KernelCache:
        """The cache of this user; `VYRE_NO_CACHE` in the environment turns it off."""
        if os.environ.get("VYRE_NO_CACHE"):
            return cls(None)
        try:
            return cls(cache_folder() / "kernels")
        except OSError:
            return cls(None)

    def get(self, key: str) -> bytes | None:
        """The binary kept under `key`, or None when there is none that is whole."""
        if self.folder is None:
            return None
        try:
            data = (self.folder / key).read_bytes()
        except OSError:
            return None
        header = len(_MAGIC) + _DIGEST_BYTES
        binary = data[header:]
        if data[:header] != _header(binary):
            return None
        return binary

    def put(self, key: str, binary: bytes) -> None:
        """Keep `binary` under `key`, if the folder can be written to."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            _replace(self.folder / key, _header(binary) + binary)
            self._forget_oldest()

    def discard(self, key: str) -> None:
        """Forget what is kept under `key`."""
        if self.folder is not None:
            with contextlib.suppress(OSError):
                (self.folder / key).unlink(missing_ok=True)

    def _forget_oldest(self) -> None:
        assert self.folder is not None
        with os.scandir(self.folder) as entries:
            files = [(entry.stat().st_mtime_ns, entry.path) for entry in entries]
        for _, path in sorted(files)[:-MOST_FILES]:
            os.unlink(path)


def _header(binary: bytes) -> bytes:
    return _MAGIC + blake3(binary).digest()


def _replace(path: Path, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
