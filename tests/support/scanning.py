"""Scans without a device: Python's own decoders, and `bytes.find`."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import numpy as np

from support.scans import occurrences
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.scanning.arrays import Bytes, Offsets
from vyre_dialect.runtime.scanning.chain import HEX, Stage
from vyre_dialect.runtime.scanning.device_programs import Runs, Text
from vyre_dialect.runtime.scanning.scanner import Scanner


def as_array(data: bytes) -> Bytes:
    return np.frombuffer(data, np.uint8)


def xor(data: bytes, key: bytes) -> bytes:
    return bytes(byte ^ key[place % len(key)] for place, byte in enumerate(data))


class PythonRuns(Runs):
    """Counts its runs."""

    def __init__(self, literals: Sequence[bytes], most_bytes: int = 1 << 30):
        super().__init__(literals)
        self.decoded = self.located = 0
        self._most_bytes = most_bytes

    @property
    def name(self) -> str:
        return "python"

    @property
    def most_bytes(self) -> int:
        return self._most_bytes

    def prepare(self, chain: Sequence[Stage]) -> None:
        pass

    def decode(self, stage: Stage, encoded: Bytes) -> Bytes:
        self.decoded += 1
        data = encoded.tobytes()
        if stage.encoding is not None:
            if wrong := data.translate(None, stage.encoding.digits):
                raise TrapError("decode", "invalid input", data.index(wrong[:1]))
            is_hex = stage.encoding == HEX
            data = bytes.fromhex(data.decode()) if is_hex else base64.b64decode(data, b"+/")
        for key in stage.keys:
            data = xor(data, key)
        return as_array(data)

    def locate(self, text: Text) -> tuple[Offsets, Offsets]:
        self.located += 1
        found = occurrences(self.fetch(text).tobytes(), self.literals)
        starts, which = zip(*found, strict=True) if found else ((), ())
        return np.array(starts, np.int64), np.array(which, np.int64)

    def fetch(self, text: Text) -> Bytes:
        assert isinstance(text, np.ndarray)
        return text


def scanner(chain: Sequence[Stage], *literals: bytes) -> tuple[Scanner, PythonRuns]:
    """What scans by Python, and its runs."""
    runs = PythonRuns(literals)
    return Scanner(chain, runs), runs
