"""Every link and image of every page leads to a file, and to a heading of it where it names one."""

from pathlib import Path

import pytest
from support.documents import PAGES, ROOT
from support.links import broken_links, fragments_of, targets_of

ALL_PAGES = [*PAGES, ROOT / "CHANGELOG.md"]


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_links_of_all_kinds_were_looked_at() -> None:
    targets = [target for page in ALL_PAGES for target in targets_of(page)]
    assert {
        "docs/command-line.md",
        "#cpus-next-to-what-people-use-instead",
        "reference.md",
        "../docs/cpu-roofline-dense.svg",
        "docs/chart-dark.svg",
    } <= set(targets)
    assert all(targets_of(ROOT / page) for page in ("README.md", "CONTRIBUTING.md"))


def test_every_page_is_looked_at() -> None:
    folders = ("", "docs", "benchmarks", "examples", "examples/extension")
    found = {page for folder in folders for page in (ROOT / folder).glob("*.md")}
    assert found == set(ALL_PAGES)


@pytest.mark.parametrize(
    "link",
    [
        "[text](no-such-file.md)",
        "![image](no-such.svg)",
        "[text](other.md#no-such-heading)",
        "[text](other.md#In-Code)",
        "[text](other.md#in-code)",
        "[text](#a-heading)",
        "[text](picture.svg#a-heading)",
        '[text](no-such-file.md "a title")',
        "[a\ntext](no-such-file.md)",
        '<img alt="image" src="no-such.svg">',
        '<picture><source srcset="no-such.svg"></picture>',
    ],
)
def test_a_broken_link_is_found(link: str, tmp_path: Path) -> None:
    make_pages(tmp_path, link)
    assert len(broken_links(tmp_path / "page.md")) == 1


@pytest.mark.parametrize(
    "link",
    [
        "[text](other.md)",
        "[text](other.md#a-heading)",
        "[text](other.md#a-heading-1)",
        "[text](#its-heading-of-2-parts)",
        "![image](picture.svg)",
        "[text](https://xdsl.dev/no-such-page)",
        "`buffer[i](no-such-file.md)`",
        "```\n[text](no-such-file.md)\n```",
    ],
)
def test_what_is_no_broken_link_is_not_found(link: str, tmp_path: Path) -> None:
    make_pages(tmp_path, link)
    assert broken_links(tmp_path / "page.md") == []


def make_pages(folder: Path, link: str) -> None:
    """Make a page with a link, and what it may lead to."""
    (folder / "picture.svg").touch()
    (folder / "page.md").write_text(f"# Its heading: of 2 *parts*\n\n{link}\n")
    (folder / "other.md").write_text("# A heading\n\n```\n# In code\n```\n\n## A heading\n")


def test_fragments_are_those_of_github(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# `vyre run`, step by step\n## xDSL's [passes](passes.md)\n### snake_case – a dash ##\n"
        "## Compile once, run often\n####### no heading\n"
    )
    assert list(fragments_of(page)) == [
        "vyre-run-step-by-step",
        "xdsls-passes",
        "snake_case--a-dash",
        "compile-once-run-often",
    ]
