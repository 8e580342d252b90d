"""Every command that README and the manual show does what they say."""

import sys
from pathlib import Path

import pytest
from support.documents import ROOT, commands_of, run_commands

# Its commands need the package that the page is about: tests/device/test_extension.py runs them.
ELSEWHERE = "extending.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_COMMANDS = [page for page in PAGES if commands_of(page) and page.name != ELSEWHERE]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
@pytest.mark.device
def test_the_commands_work(page: Path, tmp_path: Path) -> None:
    assert run_commands(page, tmp_path, Path(sys.executable).parent)


def test_the_pages_show_commands() -> None:
    assert {"README.md", "command-line.md", "fusion.md"} <= {page.name for page in WITH_COMMANDS}
