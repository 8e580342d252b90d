"""The reference page is what the docstrings say today, and its example runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference.md").read_text()


def test_the_page_is_made_from_the_docstrings() -> None:
    command = [sys.executable, "tools/reference.py"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert made.stdout == PAGE, "run 'make reference'"


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
