"""The checker finds planted errors and is silent about kernels without any."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from numpy.typing import NDArray
from support.oclgrind import CheckedRun, checked_run

from vyre_dialect.runtime.opencl.devices import choose_device

SIZE = 64

HANDOFF = """
__kernel void f(__global const uint *in, __global uint *out)
{
    __local uint tile[64];
    uint i = (uint)get_local_id(0);
    tile[i] = in[i];
    %s
    out[i] = tile[63u - i];
}
"""
CLEAN = HANDOFF % "barrier(CLK_LOCAL_MEM_FENCE);"
RACE = HANDOFF % ""
DIVERGENT = HANDOFF % "if (i < 32u) barrier(CLK_LOCAL_MEM_FENCE);"
READ_OUTSIDE = CLEAN.replace("in[i]", "in[i + 1u]")
WRITE_OUTSIDE = CLEAN.replace("out[i]", "out[i + 1u]")
UNINITIALISED = CLEAN.replace("tile[i] = in[i];", "if (i < 63u) tile[i] = in[i];")
GLOBAL_RACE = "__kernel void f(__global const uint *in, __global uint *out) { out[0] += in[0]; }"
ATOMIC = """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void f(__global const uint *in, __global ulong *out)
{
    __local ulong least;
    if (get_local_id(0) == 0) least = ULONG_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_min(&least, (ulong)in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&out[0], least);
}
"""


def launch(run: CheckedRun, source: str, groups: int = 1) -> NDArray[np.uint32]:
    """Run kernel `f` from 64 numbers to 64 numbers."""
    flags = cl.mem_flags
    numbers = np.arange(SIZE * groups, dtype=np.uint32) + 5
    result = np.zeros(SIZE, np.uint32)
    source_buffer = cl.Buffer(run.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=numbers)
    target = cl.Buffer(run.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=result)
    program = cl.Program(run.context, source).build()
    cl.Kernel(program, "f")(run.queue, (SIZE * groups,), (SIZE,), source_buffer, target)
    cl.enqueue_copy(run.queue, result, target)
    return result


def test_a_clean_kernel_gives_no_report(oclgrind: Callable[..., CheckedRun]) -> None:
    run = oclgrind()
    np.testing.assert_array_equal(launch(run, CLEAN), np.arange(SIZE)[::-1] + 5)
    assert run.reports() == []


def test_atomics_on_64_bits_give_no_report(oclgrind: Callable[..., CheckedRun]) -> None:
    run = oclgrind()
    assert launch(run, ATOMIC, groups=4)[0] == 64 * (5 + 69 + 133 + 197)
    assert run.reports() == []


@pytest.mark.parametrize(
    ("source", "report"),
    [
        pytest.param(RACE, "data race at local memory", id="local race"),
        pytest.param(GLOBAL_RACE, "data race at global memory", id="global race"),
        pytest.param(DIVERGENT, "Work-group divergence detected (barrier)", id="divergence"),
        pytest.param(READ_OUTSIDE, "Invalid read of size 4 at global memory", id="read outside"),
        pytest.param(WRITE_OUTSIDE, "Invalid write of size 4 at global memory", id="write outside"),
        pytest.param(UNINITIALISED, "Uninitialized value", id="uninitialised"),
    ],
)
def test_a_planted_error_is_reported(
    oclgrind: Callable[..., CheckedRun], source: str, report: str
) -> None:
    run = oclgrind()
    run.expects_reports = True
    launch(run, source)
    assert any(report in line for line in run.reports())


def test_a_run_with_a_report_fails(tmp_path: Path, oclgrind: Callable[..., CheckedRun]) -> None:
    del oclgrind  # skips where the checker is missing
    device = choose_device("oclgrind")
    with (
        pytest.raises(AssertionError, match="data race"),
        checked_run(device, tmp_path / "log") as run,
    ):
        launch(run, RACE)


def test_settings_hold_for_one_run_only(oclgrind: Callable[..., CheckedRun]) -> None:
    run = oclgrind(uninitialised=False)
    launch(run, UNINITIALISED)
    assert run.reports() == []
