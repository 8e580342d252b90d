"""The commands that a page of the manual shows, and how they are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.printed import same_but_for_machine

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
NOT_RUN = "make "
"""What runs the tests, and the demo, which has a test of its own."""
CHANGES_SHELL = (". ", "source ")
"""What holds for the commands after it, too."""


def blocks_of(page: Path) -> list[tuple[str, str]]:
    """The language and the text of each block of code."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def first_program(page: Path) -> str:
    """The first program that the page shows."""
    return next(block for language, block in blocks_of(page) if language == "mlir")


def commands_of(page: Path) -> list[tuple[str, list[str]]]:
    """Each command that the page shows, with the lines that it shows below as printed."""
    found = list[tuple[str, list[str]]]()
    for language, block in blocks_of(page):
        for line in block.splitlines() if not language else ():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found and block.startswith("$ "):
                found[-1][1].append(line)
    return [(command, printed) for command, printed in found if not command.startswith(NOT_RUN)]


def prepare(folder: Path, page: Path, venv: Path) -> None:
    """Make the folder that the commands of a page run in look like the checkout after `make`.

    What a command installs from is copied, since to build is to write there.
    """
    (folder / ".venv").symlink_to(venv)
    for name in ("benchmarks", "passes"):
        (folder / name).symlink_to(ROOT / name)
    built = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "Output")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=built)
    for language, block in blocks_of(page):
        if language == "mlir" and (name := re.match(r"// (\S+\.mlir)\n", block)):
            (folder / name[1]).write_text(block)


def run_commands(page: Path, folder: Path, venv: Path, settings: Mapping[str, str]) -> int:
    """
    Run the commands of a page in order, in a new folder, with the tools of an environment and with
    caches of their own, as somebody has it who starts with the page; gives how many ran.

    Asserts that each succeeds, and that what is shown below it is all that it prints to standard
    output, but for what differs between machines. `settings` are variables of the environment.
    """
    prepare(folder, page, venv)
    environment = os.environ | {
        "PATH": f"{venv / 'bin'}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "XDG_CACHE_HOME": str(folder / "cache"),
        **settings,
    }
    # The tests turn off what has been tuned; here, nothing has.
    del environment["VYRE_AUTOTUNER"]
    before, commands = list[str](), commands_of(page)
    for command, shown in commands:
        printed = _run([*before, command], folder, environment)
        if command.startswith(CHANGES_SHELL):
            before.append(command)
        expected = "\n".join(shown)
        assert not shown or same_but_for_machine(expected, printed), (
            f"{page.name}: {command}\nshown:\n{expected}\nprinted:\n{printed}"
        )
    return len(commands)


def _run(commands: Sequence[str], folder: Path, environment: Mapping[str, str]) -> str:
    """What the commands print in a shell, of which the last must succeed."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", "\n".join(commands)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{commands[-1]}\n{done.stdout}\n{done.stderr}"
    return done.stdout
