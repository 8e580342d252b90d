"""Kernels at which a device's compiler ends its process."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl import build_process
from vyre_dialect.runtime.opencl.build_process import built_apart
from vyre_dialect.runtime.opencl.devices import Device, create_context_and_queue
from vyre_dialect.runtime.opencl.kernel_build import (
    BuildError,
    build_kernels,
    may_end_its_process,
)
from vyre_dialect.runtime.program.device_info import DeviceInfo

# Intel's compiler crashes at it in its version of 2026.
CRASHES = """
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sums(__global uint *restrict in, __global uint *restrict out)
{
    uint tile[12] = {0};
    for (long item = min((long)get_global_id(0), 31L); item < 1; item++) {
        for (int k = 0; k < 3; k++) {
            tile[4 * k] = in[4 * k] ^ 5u;
            tile[4 * k + 1] = in[4 * k + 1] ^ 5u;
            tile[4 * k + 2] = in[4 * k + 2] ^ 5u;
            tile[4 * k + 3] = in[4 * k + 3] ^ 5u;
        }
        #pragma unroll 4
        for (long i = 0; i < 12; i++) {
            uint first = tile[i] + 31u;
            long next = i + 1;
            out[i] = next < 12 ? first * 31u + tile[next] : first;
            in[(i >> 2) * 4] = 0u;
        }
    }
}
"""

SQUARE = "__kernel void square(__global uint *a) { a[get_global_id(0)] *= a[get_global_id(0)]; }"


@pytest.mark.slow
def test_kernels_at_which_a_compiler_crashes_are_built_all_the_same(device: Device) -> None:
    context, queue = create_context_and_queue(device)
    program = build_kernels(context, device, CRASHES)
    given, result = np.arange(12, dtype=np.uint32), np.zeros(12, dtype=np.uint32)
    flags = cl.mem_flags
    source = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=given)
    target = cl.Buffer(context, flags.WRITE_ONLY, size=result.nbytes)
    cl.Kernel(program, "sums")(queue, (1,), (1,), source, target)
    cl.enqueue_copy(queue, result, target)
    queue.finish()
    tile = given ^ 5
    expected = tile + 31
    expected[:-1] = expected[:-1] * 31 + tile[1:]
    np.testing.assert_array_equal(result, expected)


def _one_that_crashes(device: Device) -> Device:
    if not may_end_its_process(device.info):
        pytest.skip("its compiler stays in this process")
    return device


def _squares(device: Device, binary: bytes | None) -> bool:
    """Whether a build of `SQUARE` does what it says."""
    assert binary is not None
    context, queue = create_context_and_queue(device)
    program = cl.Program(context, [device.handle], [binary]).build()
    given = np.arange(12, dtype=np.uint32)
    flags = cl.mem_flags
    numbers = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=given)
    cl.Kernel(program, "square")(queue, given.shape, None, numbers)
    result = np.empty_like(given)
    cl.enqueue_copy(queue, result, numbers)
    return np.array_equal(result, given * given)


def _request(info: DeviceInfo, source: str) -> build_process._Request:
    return build_process._Request(info.platform, info.name, source, ())


@pytest.mark.slow
def test_a_compiler_that_ends_is_an_error(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    info = _one_that_crashes(device).info
    with_vectors = build_process._Builders({})
    try:
        with_vectors.build(_request(info, CRASHES))
        pytest.skip("this version does not crash")
    except build_process._Ended:
        monkeypatch.setattr(build_process, "_builders", with_vectors)
    with pytest.raises(DeviceError, match="cannot build the kernels: its compiler has ended"):
        built_apart(info, CRASHES, ())


def test_a_process_that_others_have_ended_is_replaced(device: Device) -> None:
    info = _one_that_crashes(device).info
    assert _squares(device, built_apart(info, SQUARE, ()))
    waiting = build_process._builders._idle.get_nowait()
    waiting.process.kill()
    waiting.process.wait()
    build_process._builders._idle.put(waiting)
    # A replaced process need not give the same bytes, of which one was seen to differ.
    assert _squares(device, built_apart(info, SQUARE, ()))


def test_what_lies_in_the_current_folder_is_not_run(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = _one_that_crashes(device).info
    (tmp_path / "pyopencl.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    builders = build_process._Builders({})
    request = _request(info, SQUARE)
    assert builders.build(request)
    builders.end()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("interpreter", [None, "", "/no/such/python", "/bin/false"])
def test_without_another_process_kernels_are_built_in_this_one(
    device: Device, interpreter: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, _ = create_context_and_queue(_one_that_crashes(device))
    build_process._builders.end()
    monkeypatch.setattr(sys, "executable", interpreter)
    assert built_apart(device.info, SQUARE, ()) is None
    assert build_kernels(context, device, SQUARE).kernel_names == "square"


def test_what_a_compiler_refuses_is_refused_with_its_log(device: Device) -> None:
    context, _ = create_context_and_queue(_one_that_crashes(device))
    assert built_apart(device.info, "__kernel void k() { nothing; }", ()) is None
    with pytest.raises(BuildError, match="nothing"):
        build_kernels(context, device, "__kernel void k() { nothing; }")


def test_a_process_is_used_again(device: Device) -> None:
    info = _one_that_crashes(device).info
    builders = build_process._Builders({})
    request = _request(info, SQUARE)
    used: list[build_process._Builder] = []
    for _ in range(2):
        assert builders.build(request)
        used.append(builders._idle.get_nowait())
        builders._idle.put(used[-1])
    builders.end()
    assert used[0] is used[1]
