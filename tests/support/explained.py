"""Programs that `vyre explain` is asked about, and the devices that it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.device_info import DeviceInfo

# The consumer reads one element more than the producer writes.
NOT_COVERED = """
vyre.program @not_covered {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [63] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}
"""
COVERED = NOT_COVERED.replace("invocations [63]", "invocations [64]")
ALONE = """
vyre.program @alone {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "write" invocations [64] {
    %i = vyre.invocation_id x
    %byte = arith.constant 1 : i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}
"""

Explain = Callable[..., tuple[int, str, str]]
"""Runs `vyre explain`; gives its status, output and errors."""


def _works(_: Device) -> None:
    """What `working` says of a device that works."""


def only(monkeypatch: pytest.MonkeyPatch, *infos: DeviceInfo) -> None:
    """Let these be all the devices that there are."""
    devices = [Device(cast(Any, None), info) for info in infos]
    monkeypatch.setattr("vyre_dialect.runtime.opencl.devices.list_devices", lambda: devices)
    monkeypatch.setattr("vyre_dialect.runtime.opencl.devices.working", _works)
