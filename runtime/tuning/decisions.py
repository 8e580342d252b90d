"""
What a tuner has decided on, kept between processes as TOML, one file per adapter.

An entry is found by everything that the decision depends on, so that one made for another program,
other options, another device, driver or version of vyre, or other sizes is never taken. What makes
no sense is a miss with a warning, and is kept aside before the file is written again.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from blake3 import blake3

from vyre_dialect.runtime.opencl.kernel_cache import vyre_version
from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.tuning.adapter import Adapter
from vyre_dialect.runtime.tuning.kept_file import KeptFile, kept_folder
from vyre_dialect.runtime.tuning.kept_toml import read_toml

if TYPE_CHECKING:
    from vyre_dialect.runtime.interpreter.arrays import Bytes
    from vyre_dialect.runtime.opencl.flight import Contents

MOST_ENTRIES = 1024
"""The oldest decisions go when there are more."""

_KEY = re.compile(r"v1-[0-9a-f]{64}")
_ENTRY = re.compile(rb"^(?=\[v1-[0-9a-f]{64}\]$)", re.MULTILINE)
"""Where an entry begins."""
_PROGRAM = re.compile(rb"^program = .*$", re.MULTILINE)


def decision_key(
    program: str,
    options: str,
    device: DeviceInfo,
    input_bytes: Sequence[int | None],
    output_bytes: int,
) -> str:
    """
    The key of a decision: `program` is its canonical text, `options` how it is compiled,
    `input_bytes` what the host supplies for each buffer, None where it supplies nothing. Sizes
    between the same powers of two share a decision.
    """
    sizes = (str(None if size is None else size_class(size)) for size in input_bytes)
    parts = (
        vyre_version(),
        device.platform,
        device.name,
        device.driver,
        options,
        str(output_bytes),
        *sizes,
        program,
    )
    digest = blake3(b"vyre-tuner-v1")
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return f"v1-{digest.hexdigest()}"


def size_class(size: int) -> int:
    """What sizes have in common that share a decision: how many bits it takes to write them."""
    return size.bit_length()


def byte_count(given: Contents | Bytes) -> int:
    """Bytes that the host supplies for a buffer; none of what is no array, which runs refuse."""
    return len(given) if isinstance(given, bytes | bytearray) else getattr(given, "nbytes", 0)


class KeptDecision(NamedTuple):
    """A decision, and the key that it is kept under."""

    key: str
    decision: Decision


Say: TypeAlias = Callable[[str], None]


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=4)


def _say_nothing(message: str) -> None:
    """What was wrong is not told."""


@dataclass(frozen=True)
class DecisionFile:
    """The decisions for one adapter."""

    file: KeptFile

    @classmethod
    def of(cls, device: DeviceInfo) -> DecisionFile | None:
        """The decisions for a device in the cache of this user; None where nothing is kept."""
        path = decision_path(Adapter.of(device))
        return None if path is None else cls(KeptFile(path))

    @classmethod
    def exists_for(cls, device: DeviceInfo) -> bool:
        """Whether anything was ever decided for a device."""
        kept = cls.of(device)
        return kept is not None and os.path.exists(kept.file.path)

    def get(self, key: str) -> Decision | None:
        """The decision under a key, if there is one that makes sense."""
        entries = self._entries(self.file.read())
        if entries is None or key not in entries:
            return None
        return self._decision(key, entries[key])

    def text_of(self, program: str) -> bytes:
        """
        What the file says of programs of a name, as it stands there: nothing where no decision on
        them was kept. All of what cannot be told apart.
        """
        data = self.file.read() or b""
        head, *entries = _ENTRY.split(data)
        return head + b"".join(entry for entry in entries if _program_of(entry) in (program, None))

    def all(self) -> dict[str, Decision]:
        """Every decision that makes sense, by key."""
        entries = self._entries(self.file.read()) or {}
        found = {key: self._decision(key, value) for key, value in entries.items()}
        return {key: decision for key, decision in found.items() if decision is not None}

    def put(self, key: str, decision: Decision) -> None:
        """Keep a decision, beside those that other processes have kept meanwhile."""
        if _KEY.fullmatch(key) is None:
            raise ValueError(f"expected a key of decisions, got '{key}'")

        def update(data: bytes | None) -> bytes:
            entries = self._entries(data, _say_nothing)  # that is said where it is kept
            known = {
                name: self._decision(name, each, _say_nothing)
                for name, each in (entries or {}).items()
            }
            whole = {name: each for name, each in known.items() if each is not None}
            if data is not None and (entries is None or len(whole) < len(known)):
                aside = self.file.set_aside(data)
                warnings.warn(f"'{self.file.path}' is damaged: kept as '{aside}'", stacklevel=2)
            return _text(whole | {key: decision}).encode()

        self.file.change(update)

    def clear(self) -> None:
        """Forget all decisions."""
        self.file.change(lambda _: None)

    def _entries(self, data: bytes | None, say: Say = _warn) -> dict[str, Any] | None:
        """What the file has under each key; None for no file, or one that makes no sense."""
        if data is None:
            return None
        try:
            return read_toml(data)
        except (ValueError, RecursionError) as error:
            say(f"'{self.file.path}' is damaged, and no decision of it is taken: {error}")
            return None

    def _decision(self, key: str, value: Any, say: Say = _warn) -> Decision | None:
        try:
            if _KEY.fullmatch(key) is None:
                raise ValueError("expected a key of decisions")
            return Decision.from_toml(value)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"no {error}" if isinstance(error, KeyError) else str(error)
            say(f"'{self.file.path}' has a malformed decision '{key[:12]}…': {what}")
            return None


def decision_path(adapter: Adapter) -> Path | None:
    """Where the decisions for an adapter are kept; None where nothing is."""
    folder = kept_folder("tuner")
    return None if folder is None else folder / f"{adapter.file_stem}.toml"


def _program_of(entry: bytes) -> str | None:
    """The program that an entry is about; None where it does not say."""
    line = _PROGRAM.search(entry)
    try:
        return None if line is None else str(read_toml(line[0])["program"])
    except ValueError:
        return None


def _text(decisions: Mapping[str, Decision]) -> str:
    import tomli_w

    newest = sorted(decisions.items(), key=lambda item: item[1].when.timestamp())[-MOST_ENTRIES:]
    return tomli_w.dumps({key: decision.as_toml() for key, decision in newest})
