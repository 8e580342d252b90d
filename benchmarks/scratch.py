"""
What the scratch plan saves: seven layers of decoding over 64 MiB, on the default device.

    python -m benchmarks.scratch --output benchmarks/results/scratch.json

Bytes are those that the runs allocated for buffers that only arms know: with one arena, against
each by itself, and against the most that is alive at once. Answers are compared with NumPy's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.records import Row, record_rows
from examples.encodings import (
    Array,
    base64_encoded,
    delta_encoded,
    hex_encoded,
    xor_encoded,
)
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.program.pipelines import DEFAULT, UNFUSED

PROGRAM = Path(__file__).parent / "programs" / "layers.mlir"
KEYS = (b"first", b"second", b"third", b"fourth")
BLOCK = 128
VALUES = 1 << 23
"""32-bit values under all layers: the input has 85 MiB."""


def layered(values: Array) -> tuple[Array, Array]:
    """The values under all layers, and the bytes under the first key."""
    data = delta_encoded(values, BLOCK).view(np.uint8)
    for key in reversed(KEYS[1:]):
        data = xor_encoded(data, key)
    first = data
    return hex_encoded(base64_encoded(xor_encoded(first, KEYS[0]), unpadded=True)), first


def _answers(values: Array, first: Array) -> Mapping[str, Array]:
    inside = values[(values >= -1000) & (values < 1000)]
    return {
        "bins": np.bincount(first, minlength=256).astype(np.int32),
        "count": np.array([len(inside)], np.int32),
        "sum": np.array([inside.sum(dtype=np.int64)]),
    }


def _rows() -> Iterator[Row]:
    device = choose_device(None)
    values = np.random.default_rng(1).integers(-100_000, 100_000, VALUES, dtype=np.int32)
    encoded, first = layered(values)
    context = make_context()
    for name, pipeline in (("unfused", UNFUSED), ("fused", DEFAULT)):
        compiled = compile_module(
            load_module(PROGRAM, context), pipeline=pipeline, context=context, device=device.info
        )
        run = Executor(compiled, device).run({"encoded": encoded})
        for output, expected in _answers(values, first).items():
            if not np.array_equal(run.outputs[output].ravel(), expected):
                raise SystemExit(f"wrong answer for '{output}' of the {name} program")
        assert run.scratch is not None
        yield {
            "what": f"layers {name}",
            "device": device.info.label,
            "input_bytes": encoded.nbytes,
            "peak_bytes": run.scratch.peak,
            "apart_bytes": run.scratch.apart,
            "saved": round(run.scratch.apart / max(1, run.scratch.peak), 3),
        }


def main() -> None:
    """Measure, and write the figures if asked to."""
    record_rows("What the scratch plan saves.", _rows(), ("xdsl", "pyopencl", "numpy"))


if __name__ == "__main__":
    main()
