"""
Compiled programs, kept between processes, in a file for each key. A file that is damaged, or kept
under another name, is a miss.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from xdsl.context import Context

from vyre_dialect.runtime.cache_folder import CacheFolder
from vyre_dialect.runtime.driver.installation import fingerprint
from vyre_dialect.runtime.driver.kept_form import as_text, from_text, is_faithful
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.keyed_files import KeyedFiles, digest_of
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.device_info import DeviceInfo

_KIND = b"vyre-program-1\n"


class Kept(NamedTuple):
    """What is kept of a program."""

    compiled: CompiledProgram
    inputs: ProgramInputs
    decision: str | None = None
    """The key of the decision of tuning that it follows."""


@dataclass(frozen=True)
class KeptPrograms:
    """Programs in a folder, which need not exist yet."""

    folder: Path | None
    """Where they are kept, or None to keep nothing."""

    @classmethod
    def default(cls) -> KeptPrograms:
        """Those of this user; `VYRE_NO_CACHE` in the environment turns it off."""
        kept = CacheFolder.of_user("programs")
        return cls(None if kept is None else kept.path)

    def key(self, device: DeviceInfo, parts: Iterable[str | bytes]) -> str | None:
        """
        The BLAKE3 digest of a device, of everything that is installed, and of `parts`, on all of
        which it depends what comes out; None where nothing is kept.
        """
        if self.folder is None:
            return None
        info = json.dumps(asdict(device), default=sorted, sort_keys=True)
        return digest_of([fingerprint(), info, *parts]).hexdigest()

    def get(self, key: str, context: Context) -> Kept | None:
        """The program kept under `key`, or None when there is none that is whole."""
        if (data := self._files.get(key)) is None:
            return None
        try:
            return Kept(*from_text(data.decode(), context))
        except Exception:  # whatever a text causes that is whole and yet is none of these
            self._files.discard(key)
            return None

    def put(self, key: str, kept: Kept, context: Context) -> None:
        """Keep a program under `key`, if `context` reads it and the folder can be written to."""
        text = as_text(kept.compiled, kept.inputs, kept.decision)
        if is_faithful(text, kept.compiled, context):
            self._files.put(key, text.encode())

    @property
    def _files(self) -> KeyedFiles:
        return KeyedFiles(self.folder, _KIND)
