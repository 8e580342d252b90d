"""Commands that are run where there is a program, its input, and some files to trip over."""

from pathlib import Path

import numpy as np
import pytest
from support.commands import DOUBLE, VALUES, Outcome, Vyre
from support.devices import small_device
from support.explained import ALONE, COVERED, NOT_COVERED, Explain, only

from vyre_dialect.runtime.cli import main


@pytest.fixture
def vyre(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Vyre:
    """Runs a command in a folder that holds a program, its input, and some files to trip over."""
    monkeypatch.chdir(tmp_path)
    Path("double.mlir").write_text(DOUBLE)
    Path("values").write_bytes(np.array(VALUES, "<i4").tobytes())
    Path("short").write_bytes(b"abc")
    Path("malformed.mlir").write_text("vyre.program @p {")
    Path("invalid.mlir").write_text(DOUBLE.replace("4xi32, read_only", "0xi32, read_only"))
    Path("empty.mlir").write_text("builtin.module {}")
    Path("two.mlir").write_text(DOUBLE + DOUBLE.replace("@double {", "@other {"))
    Path("huge.mlir").write_text(DOUBLE.replace("4xi32, read_write", f"{10**14}xi32, read_write"))
    Path("folder").mkdir()

    def run(*arguments: str) -> Outcome:
        status = main(arguments)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


@pytest.fixture
def explain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Explain:
    """
    Runs `vyre explain` in a folder with programs, where there is one device with workgroup memory
    of its own; gives its status, output and errors.
    """
    only(monkeypatch, small_device(16384, has_own_local_mem=True))
    monkeypatch.chdir(tmp_path)
    Path("covered.mlir").write_text(COVERED)
    Path("not_covered.mlir").write_text(NOT_COVERED)
    Path("alone.mlir").write_text(ALONE)
    Path("malformed.mlir").write_text("vyre.program @p {")

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["explain", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
