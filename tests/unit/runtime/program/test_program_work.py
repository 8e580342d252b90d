"""The work of programs: what is read and written, launch by launch, on inputs of given sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.devices import small_device

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.program.program_work import LaunchWork, counts_of, program_work

EXAMPLES = Path(__file__).parents[4] / "examples"
GATE = Path(__file__).parents[4] / "benchmarks" / "programs"
SIZE = 1 << 20


def work_of(path: Path, fused: bool, **counts: int) -> list[LaunchWork]:
    context = make_context()
    module = load_module(path, context)
    optimize = OptimizePass(profile=None if fused else "dataflow")
    device = small_device(32768)
    compiled = compile_module(module, optimize=optimize, context=context, device=device)
    return program_work(compiled.program, counts)


def test_fused_programs_read_their_input_once_and_write_next_to_nothing():
    (launch,) = work_of(EXAMPLES / "xor_literal.mlir", fused=True, encoded=SIZE)
    assert launch.likely.read_bytes == pytest.approx(SIZE, rel=0.02)
    assert launch.likely.written_bytes < 100


def test_unfused_ones_write_what_they_hand_on_and_read_it_again():
    decode, scan = work_of(EXAMPLES / "xor_literal.mlir", fused=False, encoded=SIZE)
    assert decode.likely.written_bytes == pytest.approx(SIZE, rel=0.02)
    assert scan.likely.read_bytes == pytest.approx(SIZE, rel=0.02)
    assert scan.likely.written_bytes < 100


def test_work_grows_with_the_input():
    small, large = (
        work_of(EXAMPLES / "delta_filter.mlir", fused=True, encoded=SIZE * times)[0].likely
        for times in (1, 10)
    )
    assert large.read_bytes == pytest.approx(10 * small.read_bytes, rel=0.02)
    assert large.wide_ops == pytest.approx(10 * small.wide_ops, rel=0.1)


def test_all_that_data_decides_is_no_less_than_what_is_likely():
    for launch in work_of(EXAMPLES / "base64_literal.mlir", fused=True, encoded=SIZE):
        assert launch.most.branches >= launch.likely.branches * 0.99


def test_sizes_that_are_data_leave_a_launch_open():
    launches = work_of(GATE / "blurred_picture.mlir", fused=True, picture=SIZE, size=2)
    assert any(launch.is_open for launch in launches)


def test_nothing_is_done_with_nothing():
    launches = work_of(EXAMPLES / "xor_literal.mlir", fused=True, encoded=0)
    assert all(launch.likely.read_bytes == 0 for launch in launches)
    assert not any(launch.is_open for launch in launches)


def test_inputs_are_counted_in_elements():
    module = load_module(EXAMPLES / "delta_filter.mlir", make_context())
    compiled = compile_module(module, device=small_device(32768))
    assert counts_of(compiled.program, {"encoded": 64, "other": 1}) == {"encoded": 16}
