"""Finding, trying out and choosing devices."""

import os
import subprocess
import sys
from dataclasses import replace
from typing import Protocol

import numpy as np
import pyopencl as cl
import pytest
from support.devices import small_device

from vyre_dialect.runtime.errors import DeviceError, VyreError
from vyre_dialect.runtime.opencl import devices
from vyre_dialect.runtime.opencl.devices import (
    Device,
    Requirements,
    choose_device,
    create_context_and_queue,
    explain_choice,
    list_devices,
    working,
)

Paper = tuple[str, str, devices.DeviceKind]

GPU: Paper = ("Fast GPU", "NVIDIA CUDA", "gpu")
INTEL: Paper = ("Some CPU", "Intel(R) OpenCL", "cpu")
POCL: Paper = ("pthread-Some CPU", "Portable Computing Language", "cpu")
OCLGRIND: Paper = ("Oclgrind Simulator", "Oclgrind", "gpu")


def make_device(name: str, platform: str, kind: devices.DeviceKind) -> Device:
    """A device that exists only on paper."""
    info = replace(
        small_device(32768),
        name=name,
        platform=platform,
        kind=kind,
        simulator="oclgrind" in platform.lower(),
        compute_units=4,
        max_workgroup_size=1024,
        max_work_item_sizes=(1024, 1024, 64),
        max_alloc_bytes=1 << 30,
        global_mem_bytes=1 << 32,
        extensions=frozenset({"cl_khr_fp64"}),
    )
    return Device(None, info)  # pyright: ignore[reportArgumentType]


class Pretend(Protocol):
    """Replaces this machine's devices by those given, of which the broken do not work."""

    def __call__(self, *made: Device, broken: tuple[str, ...] = ()) -> None: ...


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Puts devices that exist only on paper in place of this machine's."""

    def replace(*made: Device, broken: tuple[str, ...] = ()) -> None:
        def probe(device: Device) -> str | None:
            return "broken" if device.info.name in broken else None

        monkeypatch.setattr(devices, "_all_devices", lambda: made)
        monkeypatch.setattr(devices, "_probe", probe)

    return replace


def test_a_working_gpu_is_preferred(pretend: Pretend) -> None:
    pretend(make_device(*POCL), make_device(*OCLGRIND), make_device(*GPU), make_device(*INTEL))
    assert choose_device().info.name == "Fast GPU"


def test_a_gpu_that_builds_nothing_is_passed_over(pretend: Pretend) -> None:
    pretend(make_device(*GPU), make_device(*POCL), make_device(*INTEL), broken=("Fast GPU",))
    assert choose_device().info.platform == "Intel(R) OpenCL"


def test_a_simulator_is_never_chosen_unasked(pretend: Pretend) -> None:
    pretend(make_device(*OCLGRIND))
    with pytest.raises(DeviceError, match=r"no OpenCL device found: .*install"):
        choose_device()


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_a_kind_does_not_name_a_simulator(pretend: Pretend, kind: str) -> None:
    pretend(make_device(*OCLGRIND))
    with pytest.raises(DeviceError, match=f"unknown device '{kind}'"):
        choose_device(kind)


def test_a_simulator_is_chosen_by_name(pretend: Pretend) -> None:
    pretend(make_device(*INTEL), make_device(*OCLGRIND))
    assert choose_device("oclgrind").info.simulator


@pytest.mark.parametrize(
    ("name", "platform"),
    [
        ("PORTABLE", "Portable Computing Language"),
        ("pthread", "Portable Computing Language"),
        ("cpu", "Intel(R) OpenCL"),
        ("GPU", "NVIDIA CUDA"),
        ("nvidia", "NVIDIA CUDA"),
        (" intel ", "Intel(R) OpenCL"),
    ],
)
def test_a_name_is_part_of_a_name_or_a_kind(pretend: Pretend, name: str, platform: str) -> None:
    pretend(make_device(*POCL), make_device(*GPU), make_device(*INTEL))
    assert choose_device(name).info.platform == platform


@pytest.mark.parametrize("name", ["abacus", "", " "])
def test_an_unknown_name_lists_the_known_ones(pretend: Pretend, name: str) -> None:
    pretend(make_device(*INTEL))
    with pytest.raises(DeviceError, match=r"unknown device .* Some CPU \(Intel"):
        choose_device(name)


def test_a_named_device_that_does_not_work_is_not_replaced(pretend: Pretend) -> None:
    pretend(make_device(*GPU), make_device(*INTEL), broken=("Fast GPU",))
    with pytest.raises(DeviceError, match=r"Fast GPU \(NVIDIA CUDA\): broken"):
        choose_device("gpu")


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        (Requirements(local_mem_bytes=32769), "32769 bytes of workgroup memory, got 32768"),
        (Requirements(workgroup_size=1025), "at least 1025 invocations, got 1024"),
        (Requirements(extensions=frozenset({"cl_khr_fp16"})), "expected extension cl_khr_fp16"),
    ],
)
def test_a_need_that_is_not_met_is_named(
    pretend: Pretend, needs: Requirements, message: str
) -> None:
    pretend(make_device(*INTEL))
    with pytest.raises(DeviceError, match=message):
        choose_device(require=needs)


