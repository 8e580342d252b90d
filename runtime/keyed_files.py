"""
What takes long to make, kept between processes under a digest of all that it depends on.

One file for each key, bound to it: what was kept under another key is a miss, as is what is
damaged. Nothing here ever fails: without a usable folder nothing is kept, which is told once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from vyre_dialect.runtime.cache_folder import CacheFolder, tell_once

_DIGEST_BYTES = 32
MOST_FILES = 1024
"""The oldest files go when there are more."""


def digest_of(parts: Iterable[bytes | str]) -> blake3:
    """The digest of parts that do not run together."""
    digest = blake3()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest


@dataclass(frozen=True)
class KeyedFiles:
    """Files in a folder, which need not exist yet."""

    folder: Path | None
    """Where they are kept, or None to keep nothing."""
    kind: bytes
    """What is kept, and in which form; files of another are misses."""

    def get(self, key: str) -> bytes | None:
        """What is kept under `key`, or None when there is nothing that is whole."""
        if self.folder is None:
            return None
        try:
            data = CacheFolder(self.folder).read(key)
        except OSError as error:
            tell_once(self.folder, error)
            return None
        size = len(self.kind) + _DIGEST_BYTES
        if data is None or data[:size] != self._header(key, data[size:]):
            return None
        return data[size:]

    def put(self, key: str, data: bytes) -> None:
        """Keep `data` under `key`, if the folder can be written to."""
        if self.folder is None:
            return
        kept = CacheFolder(self.folder)
        try:
            kept.write(key, self._header(key, data) + data)
            kept.keep_newest(MOST_FILES)
        except OSError as error:
            tell_once(self.folder, error)

    def discard(self, key: str) -> None:
        """Forget what is kept under `key`."""
        if self.folder is not None:
            with contextlib.suppress(OSError):
                CacheFolder(self.folder).remove(key)

    def _header(self, key: str, data: bytes) -> bytes:
        return self.kind + digest_of([key, data]).digest()
