"""The work of programs: what is read and written, launch by launch, on inputs of given sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.devices import small_device

from vyre_dialect.analysis.work import Work
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.program.compilation import (
    compile_module,
    load_module,
    make_context,
    parse_module,
)
from vyre_dialect.runtime.program.program_work import LaunchWork, counts_of, program_work

EXAMPLES = Path(__file__).parents[4] / "examples"
HISTOGRAM = """
vyre.program @histogram workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi64, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi64, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<BINSxi64, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %far = arith.constant FAR : index
    %at = arith.muli %i, %far : index
    %value = vyre.load %in[%at] : !vyre.buffer<?xi64, read_only> -> i64
    %bin = arith.index_cast %value : i64 to index
    %one = arith.constant 1 : i64
    %old = vyre.atomic_rmw addi %one, %bins[AT] : i64, !vyre.buffer<BINSxi64, read_write>
  }
}
"""
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


@pytest.mark.slow
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


def histogram_work(invocations: int, bins: int = 8, far: int = 1, at: str = "%bin") -> Work:
    """The work of an arm as it is written, without passes."""
    context = make_context()
    text = HISTOGRAM.replace("BINS", str(bins)).replace("FAR", str(far)).replace("AT", at)
    compiled = compile_module(
        parse_module(text, context, "histogram"), pipeline="vyre-outline-kernels", context=context
    )
    (launch,) = program_work(compiled.program, {"in": invocations})
    return launch.likely


@pytest.mark.parametrize(("bins", "waits"), [(8, 4.0), (64, 0.5)])
def test_updates_of_few_elements_wait_for_each_other(bins: int, waits: float):
    work = histogram_work(640, bins)
    assert (work.global_atomics, work.wide_atomics) == (pytest.approx(640), pytest.approx(640))
    assert work.conflicts == pytest.approx(640 * waits)
    assert work.gathers == 0


@pytest.mark.parametrize(("at", "waits"), [("%i", 0), ("%far", 32)])
def test_neighbours_wait_where_all_update_one_element_and_not_where_each_has_its_own(
    at: str, waits: int
):
    work = histogram_work(640, at=at)
    assert work.conflicts == pytest.approx(640 * waits)


@pytest.mark.parametrize(("far", "share"), [(1, 0), (4, 0), (5, 1)])
def test_neighbours_that_are_far_apart_are_strided(far: int, share: float):
    assert histogram_work(640, far=far).strided_words == pytest.approx(640 * share)


def test_the_busiest_invocation_does_as_much_in_any_number_of_them():
    few, many = histogram_work(64), histogram_work(64_000)
    assert few.steps == many.steps > 3
    assert few.serial_words == many.serial_words == 1
