"""Several devices share the pieces of an input: the same as one, also when one of them fails."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from examples.data import EXAMPLES as FOLDER
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.errors import DeviceError, RefusedStreamError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.opencl.devices import Device, list_devices
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.flight import RunInFlight
from vyre_dialect.runtime.program.compilation import load_module, make_context, parse_module
from vyre_dialect.runtime.streams.shared_run import run_shared
from vyre_dialect.runtime.streams.sources import PipeSource

pytestmark = pytest.mark.device
LITTLE = 4 << 20
SCAN = """
vyre.program @scan {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends[%n] live_out : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @count live_out fill 5 : i32 : !vyre.buffer<1xi32, read_write>
  %given = vyre.buffer @given live_out : !vyre.buffer<1xi32, read_write>
  %least = vyre.buffer @least live_out fill -1 : i64 : !vyre.buffer<1xi64, read_write>
  %last = vyre.buffer @last live_out fill -1 : i64 : !vyre.buffer<1xi64, read_write>
  %twice = vyre.buffer @twice live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %before = arith.subi %i, %one : index
    %own = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %left = vyre.load %text[%before] : !vyre.buffer<?xi8, read_only> -> i8
    %blank = arith.constant 32 : i8
    %is_blank = arith.cmpi eq, %own, %blank : i8
    %was_letter = arith.cmpi ugt, %left, %blank : i8
    %ends_word = arith.andi %is_blank, %was_letter : i1
    scf.if %ends_word {
      vyre.store %left, %ends[%i] : i8, !vyre.buffer<?xi8, read_write>
      %counted = arith.constant 1 : i32
      %a = vyre.atomic_rmw addi %counted, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
      %b = vyre.atomic_rmw addi %counted, %given[%zero] : i32, !vyre.buffer<1xi32, read_write>
      %place = arith.index_cast %i : index to i64
      %c = vyre.atomic_rmw maxs %place, %last[%zero] : i64, !vyre.buffer<1xi64, read_write>
      %d = vyre.atomic_rmw minu %place, %least[%zero] : i64, !vyre.buffer<1xi64, read_write>
    }
  }
  vyre.region "end" invocations [1] {
    %zero = arith.constant 0 : index
    %all = vyre.load %count[%zero] : !vyre.buffer<1xi32, read_write> -> i32
    %sum = arith.addi %all, %all : i32
    vyre.store %sum, %twice[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
"""
TEXT = np.resize(np.frombuffer(b"  some words of a text ", np.uint8), 4_000_003)
INPUTS = {"text": TEXT, "given": np.array([100], np.int32)}
CONTEXT = make_context()
MODULE = parse_module(SCAN, CONTEXT, "scan.mlir")


@pytest.fixture(scope="module")
def devices() -> list[Device]:
    """
    Two, of different names also where they are the same; one with memory of its own, as far as the
    host can tell.
    """
    real = [device for device in list_devices() if not device.info.simulator]
    first, last = real[0], real[-1]
    return [first, replace(last, info=replace(last.info, kind="gpu", name=f"{last.info.name} 2"))]


@pytest.fixture(scope="module")
def expected(devices: list[Device]) -> Mapping[str, Array]:
    found = run_module(MODULE, INPUTS, device=devices[0], context=CONTEXT).outputs
    assert found["given"][0] == found["count"][0] + 95 > 10_000
    return found


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What warnings say; threads of other tests may change what pytest records of them."""
    said = list[str]()

    def warn(message: object, **_: object) -> None:
        said.append(str(message))

    monkeypatch.setattr(warnings, "warn", warn)
    return said


def check(outputs: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    assert outputs.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(outputs[name], array)


@pytest.mark.slow
def test_devices_share_what_lies_in_memory(devices: list[Device], expected: Mapping[str, Array]):
    run = run_shared(MODULE, INPUTS, devices=devices, memory=LITTLE, context=CONTEXT)
    check(run.outputs, expected)
    assert run.device == ", ".join(each.info.label for each in devices)


@pytest.mark.slow
def test_devices_share_a_pipe(devices: list[Device], expected: Mapping[str, Array]):
    pipe = PipeSource("text", io.BytesIO(TEXT.tobytes()))
    run = run_shared(
        MODULE, INPUTS | {"text": pipe}, devices=devices, memory=LITTLE, context=CONTEXT
    )
    check(run.outputs, expected)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("size", [0, 1, 2, 63, 64, 1000])
def test_short_inputs(devices: list[Device], size: int):
    inputs = INPUTS | {"text": TEXT[:size]}
    expected = run_module(MODULE, inputs, device=devices[0], context=CONTEXT).outputs
    run = run_shared(MODULE, inputs, devices=devices, along="text", context=CONTEXT)
    check(run.outputs, expected)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("failing", [0, 1])
@pytest.mark.parametrize("after", [0, 3])
def test_pieces_of_a_device_that_fails_go_to_the_other(
    devices: list[Device],
    expected: Mapping[str, Array],
    failing: int,
    after: int,
    warned: list[str],
    monkeypatch: pytest.MonkeyPatch,
):
    """Nothing is lost and nothing counted twice, also of what it has done before."""
    started, done, has_failed = Executor.start, list[str](), Event()
    lost = devices[failing].info.label

    def start(self: Executor, *given: object, **more: object) -> RunInFlight:
        if self.device.info.label == lost:
            if len(done) >= after:
                has_failed.set()
                raise DeviceError("lost")
            done.append(lost)
        else:
            assert has_failed.wait(60)
        return started(self, *given, **more)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Executor, "start", start)
    run = run_shared(MODULE, INPUTS, devices=devices, memory=LITTLE, context=CONTEXT)
    assert f"{lost} failed, others go on: lost" in warned
    assert len(done) == after
    check(run.outputs, expected)


def test_where_all_fail_it_is_an_error(
    devices: list[Device], warned: list[str], monkeypatch: pytest.MonkeyPatch
):
    def start(*_: object, **__: object) -> RunInFlight:
        raise DeviceError("lost")

    monkeypatch.setattr(Executor, "start", start)
    with pytest.raises(DeviceError, match="lost"):
        run_shared(MODULE, INPUTS, devices=devices, memory=LITTLE, context=CONTEXT)
    assert sum("failed" in each for each in warned) == len(devices)


@pytest.mark.slow
def test_the_first_wrong_byte_is_the_one_that_is_told(devices: list[Device]):
    module = load_module(FOLDER / "hex_histogram.mlir", CONTEXT)
    text = np.full(3_000_000, ord("a"), np.uint8)
    text[[700_123, 700_124, 2_000_000, 2_999_999]] = ord("?")
    with pytest.raises(TrapError) as error:
        run_shared(module, {"encoded": text}, devices=devices, memory=LITTLE, context=CONTEXT)
    assert error.value.offset == 700_123


def test_what_is_kept_in_order_is_refused_by_name(devices: list[Device]):
    text = SCAN.replace(
        "%d = vyre.atomic_rmw minu %place, %least[%zero] : i64,",
        "%d = vyre.atomic_cas %place, %place, %least[%zero] : i64,",
    )
    module = parse_module(text, CONTEXT, "scan.mlir")
    with pytest.raises(RefusedStreamError, match="'@least' is kept 'in_order'"):
        run_shared(module, INPUTS, devices=devices, context=CONTEXT)
