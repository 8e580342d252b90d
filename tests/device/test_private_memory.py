"""Private memory that a device does not have is an error, and ends no process."""

from contextlib import suppress

import numpy as np

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.compilation import make_context, parse_module

PROGRAM = """
vyre.program @p workgroup_size [64] {
  %places = vyre.buffer @places : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  %own = vyre.buffer @own : !vyre.buffer<SIZExi8, read_write, private>
  vyre.region "x" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i8
    %value = vyre.load %places[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %place = arith.index_cast %value : i32 to index
    vyre.store %one, %own[%i] : i8, !vyre.buffer<SIZExi8, read_write, private>
    vyre.barrier
    vyre.store %one, %own[%place] : i8, !vyre.buffer<SIZExi8, read_write, private>
    vyre.barrier
    %found = vyre.load %own[%i] : !vyre.buffer<SIZExi8, read_write, private> -> i8
    vyre.store %found, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}
"""


def found(size: int, device: Device) -> RunResult:
    module = parse_module(PROGRAM.replace("SIZE", str(size)), make_context())
    return run_module(module, {"places": np.zeros(64, np.int32)}, device=device)


def test_what_fits_runs(device: Device) -> None:
    assert found(4096, device).outputs["out"].view(np.uint8).all()


def test_what_does_not_is_an_error(device: Device) -> None:
    """That of 64 invocations is 64 MB, where PoCL has the stack of a thread for it."""
    with suppress(DeviceError):
        assert found(1_000_000, device).outputs["out"].view(np.uint8).all()
