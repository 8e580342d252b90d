"""The figures of CPUs as SVG."""

from pathlib import Path

import pytest

from benchmarks.cpu_plots import draw

pytest.importorskip("matplotlib", reason="pip install '.[bench]'")

HEAD = {"workload": "xor_literal", "data": "dense", "encoded_bytes": 1024, "decoded_bytes": 1024}
FIGURES = {
    "decoded_mib": 48,
    "cores": 2,
    "rows": [
        {**HEAD, "runtime": "Intel", "form": "fused", "gb_per_s": 4.5},
        {**HEAD, "runtime": "Intel", "form": "unfused", "gb_per_s": 3.5},
        {**HEAD, "runtime": "halide", "form": "rival", "gb_per_s": 5.5},
        {**HEAD, "runtime": "host", "form": "plain read", "gb_per_s": 20.5},
        {**HEAD, "runtime": "numba", "form": "rival", "left_out": "no module"},
    ],
}


def test_bars_and_a_roofline_are_drawn_for_each_kind_of_data(tmp_path: Path) -> None:
    draw(FIGURES, tmp_path)
    bars = (tmp_path / "cpu-bars-dense.svg").read_text()
    assert "Intel, fused" in bars and "4.50" in bars and "numba" not in bars
    assert "plain read, 20.5 GB/s" in (tmp_path / "cpu-roofline-dense.svg").read_text()


def test_the_same_figures_give_the_same_files(tmp_path: Path) -> None:
    found = list[list[bytes]]()
    for _ in range(2):
        draw(FIGURES, tmp_path)
        found.append([path.read_bytes() for path in sorted(tmp_path.iterdir())])
    assert found[0] == found[1]
