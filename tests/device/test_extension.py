"""The package of examples/extension, installed from its wheel beside vyre's, as a user has it."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest
from support.devices import only_from_pip
from support.documents import run_commands

pytestmark = pytest.mark.device  # vyre chooses one itself

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "examples" / "extension"
PAGES = {
    ROOT / "docs" / "extending.md": 6,
    EXTENSION / "README.md": 4,
}
"""Where the package is shown, and in how many commands."""
TOOLS = ("lit", "filecheck", "xdsl-opt", "pip")
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
"""Lets `pip` install what is there; the second says no by 0, as its option turns something off."""
NOT_SOURCE = (".*", "build", "*.egg-info", "__pycache__", "tests", "benchmarks", "docs")


def succeed(*command: object, cwd: Path) -> str:
    """What a command prints; the test fails if it does."""
    arguments = [str(word) for word in command]
    done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheels of vyre and of the package."""
    folder = tmp_path_factory.mktemp("wheels")
    return build_wheel(ROOT, folder / "vyre"), build_wheel(EXTENSION, folder / "extension")


def build_wheel(source: Path, folder: Path) -> Path:
    """Build a wheel in a new folder, from a copy, since to build is to write there."""
    copy = folder / "source"
    shutil.copytree(source, copy, symlinks=True, ignore=shutil.ignore_patterns(*NOT_SOURCE))
    build = ("-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ".")
    succeed(sys.executable, *build, cwd=copy)
    (wheel,) = folder.glob("*.whl")
    return wheel


def make_environment(venv: Path, *wheels: Path) -> Path:
    """
    A fresh environment with some wheels. What they need comes from the environment of the tests,
    whose own vyre, installed in place, is not seen there.
    """
    folder = venv.parent
    succeed(sys.executable, "-m", "venv", "--without-pip", venv, cwd=folder)
    packages = next(venv.glob("lib/python*/site-packages"))
    install = ("-m", "pip", "--python", venv / "bin" / "python", "install", "-q")
    succeed(sys.executable, *install, "--no-deps", "--no-index", *wheels, cwd=folder)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return venv


@pytest.fixture(scope="module")
def environment(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with both wheels."""
    return make_environment(tmp_path_factory.mktemp("installed") / "venv", *wheels)


def add_tools(environment: Path) -> None:
    """Put the tools beside the interpreter that they are to run in."""
    python = environment / "bin" / "python"
    for entry in entry_points(group="console_scripts"):
        if entry.name not in TOOLS:
            continue
        script = environment / "bin" / entry.name
        main = f"import sys\nfrom {entry.module} import {entry.attr}\nsys.exit({entry.attr}())"
        script.write_text(f"#!{python}\n{main}\n")
        script.chmod(0o755)


@pytest.mark.slow
def test_the_wheels_are_what_is_imported(environment: Path) -> None:
    code = "import tape, vyre_dialect; print(tape.__file__, vyre_dialect.__file__)"
    python = environment / "bin" / "python"
    printed = succeed(python, "-c", code, cwd=environment).split()
    assert all(Path(path).is_relative_to(environment) for path in printed), printed


@pytest.mark.slow
def test_it_counts_what_python_counts(environment: Path, tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    tape = (generator.random(40_003) < 0.1).astype(np.uint8) * 255
    (tmp_path / "tape").write_bytes(tape.tobytes())
    command = (environment / "bin" / "vyre", "run", EXTENSION / "tape.mlir")
    printed = succeed(*command, "--input", "tape=tape", cwd=tmp_path)
    assert f"count = [{min(1000, dropouts(tape))}]" in printed


def dropouts(tape: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> int:
    """How often 4 zero bytes start on the second of four tracks."""
    track = tape[1 : len(tape) // 4 * 4 : 4]
    before = np.concatenate((np.zeros(1, np.uint8), track[:-1]))
    bits = track ^ (track << 1 | before >> 7)
    zero = bits == 0
    return sum(bool(zero[start : start + 4].all()) for start in range(len(zero) - 3))


def test_it_imports_nothing_private() -> None:
    files = [*EXTENSION.rglob("*.py")]
    assert len(files) > 5
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                is_private = node.attr.startswith("_") and not node.attr.endswith("__")
                assert not is_private, f"{path}: {node.attr}"
            if isinstance(node, ast.ImportFrom):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                private = [n for n in names if n.startswith("_") and n != "__future__"]
                assert not private, f"{path}: {private}"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_its_pages_work(
    page: Path, wheels: tuple[Path, Path], tmp_path: Path
) -> None:
    """One of them installs the package beside vyre, another runs its own tests."""
    for name in ("venv", "vendors", "run"):
        (tmp_path / name).mkdir()
    environment = make_environment(tmp_path / "venv", wheels[0])
    add_tools(environment)
    settings = OFFLINE | only_from_pip(tmp_path / "vendors")
    assert run_commands(page, tmp_path / "run", environment, settings) == PAGES[page]
    assert "vyre-tape" in succeed(environment / "bin" / "pip", "list", "--local", cwd=tmp_path)
