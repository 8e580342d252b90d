"""The picture of README and of the manual's first page, on a desk and on a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from support.browser import CROWDED, CUT_OFF, DESK, OVERLAPPING, PHONE, TOO_SMALL, Scheme, shown

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("fusion", DESK), ("fusion-narrow", PHONE)])
def test_every_word_is_whole_and_legible(
    browser: Browser, name: str, width: int, scheme: Scheme
) -> None:
    with shown(browser, (DOCS / f"{name}.svg").as_uri(), width, scheme) as found:
        for asked in (CUT_OFF, CROWDED, OVERLAPPING, TOO_SMALL):
            assert found.asked(asked) == []


def test_both_show_the_same() -> None:
    wide, narrow = (
        re.findall(r"<rect class=.(\w+).", (DOCS / f"{name}.svg").read_text())
        for name in ("fusion", "fusion-narrow")
    )
    assert sorted(wide) == sorted(narrow)


@pytest.mark.parametrize(("width", "name"), [(DESK, "fusion.svg"), (PHONE, "fusion-narrow.svg")])
def test_a_page_shows_what_has_room(browser: Browser, width: int, name: str) -> None:
    (picture,) = re.findall(r"<picture>.*?</picture>", (DOCS / "index.md").read_text(), re.DOTALL)
    with shown(browser, "about:blank", width, "light") as found:
        found.page.set_content(f'<base href="{DOCS.as_uri()}/">{picture}')
        source = "() => [document.querySelector('img').currentSrc.split('/').pop()]"
        assert found.asked(source) == [name]
