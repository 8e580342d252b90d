"""Lines of ignore files name what git has them name, in little time whatever they are."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from time import process_time

import pytest

from vyre_dialect.runtime.scanning.ignore_patterns import IgnorePatterns

PATHS = ("a", "b", "ab", "a/b", "b/a", "a/b/c", "c/a/b/d", "a*", "a ", "#a", "!a", "]", "a/x-y")
LINES = (
    *("a", "/a", "a/", "*", "?", "a*", "*b", "a/*", "a/b", "b/", "/b/a", "a**", "a*b*"),
    *("**", "**/b", "a/**", "a/**/c", "**/b/**", "c/**/d", "**/**/b", "a/**/b", "**/"),
    *("[ab]", "[!a]", "[^a]", "[a-c]/[a-c]", "[]]", "x[!/]y", "a/x[+--]y", "[c-a]", "[", "a["),
    *(r"a\*", r"\a", r"\#a", r"\!a", "#a", "!a", "a   ", r"a\ ", r"a\  ", "a\\", "a//b", "/", ""),
)


def named(line: str, path: str, *, is_folder: bool) -> bool:
    """Whether a line names a path, or else one of the folders that it is in."""
    patterns, parts = IgnorePatterns.of([line]), path.split("/")
    inside = ["/".join(parts[:count]) for count in range(1, len(parts))]
    return any(
        patterns.ignores(each, os.path.basename(each), is_folder=each != path or is_folder)
        for each in (*inside, path)
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_has_the_same_lines_name_the_same_paths(tmp_path: Path):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    for line in LINES:
        (tmp_path / ".gitignore").write_text(f"{line}\n")
        said = subprocess.run(
            ["git", "check-ignore", "--no-index", "-z", "--stdin"],
            cwd=tmp_path,
            input="".join(f"{path}\0" for path in PATHS),
            capture_output=True,
            text=True,
        )
        expected = [path for path in PATHS if path in said.stdout.split("\0")]
        assert [path for path in PATHS if named(line, path, is_folder=False)] == expected, line


def test_the_last_line_that_names_a_path_decides():
    patterns = IgnorePatterns.of(["*.log\r", "!keep.log", "build/"])
    assert patterns.ignores("a.log", "a.log", is_folder=False) is True
    assert patterns.ignores("x/keep.log", "keep.log", is_folder=False) is False
    assert patterns.ignores("x/build", "build", is_folder=True) is True
    assert patterns.ignores("x/build", "build", is_folder=False) is None


DEEP = "/".join(["b"] * 2000)
WIDE = "/".join(["a" * 255] * 16)


@pytest.mark.parametrize("path", [DEEP, WIDE])
@pytest.mark.parametrize(
    "line",
    [
        *("**/b/**/b/**/b/**/c", "**/" + "b/" * 30 + "c", "**/" + "?*/" * 30 + "c"),
        *("x/**/*a*a*a*b", "**/*" + "a*" * 100 + "b", "**/*" + "a" * 127 + "*b"),
        *("**/*" + "[!b]" * 127 + "*b", "*/" * 1999 + "c"),
    ],
)
def test_no_line_takes_long_on_any_path(line: str, path: str):
    begin = process_time()
    assert IgnorePatterns.of([line]).ignores(path, "b", is_folder=True) is None
    assert process_time() - begin < 10


def test_a_line_that_may_be_tried_in_too_many_ways_names_nothing():
    line = "**/" + "b/" * 40 + "b"
    assert IgnorePatterns.of([line]).ignores(DEEP, "b", is_folder=True) is None
