"""
How long fusion takes: each example, and programs of ever more pairs of arms.

    python -m benchmarks.compile_time --output benchmarks/results/compile-time.json

Figures are processor time of the pass alone, in ms, on a program that is parsed and expanded:
medians of several runs with the quartiles beside them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from statistics import quantiles
from time import process_time

from xdsl.dialects.builtin import ModuleOp, i8

from examples.data import EXAMPLES
from vyre_dialect.builder import program
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, make_context
from vyre_dialect.types import Access, Initial

PAIRS = (125, 250, 500, 1000)
ROUNDS = 15
ROUNDS_OF_PAIRS = 3


def expanded_examples() -> dict[str, ModuleOp]:
    """The examples as fusion gets them, by name."""
    context = make_context()
    modules = {path.stem: load_module(path, context) for path in sorted(EXAMPLES.glob("*.mlir"))}
    for module in modules.values():
        apply_pipeline(module, "vyre-expand", context)
    return modules


def many_pairs(count: int) -> ModuleOp:
    """A program of `count` independent pairs, that is of twice as many arms."""
    with program("many") as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        n = source.length
        for k in range(count):
            decoded = p.buffer(f"decoded{k}", i8, n, initial=Initial.UNDEFINED)
            found = p.buffer(f"found{k}", i8, n, live_out=True)
            with p.arm(f"decode{k}", n) as i:
                decoded[i] = source[i] ^ k % 128
            with p.arm(f"scan{k}", n) as i:
                found[i] = decoded[i] + decoded[i + 1]
    return p.module


def seconds_to_fuse(module: ModuleOp, options: Options | None = None) -> tuple[float, int]:
    """Processor time to fuse a copy of a module of one program, and how many handoffs fuse."""
    op = module.clone().body.block.first_op
    assert isinstance(op, ProgramOp)
    start = process_time()
    outcome = fuse_program(op, options or Options())
    return process_time() - start, len(outcome.promoted)


def _row(name: str, module: ModuleOp, handoffs: int, rounds: int) -> dict[str, object]:
    runs = [seconds_to_fuse(module) for _ in range(rounds)]
    if any(promoted != handoffs for _, promoted in runs):
        raise RuntimeError(f"'{name}' expected to fuse {handoffs} handoffs, got {runs[0][1]}")
    low, middle, high = (round(1e3 * each, 2) for each in quantiles((t for t, _ in runs), n=4))
    return {"program": name, "handoffs": handoffs, "ms": middle, "quartiles_ms": [low, high]}


def _rows() -> Iterator[dict[str, object]]:
    for name, module in expanded_examples().items():
        yield _row(name, module, 1, ROUNDS)
    for count in PAIRS:
        yield _row(f"{count} pairs", many_pairs(count), count, ROUNDS_OF_PAIRS)


def main() -> None:
    """Measure, print a line for each program, and write the figures if asked to."""
    parser = argparse.ArgumentParser(description="How long fusion takes.")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    output: Path | None = parser.parse_args().output
    rows = list[dict[str, object]]()
    for row in _rows():
        rows.append(row)
        print(f"{row['program']:16} {row['handoffs']:5} handoffs {row['ms']:>9} ms", flush=True)
    record = {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {name: version(name) for name in ("xdsl", "islpy")}
        | {"python": python_version()},
        "rows": rows,
    }
    if output is not None:
        output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
