"""How often `scf.for` runs, and with which counters, at the edges of every type of counter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context, parse_module

PIPELINE = "vyre-outline-kernels,vyre-prove-accesses"
WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
MAX_TRIPS = 300
CONSTANT_LOOPS = 16
"""Loops with constant bounds, of all that are tried with bounds of run time."""


@dataclass(frozen=True)
class Loop:
    """The bounds and the step of a loop."""

    low: int
    high: int
    step: int

    @property
    def trips(self) -> int:
        """How often it runs: the definition."""
        if self.low >= self.high or self.step <= 0:
            return 0
        return -((self.low - self.high) // self.step)

    @property
    def results(self) -> tuple[int, int]:
        """The number of trips and the sum of the counters, modulo 2 ** 64."""
        total = sum(self.low + trip * self.step for trip in range(self.trips))
        return self.trips, total % 2**64


def loops(width: int) -> list[Loop]:
    """Loops from edge to edge that end soon."""
    largest, smallest = 2 ** (width - 1) - 1, -(2 ** (width - 1))
    edges = (smallest, smallest + 1, -5, 0, 1, 7, largest - 3, largest)
    steps = (smallest, -1, 0, 1, 2, 3, largest // 8, largest - 1, largest)
    found = [Loop(low, high, step) for low in edges for high in edges for step in steps]
    return [loop for loop in found if loop.trips <= MAX_TRIPS]


def counting(type: str, row: str, low: str, high: str, step: str) -> str:
    """Ops that store as row `row` how often the loop runs, and the sum of its counters."""
    to_index = "" if type == "index" else f"%n = arith.index_cast %k : {type} to index"
    number = "%k" if type == "index" else "%n"
    carried = "iter_args(%c = %zero, %t = %zero) -> (i64, i64)"
    return f"""
      %trips, %total = scf.for %k = {low} to {high} step {step} {carried} : {type} {{
        {to_index}
        %w = arith.index_cast {number} : index to i64
        %next = arith.addi %c, %one : i64
        %more = arith.addi %t, %w : i64
        scf.yield %next, %more : i64, i64
      }}
      %first = arith.muli {row}, %two : index
      %second = arith.addi %first, %unit : index
      vyre.store %trips, %out[%first] : i64, !vyre.buffer<?xi64, read_write>
      vyre.store %total, %out[%second] : i64, !vyre.buffer<?xi64, read_write>"""


CONSTANTS = """
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %unit = arith.constant 1 : index
      %two = arith.constant 2 : index"""


def program_of(rows: int, arms: str) -> str:
    return f"""
    vyre.program @loops workgroup_size [16] {{
      %bounds = vyre.buffer @bounds : !vyre.buffer<?xi64, read_only>
      %size = arith.constant {2 * rows} : index
      %out = vyre.buffer @out[%size] live_out : !vyre.buffer<?xi64, read_write>
      {arms}
    }}"""


def with_bounds_of_run_time(type: str, rows: Sequence[Loop]) -> str:
    """One arm, in which each invocation loads the bounds of a loop of its own."""
    loads = "\n".join(
        f"""
      %offset{n} = arith.constant {n} : index
      %at{n} = arith.addi %place, %offset{n} : index
      %wide{n} = vyre.load %bounds[%at{n}] : !vyre.buffer<?xi64, read_only> -> i64
      {_narrowed(n, type)}"""
        for n in range(3)
    )
    return program_of(
        len(rows),
        f"""vyre.region "count" invocations [{len(rows)}] {{ {CONSTANTS}
      %i = vyre.invocation_id x
      %three = arith.constant 3 : index
      %place = arith.muli %i, %three : index
      {loads}
      {counting(type, "%i", "%bound0", "%bound1", "%bound2")}
    }}""",
    )


def _narrowed(number: int, type: str) -> str:
    source, result = f"%wide{number}", f"%bound{number}"
    if type == "index":
        return f"{result} = arith.index_cast {source} : i64 to index"
    if type == "i64":
        return f"{result} = arith.addi {source}, %zero : i64"
    return f"{result} = arith.trunci {source} : i64 to {type}"


def with_constant_bounds(type: str, rows: Sequence[Loop]) -> str:
    """One arm for each loop."""
    arms = [
        f"""vyre.region "count.{number}" invocations [1] {{ {CONSTANTS}
      %i = arith.constant {number} : index
      %low = arith.constant {loop.low} : {type}
      %high = arith.constant {loop.high} : {type}
      %step = arith.constant {loop.step} : {type}
      {counting(type, "%i", "%low", "%high", "%step")}
    }}"""
        for number, loop in enumerate(rows)
    ]
    return program_of(len(rows), "\n".join(arms))


def expected(rows: Sequence[Loop]) -> Array:
    return np.array([loop.results for loop in rows], np.uint64)


def check(device: Device, text: str, rows: Sequence[Loop]) -> None:
    context = make_context()
    module = parse_module(text, context)
    bounds = np.array([(loop.low, loop.high, loop.step) for loop in rows], np.int64).reshape(-1)
    inputs: dict[str, Array] = {"bounds": bounds}
    run = run_module(module, inputs, device=device, pipeline=PIPELINE, context=context)
    for outputs in (interpret(module, inputs).outputs, run.outputs):
        got = np.asarray(outputs["out"]).view(np.uint64).reshape(-1, 2)
        assert np.array_equal(got, expected(rows))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("type", WIDTHS)
def test_bounds_of_run_time(device: Device, type: str):
    rows = loops(WIDTHS[type])
    check(device, with_bounds_of_run_time(type, rows), rows)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("type", WIDTHS)
def test_constant_bounds(device: Device, type: str):
    rows = loops(WIDTHS[type])
    rows = rows[:: len(rows) // CONSTANT_LOOPS]
    check(device, with_constant_bounds(type, rows), rows)
