"""The chart of README shows what was recorded."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from support.browser import CROWDED, DESK, OVERLAPPING, TOO_SMALL, Scheme, shown

from benchmarks.chart import COLORS, bars_of

ROOT = Path(__file__).parents[2]
FIGURES = json.loads((ROOT / "benchmarks" / "results" / "cpu.json").read_text())


def test_each_example_has_its_bars() -> None:
    examples = bars_of(FIGURES)
    assert len(examples) == 5
    assert all([bar.label for bar in bars] == list(COLORS) for bars in examples.values())
    assert all(bars[-1].name for bars in examples.values())


def test_the_better_runtime_and_the_fastest_rival_count() -> None:
    rows = [
        {"data": "dense", "workload": "x", "form": form, "runtime": name, "gb_per_s": speed}
        for form, name, speed in (
            *(("fused", "one", 1.0), ("fused", "two", 2.0), ("unfused", "one", 0.5)),
            *(("rival", "slow", 0.1), ("rival", "fast", 0.9)),
        )
    ]
    fused, unfused, rival = bars_of({"rows": rows})["x"]
    assert (fused.gb_per_s, unfused.gb_per_s, rival.name) == (2.0, 0.5, "fast")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_drawn_chart_has_the_recorded_figures(theme: str) -> None:
    drawn = (ROOT / "docs" / f"chart-{theme}.svg").read_text()
    for bars in bars_of(FIGURES).values():
        assert all(f">{bar.gb_per_s:.1f}<" in drawn for bar in bars)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_words_of_the_chart_stand_apart(theme: Scheme, browser: Browser) -> None:
    with shown(browser, (ROOT / "docs" / f"chart-{theme}.svg").as_uri(), DESK, theme) as found:
        assert found.asked("() => [...document.querySelectorAll('svg text')].map(t => t.id)")
        for asked in (CROWDED, OVERLAPPING, TOO_SMALL):
            assert found.asked(asked) == []
