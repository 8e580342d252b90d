"""The program that the page on columns shows prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.documents import ROOT, blocks_of
from support.parquet_values import pa

PAGE = ROOT / "docs" / "columns.md"


@pytest.mark.slow
def test_the_program_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pa
    (program,) = [text for language, text in blocks_of(PAGE) if language == "python"]
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    assert capsys.readouterr().out.splitlines() == re.findall("^# (.*)$", program, re.MULTILINE)
