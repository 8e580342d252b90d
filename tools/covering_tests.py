"""Which tests run which lines, and how long each takes, as one run of the quick tests has it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

LINES, TIMES, CONFIG = "lines.coverage", "times.xml", "coverage.ini"
_SETTINGS = """[run]
source_pkgs = vyre,vyre_dialect
disable_warnings = module-not-measured
"""
_UNKNOWN_SECONDS = 60.0


@dataclass(frozen=True)
class CoveringTests:
    """What a run of the quick tests of a tree has said."""

    tree: Path
    data: CoverageData
    seconds: dict[str, float]

    @classmethod
    def recorded(cls, tree: Path, folder: Path) -> CoveringTests:
        """What `folder` holds of a run; without, the tests of `tree` run, and it is kept there."""
        folder = folder.resolve()
        if not (folder / LINES).exists():
            _run_tests(tree, folder)
        data = CoverageData(str(folder / LINES))
        data.read()
        return cls(tree, data, _seconds(folder / TIMES))

    def of(self, path: str, lines: range | None) -> list[str]:
        """The tests that run some of the lines of a file, or any, the fastest first."""
        found = self.data.contexts_by_lineno(os.path.realpath(self.tree / path))
        wanted = found if lines is None else [each for each in lines if each in found]
        tests = {context.partition("|")[0] for line in wanted for context in found[line]} - {""}
        return sorted(tests, key=lambda test: (self._seconds_of(test), test))

    def _seconds_of(self, test: str) -> float:
        return self.seconds.get(_key(test), _UNKNOWN_SECONDS)


def _run_tests(tree: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_text(_SETTINGS)
    command = [sys.executable, "-m", "pytest", "-q", "-n2", "-m", "not slow"]
    command += ["--cov", f"--cov-config={folder / CONFIG}", "--cov-context=test", "--cov-report="]
    environment = {"PYTHONPATH": str(tree), "COVERAGE_FILE": str(folder / LINES)}
    subprocess.run(
        [*command, f"--junitxml={folder / TIMES}", "tests"],
        cwd=tree,
        env=os.environ | environment,
        check=True,
    )


def _seconds(times: Path) -> dict[str, float]:
    """How long each test took, by its key."""
    cases = ElementTree.parse(times).iter("testcase")
    return {
        f"{each.get('classname')}.{each.get('name')}": float(each.get("time", 0)) for each in cases
    }


def _key(test: str) -> str:
    """`tests/unit/test_a.py::test_b[1]` as results name it: `tests.unit.test_a.test_b[1]`."""
    place, _, name = test.partition("::")
    return f"{place.removesuffix('.py').replace('/', '.')}.{name}"
