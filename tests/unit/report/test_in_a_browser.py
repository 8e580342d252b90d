"""How a report looks in a browser: on a desk and a phone, in light and dark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from support.browser import (
    CUT_OFF,
    DESK,
    ILLEGIBLE,
    OVERLAPPING,
    PHONE,
    TOO_SMALL,
    WIDER_THAN_THE_SCREEN,
    Scheme,
    address,
    difference,
    picture,
    shown,
)
from support.documents import ROOT, first_program

from vyre_dialect.runtime.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

SECTIONS = ["source", "verdicts", "stages", "memory", "timeline", "roofline", "search"]
REFERENCES = ROOT / "tests" / "data" / "screenshots"
"""What figures looked like when somebody had looked at them."""
FIGURES = {"fused": 0, "memory": 1, "refused": 0}
"""Which figure of its page each is."""
DIFFERENT = 0.01
"""The share of pixels that may differ: edges are smoothed differently by versions of a browser."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Reports of a program that fuses, and of one that does not, by what they show."""
    folder = tmp_path_factory.mktemp("reports")
    fused, refused = ROOT / "examples" / "delta_filter.mlir", folder / "shift.mlir"
    refused.write_text(first_program(ROOT / "docs" / "verdicts.md"))
    for name, file in {"fused": fused, "refused": refused}.items():
        page = folder / f"{name}.html"
        assert main(["report", str(file), "-o", str(page), "--device", "reference"]) == 0
    found = {name: address(folder / f"{name}.html") for name in ("fused", "refused")}
    return found | {"memory": found["fused"]}


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["fused", "refused"])
def test_a_page_is_whole_and_legible(
    browser: Browser, pages: dict[str, str], name: str, scheme: Scheme, width: int
) -> None:
    with shown(browser, pages[name], width, scheme) as found:
        assert all(found.page.locator(f"#{section} h2").is_visible() for section in SECTIONS)
        for stage in found.page.locator("details").all():
            stage.locator("summary").first.click()
        assert found.page.locator("details[open] pre").count() > 3
        assert found.asked(WIDER_THAN_THE_SCREEN) == []
        assert found.asked(CUT_OFF) == []
        assert found.asked(OVERLAPPING) == []
        assert found.asked(TOO_SMALL) == []
        assert found.asked(ILLEGIBLE) == []
        assert found.complaints == []


@pytest.mark.device
def test_times_are_drawn_whole(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    example = str(ROOT / "examples" / "delta_filter.mlir")
    assert main(["report", example, "-o", str(path), "--input", "encoded=zeros:40000"]) == 0
    with shown(browser, address(path), PHONE, "dark") as found:
        assert found.page.locator("#timeline svg rect").count() == 1
        assert found.page.locator("#roofline svg rect").count() > 2
        for asked in (WIDER_THAN_THE_SCREEN, CUT_OFF, OVERLAPPING, TOO_SMALL, ILLEGIBLE):
            assert found.asked(asked) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", FIGURES)
def test_figures_look_as_they_did(
    browser: Browser, pages: dict[str, str], name: str, scheme: Scheme
) -> None:
    """`VYRE_KEEP_SCREENSHOTS=1` keeps what is shown now, to be looked at and committed."""
    reference = REFERENCES / f"{name}-{scheme}.png"
    with shown(browser, pages[name], DESK, scheme) as found:
        seen = picture(found, FIGURES[name])
        if os.environ.get("VYRE_KEEP_SCREENSHOTS"):
            reference.write_bytes(seen)
        assert difference(found, reference.read_bytes(), seen) < DIFFERENT


def test_a_figure_that_is_not_drawn_is_noticed(browser: Browser, pages: dict[str, str]) -> None:
    with shown(browser, pages["fused"], DESK, "light") as found:
        drawn = picture(found, 0)
        found.page.add_style_tag(content="rect.tile { visibility: hidden; }")
        assert difference(found, drawn, picture(found, 0)) > DIFFERENT
