"""The `vyre` command starts so that it can be interrupted from the first."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["vyre"]
MODULE, _, FUNCTION = SCRIPT.partition(":")
START = f"from {MODULE} import {FUNCTION} as main"
INTERRUPT = """
import os, signal, sys

where = sys.argv.pop()

def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)

class Named:
    __set_name__ = interrupt

class Interrupting:
    def find_spec(self, name, *_):
        if name == where:
            interrupt()

sys.meta_path.insert(0, Interrupting())
"""
"""Interrupts the process as it imports the module that the last argument names."""


def run_code(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "module",
    ["cli", "cli.lines", "cli.tune", "opencl.waiting", "opencl.devices"],
)
def test_an_interrupt_while_it_is_imported_is_one_line(module: str) -> None:
    done = run_code(
        f"{INTERRUPT}\n{START}\nsys.exit(main())", "devices", f"vyre_dialect.runtime.{module}"
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "vyre: interrupted\n")


@pytest.mark.parametrize("module", ["cli.lines", "opencl.devices"])
def test_an_interrupt_that_python_wraps_is_one_line(module: str) -> None:
    code = INTERRUPT.replace(
        "            interrupt()", "            type('Made', (), {'name': Named()})"
    )
    done = run_code(
        f"{code}\n{START}\nsys.exit(main())", "devices", f"vyre_dialect.runtime.{module}"
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "vyre: interrupted\n")


def test_an_interrupt_where_exceptions_are_ignored_ends_it_all_the_same() -> None:
    code = (
        "import os, signal, sys, time\n"
        "import vyre_dialect.runtime.cli as cli\n"
        "class Left:\n"
        "    def __del__(self): os.kill(os.getpid(), signal.SIGINT)\n"
        "def run():\n"
        "    Left()\n"
        "    time.sleep(60)\n"
        "cli.main = run\n"
        f"{START}\nsys.exit(main())"
    )
    done = run_code(code)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "vyre: interrupted\n")


def test_what_else_is_ignored_is_told_as_ever() -> None:
    code = (
        "import sys\n"
        "import vyre_dialect.runtime.cli as cli\n"
        "class Left:\n"
        "    def __del__(self): raise ValueError('left')\n"
        "cli.main = lambda: Left() and None\n"
        f"{START}\nsys.exit(main())"
    )
    done = run_code(code)
    assert done.returncode == 0
    assert done.stderr.endswith("ValueError: left\n")


def test_nothing_is_imported_before_it_can_be_interrupted() -> None:
    code = (
        f"import json, sys; before = set(sys.modules)\n{START}\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    assert json.loads(run_code(code).stdout) == ["vyre_dialect", "vyre_dialect.runtime", MODULE]


def test_it_returns_the_status_of_the_command() -> None:
    assert run_code(f"import sys\n{START}\nsys.exit(main())", "--help").returncode == 0
    assert run_code(f"import sys\n{START}\nsys.exit(main())", "fly").returncode == 2
