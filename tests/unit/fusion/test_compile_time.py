"""Fusion is fast, and linear in the number of arms."""

from __future__ import annotations

import pytest
from support.pairs import Arm, Case, Handoff, Index, Size, Touch

from benchmarks.compile_time import expanded_examples, many_pairs, seconds_to_fuse
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy

FUSING = 0.05
"""Seconds that fusing two arms may take."""
SLACK = 2
"""For machines that do other things too."""
REPETITIONS = 5


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


@pytest.mark.parametrize("example", sorted(expanded_examples()))
def test_fusing_an_example_takes_milliseconds(example: str) -> None:
    module = expanded_examples()[example]
    times = [seconds_to_fuse(module) for _ in range(REPETITIONS)]
    assert all(promoted == 1 for _, promoted in times)
    assert min(seconds for seconds, _ in times) < SLACK * FUSING


@pytest.mark.parametrize("strategy", ["auto", "workgroup", "private"])
def test_fusing_a_pair_takes_milliseconds(strategy: Strategy) -> None:
    module = _pair().module()
    times = [seconds_to_fuse(module, Options(strategy)) for _ in range(REPETITIONS)]
    assert all(promoted == 1 for _, promoted in times)
    assert min(seconds for seconds, _ in times) < SLACK * FUSING


def test_time_is_linear_in_the_number_of_arms() -> None:
    few, many = many_pairs(125), many_pairs(500)
    short = min(seconds_to_fuse(few) for _ in range(2))
    long = seconds_to_fuse(many)
    assert (short[1], long[1]) == (125, 500)
    assert long[0] < 6 * short[0]
