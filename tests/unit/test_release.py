"""What is published is checked, and what a public forge is told of the project holds."""

from __future__ import annotations

import re
import sys
import tomllib
from datetime import date
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.documents import ROOT
from support.links import broken_links

GITHUB = ROOT / ".github"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DAY = date(2026, 12, 1)
CHANGELOG = (
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a thing\n\n## [0.1.0] - 2026-01-01\n\n- all\n"
)


def loaded() -> ModuleType:
    spec = spec_from_file_location("release", ROOT / "tools" / "release.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["release"] = module
    spec.loader.exec_module(module)
    return module


RELEASE: Any = loaded()


def yaml_of(path: Path) -> Any:
    return pytest.importorskip("yaml").safe_load(path.read_text())


# The changelog and the version.


def test_unreleased_changes_become_those_of_a_version() -> None:
    cut = RELEASE.cut_changelog(CHANGELOG, "0.2.0", DAY)
    assert "## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- a thing\n" in cut
    assert cut.count("## [0.1.0]") == 1


@pytest.mark.parametrize(
    ("text", "version", "message"),
    [
        ("# Changelog\n", "0.2.0", "has no '## \\[Unreleased\\]'"),
        (CHANGELOG.replace("- a thing\n", ""), "0.2.0", "no unreleased changes"),
        (CHANGELOG, "0.1.0", "has version 0.1.0 already"),
    ],
)
def test_a_changelog_that_cannot_be_cut_is_refused(text: str, version: str, message: str) -> None:
    with pytest.raises(RELEASE.ReleaseError, match=message):
        RELEASE.cut_changelog(text, version, DAY)


def test_a_version_is_set_everywhere(tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    for name in RELEASE.VERSIONED:
        (tmp_path / name).write_text((ROOT / name).read_text())
    RELEASE.cut(tmp_path, "7.8.9", DAY)
    assert 'version = "7.8.9"' in (tmp_path / "pyproject.toml").read_text()
    assert "\nversion: 7.8.9\n" in (tmp_path / "CITATION.cff").read_text()
    assert "cff-version: 1.2.0\n" in (tmp_path / "CITATION.cff").read_text()


def test_what_is_no_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert RELEASE.main(["cut", "two"]) == 1
    assert capsys.readouterr().err == ("release: error: expected a version like 0.2.0, got 'two'\n")


def test_the_changelog_of_the_project_can_be_cut() -> None:
    # Right after a release there is nothing to cut.
    text = (
        (ROOT / "CHANGELOG.md")
        .read_text()
        .replace("[Unreleased]\n", "[Unreleased]\n\n- This.\n", 1)
    )
    assert "## [99.0.0] - 2026-12-01" in RELEASE.cut_changelog(text, "99.0.0", DAY)


@pytest.mark.parametrize(
    ("changed", "is_release"),
    [
        ({"CHANGELOG.md", "pyproject.toml", "CITATION.cff"}, True),
        ({"CHANGELOG.md"}, True),
        ({"pyproject.toml", "CITATION.cff"}, False),
        ({"CHANGELOG.md", "README.md"}, False),
        (set[str](), False),
    ],
)
def test_only_what_was_cut_is_tagged(changed: set[str], *, is_release: bool) -> None:
    if is_release:
        RELEASE.check_changes(changed)
        return
    with pytest.raises(RELEASE.ReleaseError, match="expected the changes that 'cut' makes"):
        RELEASE.check_changes(changed)


@pytest.mark.slow
def test_what_is_built_works_in_a_bare_environment(tmp_path: Path) -> None:
    RELEASE.check(RELEASE.build(tmp_path))


def test_what_does_not_work_is_not_released(tmp_path: Path) -> None:
    with pytest.raises(RELEASE.ReleaseError, match="expected a wheel and an sdist, got 0 files"):
        RELEASE.check([])
    with pytest.raises(RELEASE.ReleaseError, match="failed"):
        RELEASE.run(sys.executable, "-c", "import nothing_like_it")
    del tmp_path


# What a forge is told.


def test_every_python_that_is_supported_is_tested() -> None:
    jobs = yaml_of(GITHUB / "workflows" / "ci.yml")["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert f">={matrix['python'][0]}" == PROJECT["project"]["requires-python"]
    assert {each["xdsl"] for each in matrix["include"]} == {"next"}
    assert "next" in jobs["tests"]["continue-on-error"]


def test_jobs_run_what_there_is() -> None:
    makefile = (ROOT / "Makefile").read_text()
    jobs = yaml_of(GITHUB / "workflows" / "ci.yml")["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    targets = [name for each in commands if each.startswith("make ") for name in each.split()[1:]]
    assert {"setup", "lint", "types", "lit", "pytest", "docs", "coverage"} <= set(targets)
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in targets)
    scripts = {word for each in commands for word in each.split() if "/" in word}
    in_tree = {each for each in scripts if not each.startswith((".venv", '"'))}
    assert all((ROOT / each).exists() for each in in_tree), in_tree


def test_hooks_check_by_the_version_that_tests_have() -> None:
    (pinned,) = (
        each for each in PROJECT["project"]["optional-dependencies"]["dev"] if "ruff" in each
    )
    hooks = yaml_of(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    used = [each["additional_dependencies"] for each in hooks if "ruff" in each["id"]]
    assert used == [[pinned], [pinned]]


def test_a_citation_names_the_version() -> None:
    citation = yaml_of(ROOT / "CITATION.cff")
    assert citation["version"] == PROJECT["project"]["version"]
    assert {"cff-version", "title", "message", "authors"} <= set(citation)


@pytest.mark.parametrize("name", ["bug_report", "feature_request"])
def test_forms_of_issues_ask_for_something(name: str) -> None:
    form = yaml_of(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml")
    assert {"name", "description", "body"} <= set(form)
    assert all({"type", "id", "attributes"} <= set(each) for each in form["body"])


@pytest.mark.parametrize("page", sorted(GITHUB.glob("*.md")), ids=lambda page: page.name)
def test_links_of_its_pages_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_pages_that_a_forge_looks_for_are_there() -> None:
    found = {page.name for page in GITHUB.glob("*.md")}
    assert found == {"CODE_OF_CONDUCT.md", "SECURITY.md", "PULL_REQUEST_TEMPLATE.md"}
