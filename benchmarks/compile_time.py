"""
How long fusion takes: each example, and programs of ever more arms.

    python -m benchmarks.compile_time --output benchmarks/results/compile-time.json

Figures are processor time of the pass alone, in ms, on a program that is parsed and expanded:
medians of several runs with the quartiles beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from xdsl.dialects.builtin import ModuleOp, i8

from benchmarks.records import Row, milliseconds, parse_output, record, write
from examples.data import EXAMPLES
from vyre_dialect.builder import program
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, make_context
from vyre_dialect.types import Access, Initial

PAIRS = (125, 250, 500, 1000)
ROUNDS = 15
ARMS = (100, 200, 400)
"""In a chain, and in a fan-out."""
ROUNDS_OF_MANY = 3


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


def chain(count: int) -> ModuleOp:
    """A program of `count` arms, each of which hands on to the next."""
    with program("chain") as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        n, last = source.length, source
        for k in range(count):
            is_last = k == count - 1
            changed = p.buffer(f"b{k}", i8, n, initial=Initial.UNDEFINED, live_out=is_last)
            with p.arm(f"change{k}", n) as i:
                changed[i] = last[i] ^ k % 128
            last = changed
    return p.module


def fan_out(count: int) -> ModuleOp:
    """A program of one producer and `count` consumers."""
    with program("fan_out") as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        n = source.length
        decoded = p.buffer("decoded", i8, n, initial=Initial.UNDEFINED)
        with p.arm("decode", n) as i:
            decoded[i] = source[i] ^ 1
        for k in range(count):
            found = p.buffer(f"found{k}", i8, n, live_out=True)
            with p.arm(f"scan{k}", n) as i:
                found[i] = decoded[i] + k % 100
    return p.module


def _row(name: str, module: ModuleOp, handoffs: int, rounds: int) -> Row:
    runs = [seconds_to_fuse(module) for _ in range(rounds)]
    if any(promoted != handoffs for _, promoted in runs):
        raise RuntimeError(f"'{name}' expected to fuse {handoffs} handoffs, got {runs[0][1]}")
    seconds = [each for each, _ in runs]
    return {"program": name, "handoffs": handoffs} | milliseconds(seconds)


def _rows() -> Iterator[Row]:
    for name, module in expanded_examples().items():
        yield _row(name, module, 1, ROUNDS)
    for count in PAIRS:
        yield _row(f"{count} pairs", many_pairs(count), count, ROUNDS_OF_MANY)
    for count in ARMS:
        yield _row(f"chain of {count}", chain(count), count - 1, ROUNDS_OF_MANY)
        yield _row(f"fan-out of {count}", fan_out(count), 1, ROUNDS_OF_MANY)


def main() -> None:
    """Measure, print a line for each program, and write the figures if asked to."""
    output = parse_output("How long fusion takes.")
    rows = list[Row]()
    for row in _rows():
        rows.append(row)
        print(f"{row['program']:16} {row['handoffs']:5} handoffs {row['ms']:>9} ms", flush=True)
    write(output, record(("xdsl", "islpy"), rows))


if __name__ == "__main__":
    main()
