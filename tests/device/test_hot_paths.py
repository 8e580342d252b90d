"""`vyre run` keeps what it measures, and `vyre hot-paths` shows and forgets it."""

import json
from pathlib import Path

import pytest

from vyre_dialect.passes.schedule.hints import HotPathHints
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.opencl.devices import Device

PROGRAM = """
vyre.program @p workgroup_size [64] entry_op_id "my_entry" {
  %a = vyre.buffer @a live_out : !vyre.buffer<4096xi32, read_write>
  vyre.region "count" invocations [4096] {
    %i = vyre.invocation_id x
    %one = arith.constant CONSTANT : i32
    vyre.store %one, %a[%i] : i32, !vyre.buffer<4096xi32, read_write>
  }
}
"""


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def program(tmp_path: Path, constant: int = 1) -> str:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM.replace("CONSTANT", str(constant)))
    return str(path)


def table(device: Device, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert main(["hot-paths", "--device", device.info.name, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def run(file: str, device: Device, repeat: int) -> None:
    assert main(["run", file, "--device", device.info.name, "--repeat", str(repeat)]) == 0


def rows_of(found: dict[str, object]) -> list[dict[str, object]]:
    rows = found["rows"]
    assert isinstance(rows, list)
    return rows  # pyright: ignore[reportUnknownVariableType]


def test_runs_add_up_by_generator_and_entry(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = program(tmp_path)
    run(file, device, 2)
    run(file, device, 3)
    found = table(device, capsys)
    counts = {row["generator"]: row["dispatch_count"] for row in rows_of(found)}
    assert counts == {"count": 5, "my_entry": 5}
    assert all(row["bytes_total"] == 5 * 4 * 4096 for row in rows_of(found))
    assert found["stale"] == 0


def test_another_program_has_rows_of_its_own(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    run(program(tmp_path), device, 1)
    run(program(tmp_path, constant=2), device, 1)
    assert len(rows_of(table(device, capsys))) == 4


def test_passes_are_selected_by_what_was_kept(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = program(tmp_path)
    run(file, device, 1)
    capsys.readouterr()
    assert main(["hot-paths", "path", "--device", device.info.name]) == 0
    kept = capsys.readouterr().out.strip()
    hints = HotPathHints.read(kept, {})
    assert set(hints.mean_ns) == {"count", "my_entry"}
    report = tmp_path / "report.json"
    command = ["run", file, "--device", device.info.name, "--hints", kept, "--report", str(report)]
    assert main(command) == 0
    # Whatever the speed of this device: the entry is known, and its mean decides.
    assert ("hot_path_telemetry" in report.read_text()) == hints.is_hot("my_entry")


def test_the_path_is_of_a_file_that_hints_can_be_read_from(
    device: Device, capsys: pytest.CaptureFixture[str]
):
    assert main(["hot-paths", "path", "--device", device.info.name]) == 0
    assert HotPathHints.read(capsys.readouterr().out.strip(), {}).rows == 0


def test_threshold_and_capacity_are_set_and_kept(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    name = device.info.name
    assert main(["hot-paths", "--threshold", "0", "--capacity", "1", "--device", name]) == 0
    assert "hot from 0 µs on; 1 rows at most" in capsys.readouterr().out
    run(program(tmp_path), device, 1)
    found = table(device, capsys)
    assert (found["hot_ns_threshold"], found["capacity"], len(rows_of(found))) == (0, 1, 1)


def test_a_damaged_table_is_said_to_be_one(device: Device, capsys: pytest.CaptureFixture[str]):
    assert main(["hot-paths", "path", "--device", device.info.name]) == 0
    path = Path(capsys.readouterr().out.strip())
    path.write_text("{")
    assert main(["hot-paths", "--device", device.info.name]) == 0
    assert capsys.readouterr().err == (
        f"vyre: warning: '{path}' is damaged: what makes no sense in it is left out\n"
    )


def test_clear_forgets(device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    run(program(tmp_path), device, 1)
    assert main(["hot-paths", "clear", "--device", device.info.name]) == 0
    assert rows_of(table(device, capsys)) == []


def test_nothing_is_kept_unless_it_may(
    device: Device,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("VYRE_NO_CACHE", "1")
    run(program(tmp_path), device, 1)
    assert main(["hot-paths", "--device", device.info.name]) == 1
    assert "no times are kept" in capsys.readouterr().err
    assert not (tmp_path / "cache" / "vyre" / "hot-paths").exists()
