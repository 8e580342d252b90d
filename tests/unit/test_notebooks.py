"""The notebooks run from their first cell to their last: as scripts, as apps, without a device."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from support.browser import CUT_OFF, DESK, ILLEGIBLE, OVERLAPPING, PHONE, Scheme, shown
from support.documents import ROOT, blocks_of
from support.notebooks import NOTEBOOKS, WITHOUT, run_script, served

each_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
ERRORS = "() => [...document.querySelectorAll('.marimo-error')].map(each => each.textContent)"


def drawn(notebook: Path) -> int:
    """How many cells end in a result of vyre, with its own display."""
    results = r"^    (?:words|run|vyre\.explain\(\w+\)|program|found|verdict|sales|sold|timed)$"
    return len(re.findall(results, notebook.read_text(), re.MULTILINE))


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_there_are_notebooks_and_the_manual_names_each() -> None:
    page = (ROOT / "docs" / "notebooks.md").read_text()
    assert len(NOTEBOOKS) >= 3
    assert [each.name for each in NOTEBOOKS if f"notebooks/{each.name}" not in page] == []


@each_notebook
def test_a_notebook_says_what_it_is_about(notebook: Path) -> None:
    assert ast.get_docstring(ast.parse(notebook.read_text()))


@pytest.mark.slow
@each_notebook
def test_every_cell_runs(notebook: Path) -> None:
    done = run_script(notebook)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@each_notebook
def test_every_cell_runs_without_devices_and_proofs(notebook: Path) -> None:
    done = run_script(notebook, "-c", WITHOUT)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_cell_that_fails_is_noticed(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    text = NOTEBOOKS[0].read_text()
    broken.write_text(text.replace("import vyre\n", "import vyre\n    1 / 0\n"))
    assert "ZeroDivisionError" in run_script(broken).stderr


def cells_are_shown(page: Page, notebook: Path) -> None:
    page.wait_for_function(
        "count => document.querySelectorAll('.vyre').length >= count", arg=drawn(notebook)
    )


@pytest.mark.slow
@pytest.mark.device
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize(("width", "scheme"), [(DESK, "light"), (PHONE, "dark")])
@each_notebook
def test_a_notebook_is_an_app(browser: Browser, notebook: Path, width: int, scheme: Scheme) -> None:
    with served(notebook, {}) as url, shown(browser, url, width, scheme) as found:
        cells_are_shown(found.page, notebook)
        assert found.asked(ERRORS) == []
        assert found.asked(CUT_OFF) == []
        assert found.asked(OVERLAPPING) == []
        assert found.asked(ILLEGIBLE) == []
        assert found.complaints == []
        assert [each for each in found.loaded if not each.startswith(url)] == []


@pytest.mark.slow
@pytest.mark.device
@pytest.mark.xdist_group("browser")
def test_what_is_typed_changes_what_is_shown(browser: Browser) -> None:
    notebook = ROOT / "docs" / "notebooks" / "first_program.py"
    with served(notebook, {}) as url, shown(browser, url, DESK, "light") as found:
        cells_are_shown(found.page, notebook)
        assert found.page.get_by_text("@count").first.is_visible()
        typed = found.page.get_by_role("textbox").first
        typed.fill("fish")
        typed.press("Enter")
        found.page.get_by_text('"fish"').first.wait_for()
        assert found.asked(ERRORS) == []


def test_the_commands_that_the_manual_shows_exist() -> None:
    ((_, block),) = blocks_of(ROOT / "docs" / "notebooks.md")
    commands = [line.partition("#")[0].split() for line in block.splitlines()]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert commands[0] == ["pip", "install", "'vyre[notebooks]'"]
    assert "notebooks" in extras
    for command in commands[1:]:
        *program, notebook = command
        assert ROOT / notebook in NOTEBOOKS
        assert program in (["marimo", "edit"], ["marimo", "run", "--include-code"], ["python"])
