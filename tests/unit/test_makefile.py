"""What `make` does before it runs anything, and which tests each of its targets runs."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support.documents import ROOT

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
"""Without what a `make` that runs the tests tells those that it starts."""


def make(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `make` in the checkout."""
    command = ["make", *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def is_set_up(venv: Path) -> bool:
    """Whether `make` takes the environment as it is; installs nothing."""
    status = make("--question", "setup", f"VENV={venv}").returncode
    assert status in (0, 1)
    return status == 0


def installed(venv: Path) -> Path:
    """Make the files by which `make` knows an environment; where its packages are."""
    packages = venv / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (venv / "bin").mkdir()
    (venv / "bin" / "pip").touch()
    (packages / "__editable__.vyre-0.1.0.pth").touch()
    (venv / ".installed").touch()
    return packages


def test_an_environment_is_set_up_once(tmp_path: Path) -> None:
    installed(tmp_path / "venv")
    assert is_set_up(tmp_path / "venv")
    assert not is_set_up(tmp_path / "other")


def test_a_copy_in_place_of_the_checkout_is_noticed(tmp_path: Path) -> None:
    packages = installed(tmp_path / "venv")
    (packages / "__editable__.vyre-0.1.0.pth").rename(packages / "__editable__.vyre_tape-0.1.0.pth")
    assert not is_set_up(tmp_path / "venv")


@pytest.mark.slow
def test_what_pip_installs_is_noticed(tmp_path: Path) -> None:
    source, venv = tmp_path / "source", tmp_path / "venv"
    left_out = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "tests")
    shutil.copytree(ROOT, source, symlinks=True, ignore=left_out)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    packages = next(venv.glob("lib/python*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (venv / "bin" / "pip").touch()
    found = list[bool]()
    for how in ("--editable", "--force-reinstall", "--editable"):
        offline = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation")
        pip = [venv / "bin" / "python", "-m", "pip", "install", *offline]
        subprocess.run([*pip, how, source], check=True)
        (venv / ".installed").touch()
        found.append(is_set_up(venv))
    assert found == [True, False, True]


def test_make_says_what_it_installs(tmp_path: Path) -> None:
    lines = make("--dry-run", "demo", f"VENV={tmp_path / 'venv'}").stdout.splitlines()
    (says,) = (number for number, line in enumerate(lines) if line.startswith("echo "))
    (installs,) = (number for number, line in enumerate(lines) if " install " in line)
    assert says < installs
    assert re.search(r"installing vyre.* GB", "".join(lines[says:installs]))


def test_no_test_is_in_no_target() -> None:
    """What `make test` leaves out by a mark is in `make test-slow`; `make test-all` is both."""
    quick, slow = "'not slow'", "'slow or hypothesis'"
    marks = {
        target: re.findall(r"pytest .* -m ('[^']+')", make("--dry-run", target).stdout)
        for target in ("pytest", "test", "test-slow", "test-all")
    }
    assert marks == {
        "pytest": [quick],
        "test": [quick],
        "test-slow": [slow],
        "test-all": [quick, slow],
    }
