"""The schedule that is printed for a device gives the kernels that are compiled for it."""

from pathlib import Path

import pytest

from examples.data import EXAMPLES
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.opencl.devices import Device

XOR = str(EXAMPLES / "xor_literal.mlir")


def test_kernels_by_the_printed_schedule(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schedule = tmp_path / "s.mlir"
    assert main(["schedule", XOR, "--device", device.info.name]) == 0
    schedule.write_text(capsys.readouterr().out)
    named = ["compile", XOR, "--device", device.info.name]
    assert main(named) == 0
    kernels = capsys.readouterr().out
    assert main([*named, "--schedule", str(schedule)]) == 0
    assert capsys.readouterr().out == kernels != ""
