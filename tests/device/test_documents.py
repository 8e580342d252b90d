"""Every command that README and the manual show does what they say, with what `pip` brings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.devices import only_from_pip
from support.documents import PAGES, commands_of, run_commands

VENV = Path(sys.prefix)

# Their commands need a package beside vyre, or a cluster: test_extension.py and
# test_distributed_docs.py beside this file run them.
ELSEWHERE = ("extending.md", "extension/README.md", "distributed.md")
WITH_COMMANDS = [page for page in PAGES if commands_of(page) and not str(page).endswith(ELSEWHERE)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=() if page.name == "README.md" else pytest.mark.slow)
        for page in WITH_COMMANDS
    ],
    ids=lambda page: page.name,
)
@pytest.mark.device
def test_the_commands_work(
    page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = only_from_pip(tmp_path_factory.mktemp("vendors"))
    assert run_commands(page, tmp_path, VENV, settings)


def test_the_pages_show_commands() -> None:
    assert {"README.md", "command-line.md", "fusion.md"} <= {page.name for page in WITH_COMMANDS}


@pytest.mark.device
def test_runtimes_of_the_system_are_hidden(tmp_path: Path) -> None:
    settings = only_from_pip(tmp_path)
    if not settings:
        pytest.skip("pip brings no OpenCL runtime for this processor")
    done = subprocess.run(
        [VENV / "bin" / "vyre", "run", "-", "--device", "portable"],
        env=os.environ | settings,
        input="vyre.program @p {}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "unknown device 'portable'" in done.stderr