def test_needs_that_are_just_met_are_met(pretend: Pretend) -> None:
    pretend(make_device(*INTEL))
    needs = Requirements(32768, workgroup_size=1024, extensions=frozenset({"cl_khr_fp64"}))
    assert choose_device(require=needs).info.name == "Some CPU"


def test_a_need_passes_over_a_preferred_device(pretend: Pretend) -> None:
    intel = make_device(*INTEL)
    object.__setattr__(intel.info, "extensions", frozenset({"cl_khr_fp16"}))
    pretend(make_device(*GPU), intel)
    assert choose_device(require=Requirements(extensions=frozenset({"cl_khr_fp16"}))) is intel


def test_every_device_gets_a_reason(pretend: Pretend) -> None:
    pretend(
        make_device(*POCL),
        make_device(*OCLGRIND),
        make_device(*INTEL),
        make_device(*GPU),
        broken=("Fast GPU",),
    )
    choices = [(choice.info.platform, choice.chosen, choice.reason) for choice in explain_choice()]
    assert choices == [
        ("NVIDIA CUDA", False, "does not work: broken"),
        (
            "Intel(R) OpenCL",
            True,
            "the CPU runtime with the fastest launches, and no GPU works here",
        ),
        (
            "Portable Computing Language",
            False,
            "works, but Some CPU (Intel(R) OpenCL) is preferred",
        ),
        ("Oclgrind", False, "a simulator is used only when asked for by name"),
    ]


def test_the_explanation_agrees_with_the_choice(device: Device) -> None:
    name = device.info.platform
    chosen = [choice.info for choice in explain_choice(name) if choice.chosen]
    assert chosen == [choose_device(name).info]


@pytest.mark.skipif("VYRE_EXPECTED_PLATFORMS" not in os.environ, reason="set by .ci/run")
def test_the_expected_platforms_work() -> None:
    expected = set(os.environ["VYRE_EXPECTED_PLATFORMS"].split(","))
    found = {choice.info.platform for choice in explain_choice() if choice.problem is None}
    assert expected <= found


def test_device_errors_are_user_errors() -> None:
    assert issubclass(DeviceError, VyreError)


def test_the_device_runs_and_times_a_kernel(device: Device) -> None:
    context, queue = create_context_and_queue(device)
    result = np.zeros(256, np.uint32)
    target = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, result.nbytes)
    source = "__kernel void f(__global uint *p) { p[get_global_id(0)] = get_global_id(0) ^ 5u; }"
    kernel = cl.Kernel(cl.Program(context, source).build(), "f")
    event = kernel(queue, result.shape, None, target)
    cl.enqueue_copy(queue, result, target)
    np.testing.assert_array_equal(result, np.arange(256, dtype=np.uint32) ^ 5)
    assert event.profile.end >= event.profile.start > 0


def test_what_is_known_of_a_device_makes_sense(device: Device) -> None:
    info = device.info
    assert info.name
    assert info.platform
    assert not info.simulator
    assert info.compute_units >= 1
    assert info.local_mem_bytes >= 16384
    assert info.max_workgroup_size <= info.max_work_item_sizes[0]
    assert len(info.max_work_item_sizes) >= 3
    assert "cl_khr_byte_addressable_store" in info.extensions


def test_the_device_is_found_by_its_own_name(device: Device) -> None:
    assert choose_device(device.info.name).info.name == device.info.name


@pytest.mark.slow
def test_a_wrong_answer_means_not_working(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    devices._probe.cache_clear()
    monkeypatch.setattr(devices, "_PROBE_SOURCE", devices._PROBE_SOURCE.replace("3u", "2u"))
    problem = working(device)
    devices._probe.cache_clear()
    assert problem == "a trivial kernel gives a wrong answer"


def test_a_build_failure_means_not_working(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    devices._probe.cache_clear()
    monkeypatch.setattr(devices, "_PROBE_SOURCE", "__kernel void probe( {")
    problem = working(device)
    devices._probe.cache_clear()
    assert problem is not None
    assert "\n" not in problem


def test_importing_devices_imports_no_opencl() -> None:
    code = "import sys, vyre_dialect.runtime.opencl.devices; print(sorted(sys.modules))"
    modules = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert "'vyre_dialect.runtime.opencl.devices'" in modules
    assert "'pyopencl'" not in modules
    assert "'numpy'" not in modules


def test_devices_come_in_order_of_preference() -> None:
    simulators = [device.info.simulator for device in list_devices()]
    assert simulators == sorted(simulators)


def test_a_platform_whose_sub_buffers_are_broken_has_none(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "_BROKEN_SUB_BUFFERS", {device.info.platform})
    assert not devices._read_info(device.handle).has_sub_buffers
