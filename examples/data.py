"""Real input for the examples, and their answers by Python's own means."""

from __future__ import annotations

import io
import sysconfig
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from examples.encodings import encode
from vyre_dialect.ops.decode import DeltaOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.ops.literals import LiteralOp, LiteralsOp
from vyre_dialect.ops.scan import FilterOp, HistogramOp
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.program.compilation import load_module, make_context

Scanner: TypeAlias = LiteralOp | LiteralsOp | HistogramOp | FilterOp

EXAMPLES = Path(__file__).resolve().parent
LEAST_DECODED_BYTES = 12 << 20
"""16 MiB in base64."""


def standard_library_tar(least_bytes: int = LEAST_DECODED_BYTES) -> bytes:
    """The sources of Python's standard library as a tar, repeated until it has `least_bytes`.

    Times and owners are left out, so that one version of Python always gives the same bytes.
    """
    root = Path(sysconfig.get_path("stdlib"))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in _library_sources(root):
            data = path.read_bytes()
            entry = tarfile.TarInfo(path.relative_to(root).as_posix())
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    tar = buffer.getvalue()
    return tar * -(-least_bytes // len(tar))


def _library_sources(root: Path) -> Iterator[Path]:
    """Every source file of the library; its tests would be more than all the rest."""
    left_out = {"site-packages", "dist-packages", "test", "tests", "__pycache__"}
    for path in sorted(root.rglob("*.py")):
        if path.is_file() and left_out.isdisjoint(path.relative_to(root).parts):
            yield path


@dataclass(frozen=True)
class Example:
    """A program, what it is to be run on, and what it is to answer."""

    name: str
    module: ModuleOp
    encoded: Array
    expected: dict[str, Array]


def load_examples(data: bytes) -> list[Example]:
    """The examples, each on `data` as it decodes it."""
    return [load_example(path, data) for path in example_files()]


def example_files() -> list[Path]:
    """The files of the examples."""
    return sorted(EXAMPLES.glob("*.mlir"))


def load_example(path: Path, data: bytes) -> Example:
    """The example in the file `path` on `data`, with the answer that its own ops call for."""
    module = load_module(path, make_context())
    decoder = next(op for op in module.walk() if isinstance(op, DecodeOp))
    scanner = next(op for op in module.walk() if isinstance(op, Scanner))
    decoded = _running_balance(data) if isinstance(decoder, DeltaOp) else _as_bytes(data)
    return Example(path.stem, module, encode(decoder, decoded), answer(scanner, decoded))


def _as_bytes(data: bytes) -> Array:
    return np.frombuffer(data, np.uint8)


def _running_balance(data: bytes) -> Array:
    """Words that change little from one to the next: sums of bytes less the one in the middle.

    A third of the bytes, so that the words take as much room as the others' input.
    """
    values = _as_bytes(data)[: len(data) // 3].astype(np.int32)
    middle = np.sort(values)[values.size // 2 : values.size // 2 + 1]
    return np.cumsum(values - middle if values.size else values, dtype=np.int32)


def answer(scanner: Scanner, decoded: Array) -> dict[str, Array]:
    """What `scanner` finds in `decoded`, by the names of its buffers."""
    match scanner:
        case LiteralOp():
            return {"count": np.array([count(decoded.tobytes(), scanner.bytes)], np.int32)}
        case LiteralsOp():
            data = decoded.tobytes()
            counts = [count(data, pattern) for pattern in scanner.patterns]
            return {"matches": np.array(counts, np.int32)}
        case HistogramOp():
            return {"bins": np.bincount(decoded, minlength=256).astype(np.int32)}
        case FilterOp():
            low, high = scanner.range.start, scanner.range.stop
            chosen = decoded[(decoded >= low) & (decoded < high)]
            total = chosen.sum(dtype=np.int64)
            return {"count": np.array([chosen.size], np.int32), "sum": np.array([total])}


def count(data: bytes, pattern: bytes) -> int:
    """Number of places where `pattern` occurs in `data`, overlapping ones too."""
    if not _overlaps_itself(pattern):
        return data.count(pattern)
    found, place = 0, data.find(pattern)
    while place >= 0:
        found += 1
        place = data.find(pattern, place + 1)
    return found


def _overlaps_itself(pattern: bytes) -> bool:
    return any(pattern.startswith(pattern[i:]) for i in range(1, len(pattern)))
