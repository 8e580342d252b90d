"""The examples as workloads: real input of any size, and the answers that Python gives."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TypeAlias

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


def random_bytes(size: int) -> bytes:
    """`size` bytes of which each is as likely as any other, always the same."""
    return np.random.default_rng(0).bytes(size)


Plain: TypeAlias = Callable[[int], bytes]
"""Gives so many bytes to encode."""
PLAIN: dict[str, Plain] = {"dense": standard_library, "rare": random_bytes}
"""What is encoded: text, in which the examples find much, or noise, in which they find little."""


def make(name: str, size: int, literal: bytes = b"self", data: str = "dense") -> Workload:
    """
    The workload of the example `name`, on `size` bytes of encoded input; where it looks for a
    literal, for `literal`.
    """
    return MAKERS[name](size, literal, PLAIN[data])


def _literal_count(text: bytes, literal: bytes) -> dict[str, Array]:
    return {"count": np.array([occurrences(text, literal)], np.int32)}


def occurrences(text: bytes, literal: bytes) -> int:
    """How often `literal` occurs, also where occurrences overlap."""
    may_overlap = any(literal.endswith(literal[:size]) for size in range(1, len(literal)))
    if not may_overlap:
        return text.count(literal)
    array, places = as_bytes(text), len(text) - len(literal) + 1
    each = (array[place : place + places] == byte for place, byte in enumerate(literal))
    return int(np.count_nonzero(reduce(np.logical_and, each))) if places > 0 else 0


def _base64_literal(size: int, literal: bytes, plain: Plain) -> Workload:
    text = plain(size // 4 * 3)
    encoded = base64_encoded(as_bytes(text))
    return Workload("base64_literal", encoded, _literal_count(text, literal), literal)


def _base64_patterns(size: int, _: bytes, plain: Plain) -> Workload:
    text = plain(size // 4 * 3)
    matches = np.array([occurrences(text, pattern) for pattern in patterns()], np.int32)
    return Workload("base64_patterns", base64_encoded(as_bytes(text)), {"matches": matches})


def _xor_literal(size: int, literal: bytes, plain: Plain) -> Workload:
    text = plain(size)
    encoded = xor_encoded(as_bytes(text), xor_key())
    return Workload("xor_literal", encoded, _literal_count(text, literal), literal)


def _hex_histogram(size: int, _: bytes, plain: Plain) -> Workload:
    text = plain(size // 2)
    bins = np.bincount(as_bytes(text), minlength=256).astype(np.int32)
    return Workload("hex_histogram", hex_encoded(as_bytes(text)), {"bins": bins})


def _delta_filter(size: int, _: bytes, plain: Plain) -> Workload:
    if plain is random_bytes:
        steps = np.frombuffer(plain(size // 4 * 4), np.int32)
    else:
        steps = as_bytes(plain(size // 4)).astype(np.int32) - 96
    encoded = zigzag(steps)
    return Workload("delta_filter", encoded, _filtered(encoded, steps))


def _filtered(encoded: Array, steps: Array) -> dict[str, Array]:
    """The count and the sum of the values of each block from -1000 up to 1000."""
    count = total = 0
    for begin in range(0, len(steps), DELTA_BLOCK << 16):
        values = np.array(steps[begin : begin + (DELTA_BLOCK << 16)])
        values[::DELTA_BLOCK] = encoded[begin : begin + len(values) : DELTA_BLOCK]
        whole = len(values) // DELTA_BLOCK * DELTA_BLOCK
        for blocks in (values[:whole].reshape(-1, DELTA_BLOCK), values[whole:].reshape(1, -1)):
            decoded = np.cumsum(blocks, axis=1, dtype=np.int32)
            inside = decoded[(decoded >= -1000) & (decoded < 1000)]
            count, total = count + inside.size, total + int(inside.sum(dtype=np.int64))
    return {"count": np.array([count], np.int32), "sum": np.array([total], np.int64)}


DELTA_BLOCK = 128
"""Words of a block of the delta example."""


def patterns() -> list[bytes]:
    """The literals that the example with patterns looks for."""
    text = (EXAMPLES / "base64_patterns.mlir").read_text()
    listed = text.split("[\n", 1)[1].split("] in", 1)[0]
    return [each.encode() for each in listed.split('"')[1::2]]


def xor_key() -> bytes:
    """The key that the xor example decodes with."""
    text = (EXAMPLES / "xor_literal.mlir").read_text()
    return text.split('key "')[1].split('"')[0].encode()


MAKERS: dict[str, Callable[[int, bytes, Plain], Workload]] = {
    "base64_literal": _base64_literal,
    "base64_patterns": _base64_patterns,
    "hex_histogram": _hex_histogram,
    "xor_literal": _xor_literal,
    "delta_filter": _delta_filter,
}
