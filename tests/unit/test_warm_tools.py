"""The clients of `support/warm_tools.py` do what the tools do that they stand for."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import warm_tools

COLD = Path(sys.executable).parent
COMMANDS = {
    "output": (["xdsl-opt", "-p", "canonicalize"], "builtin.module {\n}\n"),
    "diagnostic": (["xdsl-opt"], '"no.such"() : () -> ()\n'),
    "file": (["filecheck", "checks.txt"], "seen\n"),
    "usage": (["filecheck"], ""),
}


@pytest.fixture(scope="module")
def warm() -> Path:
    """The folder of the clients."""
    return warm_tools.start()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("arguments", "text"), COMMANDS.values(), ids=COMMANDS)
def test_a_client_does_as_the_tool_does(
    arguments: list[str], text: str, warm: Path, tmp_path: Path
) -> None:
    """Status and output are those of the tool; only tracebacks lie elsewhere."""
    (tmp_path / "checks.txt").write_text("CHECK: seen\n")
    ends = [_run(folder, arguments, text, tmp_path) for folder in (COLD, warm)]
    assert ends[0].returncode == ends[1].returncode
    assert ends[0].stdout == ends[1].stdout
    assert ends[0].stderr.splitlines()[-1:] == ends[1].stderr.splitlines()[-1:]


def _run(
    folder: Path, arguments: list[str], text: str, cwd: Path
) -> subprocess.CompletedProcess[str]:
    command = [str(folder / arguments[0]), *arguments[1:]]
    return subprocess.run(command, input=text, capture_output=True, text=True, cwd=cwd, check=False)
