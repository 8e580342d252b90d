"""Fusion is fast, and linear in the number of arms."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from support.pairs import Arm, Case, Handoff, Index, Size, Touch
from xdsl.dialects.builtin import ModuleOp, i8

from vyre_dialect.builder import program
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.options import Options, Strategy
from vyre_dialect.runtime.compilation import apply_pipeline, load_module, make_context
from vyre_dialect.runtime.demo_data import EXAMPLES
from vyre_dialect.types import Access, Initial

FUSING = 0.05
"""Seconds that fusing two arms may take."""
SLACK = 2
"""For machines that do other things too."""
REPETITIONS = 5
EXAMPLE_FILES = sorted(EXAMPLES.glob("*.mlir"))


def _pair() -> Case:
    """Three bytes decoded at a time, and a scan that looks at four."""
    writes = tuple(("decoded", Touch(Index(3, offset=k))) for k in range(3))
    reads = tuple(("decoded", Touch(Index(offset=k))) for k in range(4))
    return Case(
        (
            Arm("decode", Size(divide=3), writes=writes, workgroup=64),
            Arm("scan", Size(), reads=reads, workgroup=64),
        ),
        (Handoff("decoded", Size()),),
        n=1000,
        run_time=True,
    )


def _pairs(count: int) -> ModuleOp:
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


def _seconds(module: ModuleOp, strategy: Strategy = "auto") -> tuple[float, int]:
    """How long it takes to fuse a copy, and how many handoffs that promotes."""
    op = module.clone().body.block.first_op
    assert isinstance(op, ProgramOp)
    start = process_time()
    outcome = fuse_program(op, Options(strategy))
    return process_time() - start, len(outcome.promoted)


@pytest.mark.parametrize("example", EXAMPLE_FILES, ids=lambda path: path.stem)
def test_fusing_an_example_takes_milliseconds(example: Path) -> None:
    context = make_context()
    module = load_module(example, context)
    apply_pipeline(module, "vyre-expand", context)
    times = [_seconds(module) for _ in range(REPETITIONS)]
    assert all(promoted == 1 for _, promoted in times)
    assert min(seconds for seconds, _ in times) < SLACK * FUSING


@pytest.mark.parametrize("strategy", ["auto", "workgroup", "private"])
def test_fusing_a_pair_takes_milliseconds(strategy: Strategy) -> None:
    module = _pair().module()
    times = [_seconds(module, strategy) for _ in range(REPETITIONS)]
    assert all(promoted == 1 for _, promoted in times)
    assert min(seconds for seconds, _ in times) < SLACK * FUSING


def test_time_is_linear_in_the_number_of_arms() -> None:
    few, many = _pairs(125), _pairs(500)
    short = min(_seconds(few) for _ in range(2))
    long = _seconds(many)
    assert (short[1], long[1]) == (125, 500)
    assert long[0] < 6 * short[0]
