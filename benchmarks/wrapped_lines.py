"""
What `skip_whitespace` costs: examples that decode text, on clean input and on the same in lines.

    python -m benchmarks.wrapped_lines --output benchmarks/results/wrapped-lines.json

Lines are those of `base64` (76 characters) and `xxd -p` (60). Both forms run by turns on the
default device, once per round; every answer is compared with Python's. `share` is the speed in
lines over the speed of clean input, each by the bytes that it is given, medians of the rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import numpy as np
from xdsl.dialects.builtin import ModuleOp, UnitAttr

from benchmarks.records import Row, record_rows
from examples.data import EXAMPLES, Example, load_example
from vyre_dialect.ops.decode import Base64Op, HexOp
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module

WIDTHS = {"base64_literal": 76, "base64_patterns": 76, "hex_histogram": 60}
DECODED_BYTES = 24 << 20
ROUNDS = 15


def in_lines(encoded: Array, width: int) -> Array:
    """Characters in lines of so many, each with its end."""
    whole = len(encoded) // width * width
    lines = np.full((len(encoded) // width, width + 1), ord("\n"), np.uint8)
    lines[:, :width] = encoded[:whole].reshape(-1, width)
    rest = encoded[whole:]
    return np.concatenate([lines.ravel(), rest, np.full(min(1, len(rest)), ord("\n"), np.uint8)])


def skipping_whitespace(module: ModuleOp) -> ModuleOp:
    """The same program with `skip_whitespace` on its decoders."""
    copy = module.clone()
    for op in copy.walk():
        if isinstance(op, Base64Op | HexOp):
            op.skip_whitespace = UnitAttr()
    return copy


class Turn:
    """One form of an example with its input on the device, and how long it took each round."""

    def __init__(self, module: ModuleOp, encoded: Array, session: Session):
        compiled = compile_module(module, device=session.device.info)
        self.executor = Executor(compiled, session)
        self.bytes = encoded.nbytes
        self.encoded = session.put(encoded)
        self.ns = list[int]()

    def take(self, example: Example) -> None:
        """Run once, and compare the answer with Python's."""
        run = self.executor.run({"encoded": self.encoded})
        for name, expected in example.expected.items():
            if not np.array_equal(run.outputs[name].view(expected.dtype), expected):
                raise SystemExit(f"wrong answer for '{name}' of {example.name}")
        self.ns.append(sum(arm.kernel_ns or 0 for arm in run.arms))


def _measure(name: str, session: Session, data: bytes) -> Row:
    example = load_example(EXAMPLES / f"{name}.mlir", data)
    lines = in_lines(example.encoded, WIDTHS[name])
    clean = Turn(example.module, example.encoded, session)
    wrapped = Turn(skipping_whitespace(example.module), lines, session)
    for _ in range(1 + ROUNDS):
        clean.take(example)
        wrapped.take(example)
    growth = wrapped.bytes / clean.bytes
    shares = [growth * a / b for a, b in zip(clean.ns[1:], wrapped.ns[1:], strict=True)]
    return {
        "what": name,
        "device": session.device.info.label,
        "clean_ms": round(median(clean.ns[1:]) / 1e6, 2),
        "wrapped_ms": round(median(wrapped.ns[1:]) / 1e6, 2),
        "share": round(median(shares), 3),
        "least_and_most": [round(min(shares), 3), round(max(shares), 3)],
    }


def _rows() -> Iterator[Row]:
    session = Session(choose_device(None))
    data = np.random.default_rng(1).integers(0, 256, DECODED_BYTES, dtype=np.uint8).tobytes()
    for name in WIDTHS:
        yield _measure(name, session, data)


def main() -> None:
    """Measure, and write the figures if asked to."""
    record_rows("What skipping whitespace costs.", _rows(), ("xdsl", "pyopencl", "numpy"))


if __name__ == "__main__":
    main()
