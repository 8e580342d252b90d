"""The examples as workloads: real input of any size, and the answers that Python gives."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from examples.encodings import (
    Array,
    as_bytes,
    base64_encoded,
    hex_encoded,
    xor_encoded,
    zigzag,
)

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@dataclass(frozen=True)
class Workload:
    """An example program with its input."""

    name: str
    encoded: Array
    expected: dict[str, Array]
    """What the outputs that Python knows must be."""
    literal: bytes = b""
    """What its literal scans look for."""

    @property
    def path(self) -> Path:
        return EXAMPLES / f"{self.name}.mlir"


def standard_library(size: int) -> bytes:
    """`size` bytes of the Python sources of the standard library, repeated if need be."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    sources = b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))
    return (sources * (size // len(sources) + 1))[:size]


def make(name: str, size: int, literal: bytes = b"self") -> Workload:
    """
    The workload of the example `name`, on `size` bytes of encoded input; where it looks for a
    literal, for `literal`.
    """
    return MAKERS[name](size, literal)


def _literal_count(text: bytes, literal: bytes) -> dict[str, Array]:
    return {"count": np.array([text.count(literal)], np.int32)}


def _base64_literal(size: int, literal: bytes) -> Workload:
    text = standard_library(size // 4 * 3)
    encoded = base64_encoded(as_bytes(text))
    return Workload("base64_literal", encoded, _literal_count(text, literal), literal)


def _base64_patterns(size: int, _: bytes) -> Workload:
    text = standard_library(size // 4 * 3)
    return Workload("base64_patterns", base64_encoded(as_bytes(text)), {})


def _xor_literal(size: int, literal: bytes) -> Workload:
    text = standard_library(size)
    encoded = xor_encoded(as_bytes(text), xor_key())
    return Workload("xor_literal", encoded, _literal_count(text, literal), literal)


def _hex_histogram(size: int, _: bytes) -> Workload:
    text = standard_library(size // 2)
    bins = np.bincount(as_bytes(text), minlength=256).astype(np.int32)
    return Workload("hex_histogram", hex_encoded(as_bytes(text)), {"bins": bins})


def _delta_filter(size: int, _: bytes) -> Workload:
    text = standard_library(size // 4)
    steps = as_bytes(text).astype(np.int32) - 96
    return Workload("delta_filter", zigzag(steps), {})


def xor_key() -> bytes:
    """The key that the xor example decodes with."""
    text = (EXAMPLES / "xor_literal.mlir").read_text()
    return text.split('key "')[1].split('"')[0].encode()


MAKERS: dict[str, Callable[[int, bytes], Workload]] = {
    "base64_literal": _base64_literal,
    "base64_patterns": _base64_patterns,
    "hex_histogram": _hex_histogram,
    "xor_literal": _xor_literal,
    "delta_filter": _delta_filter,
}
