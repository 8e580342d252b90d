"""The benchmark of CPUs measures what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import cpu

pytestmark = pytest.mark.device


@pytest.mark.slow
def test_rows_and_ratios_of_all_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "cpu.json"
    arguments = ["--only", "xor_literal", "--mib", "1", "--rounds", "2", "--rivals", "numpy"]
    devices = ["--devices", "Intel", "nothing like it"]
    monkeypatch.setattr("sys.argv", ["cpu", *arguments, *devices, "--output", str(output)])
    cpu.main()
    figures = json.loads(output.read_text())
    rows = {(row["runtime"], row["form"]): row for row in figures["rows"]}
    for form in ("fused", "unfused", "fused before", "unfused before"):
        assert rows["Intel", form].keys() >= {"wall", "kernel", "gb_per_s"}
    assert "wall" in rows["numpy", "rival"]
    assert {("host", "plain read"), ("Intel", "plain copy")} <= rows.keys()
    assert "unknown device" in rows["nothing like it", "fused"]["left_out"]
    compared = {(row["of"], row["over"]) for row in figures["ratios"]}
    assert compared >= {("Intel fused", "Intel unfused"), ("Intel fused", "numpy")}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("option", "value"), [("--options", "vyre-unroll{limit=4}"), ("--workgroup", "64")]
)
def test_what_is_compiled_can_be_chosen(
    option: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--only", "xor_literal", "--mib", "1", "--rounds", "2", "--rivals", "--devices", "Intel"]
    monkeypatch.setattr("sys.argv", ["cpu", *few, option, value])
    cpu.main()
    assert "Intel fused before" in capsys.readouterr().out
