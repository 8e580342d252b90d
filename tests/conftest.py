"""Fixtures for every test: the devices of this machine and the Oclgrind checker."""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from support.generated.drawing import all_of, some_of
from support.oclgrind import CheckedRun, checked_run
from support.tiers import dealt_to, thin_out

from vyre_dialect.runtime.opencl.devices import Device, list_devices, working

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# What somebody has tuned on this machine is not what is tested.
os.environ["VYRE_AUTOTUNER"] = "off"
# Tests run side by side; threads of BLAS would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# How many examples Hypothesis draws: few in `make test`, more in `make test-slow`, and as many as
# `VYRE_FUZZ_EXAMPLES` says.
for name, count in {"default": 15, "thorough": 30}.items():
    hypothesis.settings.register_profile(
        name, deadline=None, max_examples=count, derandomize="CI" in os.environ
    )
hypothesis.settings.register_profile(
    "fuzz",
    deadline=None,
    max_examples=int(os.environ.get("VYRE_FUZZ_EXAMPLES", "1000")),
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("fuzz" if "VYRE_FUZZ_EXAMPLES" in os.environ else "default")


@cache
def _working_devices() -> tuple[Device, ...]:
    """Every device that runs kernels; simulators are no devices."""
    real = [device for device in list_devices() if not device.info.simulator]
    return tuple(device for device in real if working(device) is None)


@cache
def _simulator() -> Device | None:
    found = [device for device in list_devices() if device.info.platform == "Oclgrind"]
    return found[0] if found else None


def _skip_or_fail(reason: str) -> str:
    """The reason to skip; where the tests count (CI), a missing device is a failure instead."""
    if os.environ.get("CI"):
        raise pytest.UsageError(reason)
    return reason


def _device_parameters() -> list[object]:
    devices = _working_devices()
    if devices:
        return [pytest.param(device, id=device.info.label) for device in devices]
    reason = _skip_or_fail("no OpenCL device works here; pip install 'vyre[cpu]' brings one")
    return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=reason))]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """
    Run a test that asks for `device` once on each working device, and one that asks for `draws`
    once with some of its examples and once, where there is time, with all.
    """
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", _device_parameters(), scope="session")
    if "draws" in metafunc.fixturenames:
        every = pytest.param(all_of, id="all", marks=pytest.mark.slow)
        metafunc.parametrize("draws", [pytest.param(some_of, id="some"), every])


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    Mark tests by the fixtures they ask for. The cases of tests are dealt to the devices: each is
    quick on one of them, and slow on the others. Where a test has many cases that take long, few
    are quick at all.
    """
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "device" in fixtures:
            item.add_marker(pytest.mark.device)
            if not _is_dealt(item):
                item.add_marker(pytest.mark.slow)
        if "oclgrind" in fixtures:
            item.add_marker(pytest.mark.oclgrind)
    thin_out(item for item in items if item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Let Python's collector pass over all that is imported by now, which stays."""
    gc.collect()
    gc.freeze()


def _is_dealt(item: pytest.Item) -> bool:
    """Whether this is the device that the case of a test is dealt to, by its name."""
    assert isinstance(item, pytest.Function)
    devices, device = _working_devices(), item.callspec.params["device"]
    if not isinstance(device, Device) or device not in devices:
        return True
    case = item.nodeid.replace(device.info.label, "")
    return dealt_to(case, len(devices)) == devices.index(device)


@pytest.fixture(params=[True, False], ids=["sub-buffers", "whole buffers"])
def sharing(device: Device, request: pytest.FixtureRequest) -> Device:
    """The device as it is, and as if it could not cut an allocation into parts."""
    has_sub_buffers = request.param and device.info.has_sub_buffers
    return replace(device, info=replace(device.info, has_sub_buffers=has_sub_buffers))


@pytest.fixture(scope="module")  # its event loop is in the way of tests that have their own
def browser() -> "Iterator[Browser]":
    """A browser without a window. Where one is expected (`.ci/run`), to have none is a failure."""
    from support.browser import browser_path, started_browser

    path = browser_path()
    if path is None and os.environ.get("VYRE_EXPECTED_BROWSER"):
        pytest.fail("no headless browser is installed")
    if path is None:
        pytest.skip("no headless browser is installed")
    with started_browser(path) as running:
        yield running


@pytest.fixture
def oclgrind(tmp_path: Path) -> Iterator[Callable[..., CheckedRun]]:
    """Starts runs under the Oclgrind checker, of which a report fails the test.

    Give `uninitialised=False` to leave out the slow detector of uninitialised reads.
    """
    simulator = _simulator()
    if simulator is None:
        pytest.skip(_skip_or_fail("Oclgrind is not installed"))
    with ExitStack() as stack:
        count = 0

        def start(*, uninitialised: bool = True) -> CheckedRun:
            nonlocal count
            count += 1
            log = tmp_path / f"oclgrind-{count}.log"
            return stack.enter_context(checked_run(simulator, log, uninitialised=uninitialised))

        yield start
