"""The commands that a page of the manual shows, and how they are run."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOT_RUN = ("make ", "pip install ", ". .venv/bin/activate")
"""What sets up the environment of the tests, or runs them; `make demo` has a test of its own."""


def blocks_of(page: Path) -> list[tuple[str, str]]:
    """The language and the text of each block of code."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


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


def prepare(folder: Path, page: Path) -> None:
    """Make the folder that the commands of a page run in: what they name, and its own programs."""
    for name in ("examples", "benchmarks"):
        (folder / name).symlink_to(ROOT / name)
    for language, block in blocks_of(page):
        if language == "mlir" and (name := re.match(r"// (\S+\.mlir)\n", block)):
            (folder / name[1]).write_text(block)


def run_commands(page: Path, folder: Path, tools: Path) -> int:
    """
    Run the commands of a page in order, with the tools of a folder, and assert that each succeeds
    and prints what is shown, apart from times and the names of devices. Gives how many ran.
    """
    prepare(folder, page)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    commands = commands_of(page)
    for command, shown in commands:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        for line in shown:
            if not re.search(r"\d\.\d| on .*\(|  +GB/s", line):
                assert line in done.stdout.splitlines(), f"{command}\n{line}\n{done.stdout}"
    return len(commands)
