"""The commands on devices."""

import json
import os
from pathlib import Path

import pytest
from support.commands import process
from support.example_data import matching_text

from examples.data import EXAMPLES, load_example
from vyre_dialect.ir.devices import PROPERTIES
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.opencl.devices import Device

EXAMPLE = EXAMPLES / "xor_literal.mlir"


@pytest.fixture
def encoded(tmp_path: Path) -> Path:
    path = tmp_path / "encoded"
    path.write_bytes(load_example(EXAMPLE, matching_text(3000)).encoded.tobytes())
    return path


def test_a_program_runs(device: Device, encoded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("run", str(EXAMPLE), "--input", f"encoded={encoded}")
    assert main([*given, "--device", device.info.platform, "--json", "--repeat", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    expected = load_example(EXAMPLE, matching_text(3000)).expected["count"]
    assert result["device"] == device.info.label
    assert result["policy"] == ("gpu" if device.info.has_own_local_mem else "cpu")
    assert result["outputs"] == {"count": expected.tolist()}
    assert [arm["generator"] for arm in result["arms"]] == ["decode.xor+scan.literal"]
    assert all(arm["kernel_ns"] > 0 for arm in result["arms"])


@pytest.mark.slow
def test_automata_fuse_with_a_tile_in_workgroup_memory_or_in_a_cache(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, path = EXAMPLES / "base64_patterns.mlir", tmp_path / "base64"
    example = load_example(file, matching_text(3000))
    path.write_bytes(example.encoded.tobytes())
    given = ("run", str(file), "--input", f"encoded={path}", "--device", device.info.platform)
    assert main([*given, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["outputs"] == {"matches": example.expected["matches"].tolist()}
    assert "decode.base64+scan.literals" in [arm["generator"] for arm in result["arms"]]


def test_an_unknown_device_is_one_line(encoded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("run", str(EXAMPLE), "--input", f"encoded={encoded}", "--device", "abacus")
    assert main(given) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("vyre: error: unknown device 'abacus': expected a kind")
    assert captured.err.count("\n") == 1


def test_devices_are_listed(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--json"]) == 0
    devices = json.loads(capsys.readouterr().out)["devices"]
    (listed,) = [one for one in devices if one["platform"] == device.info.platform]
    assert listed["works"]
    assert listed["name"] == device.info.name
    assert listed.keys() >= PROPERTIES.keys()
    assert [one["reason"] for one in devices if one["chosen"]] != []
    assert not any(one["chosen"] and one["simulator"] for one in devices)
    assert main(["devices"]) == 0
    assert device.info.label in capsys.readouterr().out


def test_a_name_that_no_device_has_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--device", "abacus"]) == 1
    captured = capsys.readouterr()
    assert "reference: always works" in captured.out
    assert captured.err.startswith("vyre: error: unknown device 'abacus'")
    assert main(["devices", "--device", "reference"]) == 0


def test_runtimes_that_are_hidden_are_said_to_be(tmp_path: Path) -> None:
    environment = os.environ | {"OCL_ICD_VENDORS": str(tmp_path)}
    hide = (
        "from vyre_dialect.runtime.opencl import loader; "
        "loader._find_intel_runtime = lambda: None; "
    )
    done = process("devices", cwd=tmp_path, env=environment, before=hide)
    assert done.returncode == 1
    assert "reference: always works" in done.stdout
    assert done.stderr == (
        f"vyre: error: no OpenCL device found: OCL_ICD_VENDORS={tmp_path} hides every runtime "
        "that it does not name: unset it\n"
    )
