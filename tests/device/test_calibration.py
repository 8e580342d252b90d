"""A device is calibrated, what it takes is kept, and predictions follow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.tuning import calibration
from vyre_dialect.runtime.tuning.calibration import observe
from vyre_dialect.runtime.tuning.calibration_programs import PROGRAMS
from vyre_dialect.runtime.tuning.device_model_file import DeviceModelFile, model_of

pytestmark = pytest.mark.device
BY_NAME = {program.name: program for program in PROGRAMS}


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("VYRE_NO_CACHE", raising=False)
    monkeypatch.delenv("VYRE_AUTOTUNER", raising=False)


@pytest.mark.slow
def test_both_forms_are_observed_at_each_size_launch_by_launch(device: Device):
    observed = observe(Session(device), [BY_NAME["bytes_xor_count"]], [1 << 12, 1 << 14])
    assert [(each.form, each.size, each.launch.generator) for each in observed] == [
        ("default", 1 << 12, "decode.xor+sum"),
        ("default", 1 << 14, "decode.xor+sum"),
        ("unfused", 1 << 12, "decode.xor"),
        ("unfused", 1 << 12, "sum"),
        ("unfused", 1 << 14, "decode.xor"),
        ("unfused", 1 << 14, "sum"),
    ]
    assert all(each.ns > 0 and each.is_held_back for each in observed)


@pytest.mark.slow
def test_a_calibrated_device_is_kept_and_explained(
    device: Device,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    sizes = dict.fromkeys((False, True), (1 << 12, 1 << 16))
    monkeypatch.setattr(calibration, "SIZES", sizes)
    data = tmp_path / "data.npy"
    np.save(data, np.zeros(1 << 16, np.uint8))
    of_device = ["--device", device.info.name]
    explain = ["explain", "examples/xor_literal.mlir", "--input", f"encoded={data}", *of_device]
    assert main(explain) == 0
    assert "'vyre devices --calibrate' measures this one" in capsys.readouterr().out
    assert main(["devices", "--calibrate", *of_device, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    kept = DeviceModelFile.of(device.info)
    assert kept is not None
    assert (shown["kept"], model_of(device.info).ns) == (str(kept.file.path), shown["ns"])
    assert {each["program"] for each in shown["launches"]} == set(BY_NAME)
    assert main([*explain, "--json"]) == 0
    predicted = json.loads(capsys.readouterr().out)["predicted"]
    assert predicted["calibrated"]
    assert predicted["error"] == shown["error"]
    assert all(each["ns"] > 0 for each in predicted["forms"].values())


def test_the_interpreter_is_not_calibrated(capsys: pytest.CaptureFixture[str]):
    assert main(["devices", "--calibrate", "--device", "reference"]) == 2
    assert "the interpreter takes no times" in capsys.readouterr().err


@pytest.mark.slow
def test_explain_predicts_both_forms_and_says_what_bounds_them(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = tmp_path / "data.npy"
    np.save(data, np.zeros(1 << 20, np.uint8))
    of_device = ["--device", device.info.name]
    given = ["examples/xor_literal.mlir", *of_device]
    assert main(["explain", *given]) == 0
    assert "predicted" not in capsys.readouterr().out
    assert main(["explain", *given, "--input", f"encoded={data}"]) == 0
    (line,) = (
        line for line in capsys.readouterr().out.splitlines() if line.startswith("predicted")
    )
    assert "default " in line
    assert "unfused " in line
    assert "of the roofline)" in line
