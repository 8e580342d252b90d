"""How often loops and what stands in them run, at most."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from xdsl.dialects.builtin import i32

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.iterations import most_runs
from vyre_dialect.analysis.value_ranges import MAX_COUNT
from vyre_dialect.builder import Program, Value, constant, for_, if_, program, while_
from vyre_dialect.ops.memory import StoreOp


@contextmanager
def arm_of_ten() -> Generator[tuple[Program, Value]]:
    with program("runs") as p:
        p.buffer("out", i32, 8, live_out=True)
        with p.arm("run", 10) as i:
            yield p, i


def runs(p: Program) -> int:
    (store,) = (op for op in p.op.walk() if isinstance(op, StoreOp))
    return most_runs(store, Integers())


def store(p: Program) -> None:
    (buffer,) = p.op.buffers()
    StoreOp(constant(0, i32).ssa, buffer.buffer, constant(0).ssa)


def test_branches_run_once():
    with arm_of_ten() as (p, i):
        with if_(i < 4):
            store(p)
    assert runs(p) == 1


@pytest.mark.parametrize(
    ("begin", "end", "step", "expected"),
    [(0, 12, 1, 12), (0, 12, 5, 3), (2, 12, 5, 2), (12, 12, 1, 0), (12, 0, 1, 0)],
)
def test_loops_of_known_bounds(begin: int, end: int, step: int, expected: int):
    with arm_of_ten() as (p, _), for_(begin, end, step):
        store(p)
    assert runs(p) == expected


def test_bounds_are_as_far_apart_as_they_can_be():
    with arm_of_ten() as (p, i), for_(i, i + 3, 2):
        store(p)
    assert runs(p) == 6  # from 0 to 12, for all that ranges know


def test_a_step_that_may_be_one_is_taken_for_one():
    with arm_of_ten() as (p, i), for_(0, 12, i):
        store(p)
    assert runs(p) == 12


def test_loops_in_loops_multiply():
    with arm_of_ten() as (p, i), for_(0, i.min(3)), for_(0, 4):
        with if_(i < 4):
            store(p)
    assert runs(p) == 12


def test_nobody_knows_how_often_a_condition_holds():
    with arm_of_ten() as (p, i), for_(0, 4):
        with while_(lambda left: left > 0, carry=[i]) as loop:
            store(p)
            loop.yields(loop.carried[0] - 1)
    assert runs(p) == MAX_COUNT
