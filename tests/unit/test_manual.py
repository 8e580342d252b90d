"""The manual is a site: every page has its place in it, and nothing in it needs a network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from support.browser import DESK, PHONE, WIDER_THAN_THE_SCREEN, Scheme, address, shown
from support.documents import ROOT
from support.links import targets_of

import vyre

CONFIG = (ROOT / "mkdocs.yml").read_text()
OUTSIDE = {"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md"}


def pages_in_navigation() -> list[str]:
    navigation = CONFIG.partition("\nnav:\n")[2].partition("\n\n")[0]
    return re.findall(r"(\S+\.md)$", navigation, re.MULTILINE)


def test_every_page_has_one_place_in_the_navigation() -> None:
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    assert sorted(pages_in_navigation()) == sorted(pages | OUTSIDE)


def test_the_navigation_has_the_parts_of_a_manual() -> None:
    parts = re.findall(
        r"^  - (Learn|Understand|Reference|Compare|Glossary|Changelog)", CONFIG, re.M
    )
    assert parts == ["Learn", "Understand", "Reference", "Compare", "Glossary", "Changelog"]


def test_every_public_name_is_in_the_reference() -> None:
    named = re.findall(r"^::: \S+\.(\w+)$", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(vyre.__all__)


def test_every_public_name_says_what_it_is() -> None:
    assert [name for name in vyre.__all__ if not getattr(vyre, name).__doc__] == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does it; a warning is an error."""
    pytest.importorskip("mkdocs", reason="the extra 'docs' is not installed")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "http_proxy": "nowhere:1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.mark.slow
def test_every_page_is_built(site: Path) -> None:
    for page in pages_in_navigation():
        name = page.replace("README.md", "index.md").replace(".md", ".html")
        assert (site / name).exists(), page


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loading = (
        r"<(?:script|img|source|iframe|link rel=.?(?:stylesheet|preconnect|icon).?)\s[^>]*https?://"
    )
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    assert [page.name for page in pages if re.search(loading, page.read_text())] == []
    styles = [style.read_text() for style in site.rglob("*.css")]
    assert not any(re.search(r"@import|url\(['\"]?https?:", style) for style in styles)


@pytest.mark.slow
def test_links_to_files_of_the_project_lead_to_copies(site: Path) -> None:
    text = (site / "schedules.html").read_text()
    assert 'href="passes/schedule/gpu.mlir"' in text
    assert (site / "passes/schedule/gpu.mlir").read_text().startswith("//")
    assert "../passes/schedule/gpu.mlir" in targets_of(ROOT / "docs" / "schedules.md")
    assert "gate-cpu.json" in (site / "benchmarks/results/files.txt").read_text()


@pytest.mark.slow
def test_what_readers_look_for_is_found_by_the_search(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    for words in ("vyre.decode.base64", "vyre-decode-scan-fuse", "cross-workgroup", "--device"):
        assert any(words in entry["text"] + entry["title"] for entry in entries), words


@pytest.mark.slow
def test_signatures_of_public_names_are_shown(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "api.html").read_text())
    for words in ("repeat: int = 1", "RunResult", "Raises a VyreError", "live_out: bool = False"):
        assert words in text, words


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_first_page_is_shown_with_its_picture(
    browser: Browser, site: Path, width: int, scheme: Scheme
) -> None:
    with shown(browser, address(site / "index.html"), width, scheme) as found:
        assert found.page.locator("article h1").is_visible()
        drawn = (
            "() => [...document.images].filter(each => !each.naturalWidth).map(each => each.src)"
        )
        assert found.asked(drawn) == []
        assert found.page.locator("article img").is_visible()
        assert found.asked(WIDER_THAN_THE_SCREEN) == []
        assert found.complaints == []


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_the_search_works_from_a_folder(browser: Browser, site: Path) -> None:
    with shown(browser, address(site / "index.html"), DESK, "light") as found:
        asked = found.page.locator("[data-md-component=search-query]")
        asked.click()
        asked.press_sequentially("cross-workgroup")
        found.page.locator(".md-search-result__item").first.wait_for()
        assert found.complaints == []


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_every_page_fits_a_phone(browser: Browser, site: Path) -> None:
    for page in pages_in_navigation():
        path = site / page.replace("README.md", "index.md").replace(".md", ".html")
        with shown(browser, address(path), PHONE, "light") as found:
            assert found.asked(WIDER_THAN_THE_SCREEN) == [], page
            assert found.complaints == [], page
