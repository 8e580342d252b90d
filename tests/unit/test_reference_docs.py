"""The reference page is what the docstrings say today, and its example runs."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from vyre_dialect.dialect import Vyre
from vyre_dialect.runtime.cli import COMMANDS
from vyre_dialect.universe import PASSES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference.md").read_text()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "page",
    [
        *("reference", "reference-ops", "reference-commands"),
        pytest.param("reference-passes", marks=pytest.mark.slow),
    ],
)
def test_the_page_is_made_from_the_sources(page: str) -> None:
    command = [sys.executable, f"tools/{page.replace('-', '_')}.py"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert made.stdout == (ROOT / "docs" / f"{page}.md").read_text(), "run 'make reference'"


@pytest.fixture(name="reference_ops")
def _reference_ops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that makes the page of ops, over a folder of its own."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    module = import_module("reference_ops")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_what_lit_leaves_behind_is_no_case(reference_ops: ModuleType, tmp_path: Path) -> None:
    cases = tmp_path / reference_ops.TESTS
    (cases / "Output").mkdir(parents=True)
    (cases / "ops.mlir").write_text("case")
    (cases / "Output" / "ops.mlir.tmp.mlir").write_text("an op that is gone")
    assert list(reference_ops.cases_of_tests()) == ["case"]


def headings(page: str) -> set[str]:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    return set(re.findall(r"^##+ `([^`]+)`$", text, re.MULTILINE))


def test_every_op_has_a_section_with_its_effects_and_an_example() -> None:
    assert headings("reference-ops") == {op.name for op in Vyre.operations}
    text = (ROOT / "docs" / "reference-ops.md").read_text()
    for section in text.split("\n### ")[1:]:
        name = section.split("`")[1]
        assert "\nEffects: " in section, name
        assert name in section.partition("```mlir\n")[2], name


def test_every_pass_has_a_section_with_what_it_makes_of_a_program() -> None:
    assert headings("reference-passes") == set(PASSES)
    text = (ROOT / "docs" / "reference-passes.md").read_text()
    without = {s.split("`")[1] for s in text.split("\n## ")[1:] if "```mlir" not in s}
    assert without <= {"vyre-join-programs"}


def test_every_command_has_a_section() -> None:
    names = {command.__name__.rpartition(".")[2].replace("_", "-") for command in COMMANDS}
    assert headings("reference-commands") == {f"vyre {name}" for name in names}


@pytest.mark.parametrize(
    "name",
    [
        *("`shuffle(", "`select(", "`to(", "`a // b`", "`vyre.decode.base64`: `Base64Op("),
        *("`class HasAccessesInterface", "`class HasExpansionInterface", "`get_accesses"),
        *("`class DecodeOp", "`if_(", "`for_(", "`compile_module(", "`class Executor("),
        *("| `vyre-decode-scan-fuse` | arms |", "`class Edits`", "`class Observer`"),
    ],
)
def test_what_is_looked_for_is_there(name: str) -> None:
    assert name in PAGE


def test_nothing_stands_there_without_a_word() -> None:
    assert not re.findall(r"^(?:- `\w+\(.*`|\*\*`.*`\*\*): *$", PAGE, re.MULTILINE)


@pytest.mark.device
def test_its_example_compiles_once_and_runs_often(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(ROOT)
    exec(code, {})
    assert capsys.readouterr().out.startswith("[0] [")
