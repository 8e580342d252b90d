"""
Builds what is published, checks it in a bare environment, and cuts the changelog.

    python tools/release.py check           build wheel and sdist into dist/, and try them out
    python tools/release.py cut 0.2.0       name the unreleased changes, and set the version
    python tools/release.py tag             commit what `cut` changed, and tag it

Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import venv
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
UNRELEASED = "## [Unreleased]"
VERSIONED = {
    "pyproject.toml": r'(?<=^version = ")[^"]+',
    "CITATION.cff": r"(?<=^version: ).+",
}
"""Where the version stands."""
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_PROGRAM = """vyre.program @words {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "word" in %text count %count
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}
"""


class ReleaseError(Exception):
    """Why something cannot be released, in one line."""


def main(arguments: list[str] | None = None) -> int:
    """Carry a step out; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("check")
    steps.add_parser("cut").add_argument("version")
    steps.add_parser("tag")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.step == "check":
            check(build(ROOT / "dist"))
        elif chosen.step == "cut":
            cut(ROOT, chosen.version, date.today())
        else:
            tag()
    except ReleaseError as error:
        print(f"release: error: {error}", file=sys.stderr)
        return 1
    return 0


def run(*command: str | Path, given: str = "") -> str:
    """What a command prints. Raises ReleaseError where it fails."""
    done = subprocess.run(
        list(map(str, command)), cwd=ROOT, input=given, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or [""]
        raise ReleaseError(f"'{' '.join(map(str, command))}' failed: {said[-1]}")
    return done.stdout


# Distributions.


def build(folder: Path) -> list[Path]:
    """A wheel and an sdist, in a folder that had none."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("vyre-*"):
        old.unlink()
    for kind in ("wheel", "sdist"):
        code = f"from setuptools import build_meta as b; b.build_{kind}({str(folder)!r})"
        run(sys.executable, "-c", code)
    return sorted(folder.glob("vyre-*"))


def check(distributions: list[Path]) -> None:
    """Install each into an environment that has nothing else, and run a program by it."""
    if len(distributions) != 2:
        raise ReleaseError(f"expected a wheel and an sdist, got {len(distributions)} files")
    for each in distributions:
        with tempfile.TemporaryDirectory() as folder:
            try_out(each, Path(folder))
        print(f"{each.name}: works in a bare environment")


def try_out(distribution: Path, folder: Path) -> None:
    """Raise ReleaseError unless the commands of a distribution do what they should."""
    venv.create(folder, with_pip=True)
    tools = folder / "bin"
    run(tools / "python", "-m", "pip", "install", "--quiet", distribution)
    version = distribution.name.removesuffix(".tar.gz").split("-")[1]
    printed = {
        "the version": (run(tools / "vyre", "--version"), f"vyre {version}"),
        "a run": (
            run(
                *(tools / "vyre", "run", "-", "--device", "reference"),
                *("--input", "text=text:a word"),
                given=_PROGRAM,
            ),
            "count = [1]",
        ),
        "a pass": (run(tools / "xdsl-opt", "-p", "vyre-expand", given=_PROGRAM), "vyre.region"),
    }
    for what, (found, expected) in printed.items():
        if expected not in found:
            raise ReleaseError(f"{distribution.name}: {what} has no '{expected}'")


# Versions.


def cut(root: Path, version: str, day: date) -> None:
    """Let the unreleased changes be those of a version, and set the version everywhere."""
    if not _VERSION.fullmatch(version):
        raise ReleaseError(f"expected a version like 0.2.0, got '{version}'")
    changelog = root / "CHANGELOG.md"
    changelog.write_text(cut_changelog(changelog.read_text(), version, day))
    for name, pattern in VERSIONED.items():
        path = root / name
        text, count = re.subn(pattern, version, path.read_text(), count=1, flags=re.MULTILINE)
        if not count:
            raise ReleaseError(f"'{name}' has no version")
        path.write_text(text)


def cut_changelog(text: str, version: str, day: date) -> str:
    """The changelog with a heading for a version below one for what comes next."""
    before, heading, after = text.partition(f"{UNRELEASED}\n")
    changes = re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0]
    if not heading:
        raise ReleaseError(f"the changelog has no '{UNRELEASED}'")
    if not re.search(r"^- ", changes, re.MULTILINE):
        raise ReleaseError("the changelog has no unreleased changes")
    if f"## [{version}]" in text:
        raise ReleaseError(f"the changelog has version {version} already")
    return f"{before}{heading}\n## [{version}] - {day.isoformat()}\n{after}"


def tag() -> None:
    """Commit the version and the changelog, and tag them. Nothing is pushed."""
    found = re.search(VERSIONED["pyproject.toml"], (ROOT / "pyproject.toml").read_text(), re.M)
    if found is None:
        raise ReleaseError("'pyproject.toml' has no version")
    check_changes({line[3:] for line in run("git", "status", "--porcelain").splitlines()})
    run("git", "commit", "-qam", f"Release {found[0]}")
    run("git", "tag", "-a", f"v{found[0]}", "-m", f"vyre {found[0]}")


def check_changes(changed: set[str]) -> None:
    """Raise ReleaseError unless `cut` made all changes; the version may have been set before it."""
    if not {"CHANGELOG.md"} <= changed <= {"CHANGELOG.md", *VERSIONED}:
        others = ", ".join(sorted(changed)) or "none"
        raise ReleaseError(f"expected the changes that 'cut' makes and no other, got {others}")


if __name__ == "__main__":
    sys.exit(main())
