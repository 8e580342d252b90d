"""Without the extra, the command says how to get it."""

from __future__ import annotations

import sys

import pytest

from vyre_dialect.runtime.cli import main


def test_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "vyre_dialect.runtime.lsp.server", raising=False)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert main(["lsp"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("vyre: error: editors need lsprotocol")
    assert "pip install 'vyre[lsp]'" in said
