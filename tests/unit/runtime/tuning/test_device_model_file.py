"""The model of a device is found again, under the same driver and version, and never fatal."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.devices import small_device

from vyre_dialect.runtime.tuning.device_model import DeviceModel, built_in
from vyre_dialect.runtime.tuning.device_model_file import DeviceModelFile, model_of
from vyre_dialect.runtime.tuning.kept_file import KeptFile

MODEL = DeviceModel(
    {"launches": 1234.5, "scalar_ops": 0.25}, cache_bytes=1 << 20, error=0.2, is_calibrated=True
)


@pytest.fixture
def kept(tmp_path: Path) -> DeviceModelFile:
    return DeviceModelFile(KeptFile(tmp_path / "model.toml"), driver="1", vyre="0.1")


def test_a_model_comes_back_as_it_was(kept: DeviceModelFile):
    assert kept.get() is None
    assert kept.put(MODEL)
    assert kept.get() == MODEL


@pytest.mark.parametrize("change", [{"driver": "2"}, {"vyre": "0.2"}])
def test_one_of_another_driver_or_version_is_not_used(
    kept: DeviceModelFile, change: dict[str, str]
):
    kept.put(MODEL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert replace(kept, **change).get() is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1234.5", "-1.0", "expected a number of 0 or more as 'launches'"),
        ("1234.5", "nan", "expected a number of 0 or more as 'launches'"),
        ("1234.5", "9" * 400, "expected a number of 0 or more as 'launches', got 9999"),
        ("1234.5", '"fast"', "expected a number as 'launches'"),
        ("launches", "lunches", "expected kinds of work in 'ns', got 'lunches'"),
        ("error = ", "errors = ", "no 'error'"),
        ("[ns]", "[ns", "damaged"),
    ],
)
def test_what_makes_no_sense_is_said_and_not_used(
    kept: DeviceModelFile, old: str, new: str, said: str
):
    kept.put(MODEL)
    path = kept.file.path
    path.write_text(path.read_text().replace(old, new))
    with pytest.warns(UserWarning, match=said.replace("[", r"\[")):
        assert kept.get() is None


@given(st.binary(max_size=200))
def test_no_file_is_fatal(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    path = tmp_path_factory.mktemp("models") / "model.toml"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert DeviceModelFile(KeptFile(path), driver="1").get() is None


def test_without_calibration_a_device_takes_what_its_kind_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    device = small_device(32768)
    assert model_of(device) == built_in(device)
    kept = DeviceModelFile.of(device)
    assert kept is not None
    kept.put(MODEL)
    assert model_of(device) == MODEL
