"""What is scanned of folders: as ripgrep has it, and nothing that is no regular file."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from time import process_time

import pytest

from vyre_dialect.runtime.scanning.walk import Problem, Source, Walker


def make(folder: Path, *files: str) -> None:
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")


def walked(folder: Path, **options: bool) -> list[str]:
    found = Walker(**options).sources([str(folder)])
    return [os.path.relpath(each.name, folder) for each in found if isinstance(each, Source)]


def test_files_come_in_the_order_of_names(tmp_path: Path):
    make(tmp_path, "b", "a/c", "a/b/d", "c")
    assert walked(tmp_path) == ["b", "c", "a/c", "a/b/d"]


def test_hidden_files_are_passed_over_unless_told(tmp_path: Path):
    make(tmp_path, "a", ".hidden", ".folder/b")
    assert walked(tmp_path) == ["a"]
    assert walked(tmp_path, hidden=True) == [".hidden", "a", ".folder/b"]


def rules(folder: Path) -> None:
    """A repository with rules of several kinds and ranks."""
    make(
        folder,
        *("a.log", "keep.log", "b.txt", "build/x", "src/build/y", "src/c.txt", "src/d.gen"),
        *("docs/e.txt", "docs/deep/f.txt", "excluded.bin", "other/keep.log", "other/z.gen"),
    )
    (folder / ".git/info").mkdir(parents=True)
    (folder / ".git/info/exclude").write_text("excluded.*\n")
    (folder / ".gitignore").write_text(
        "# no rule\n*.log\n!keep.log\n/build/\ndocs/**/f.txt\n*.gen\n"
    )
    (folder / "src/.gitignore").write_text("c.txt\n!d.gen\n")
    (folder / "other/.ignore").write_text("keep.log\n!z.gen\n")
    (folder / ".rgignore").write_text("docs/e.txt\n")


EXPECTED = ["b.txt", "keep.log", "other/z.gen", "src/d.gen", "src/build/y"]


def test_ignore_files_count_by_rank_and_by_nearness(tmp_path: Path):
    rules(tmp_path)
    assert walked(tmp_path) == EXPECTED
    assert len(walked(tmp_path, no_ignore=True)) == 12


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
def test_ripgrep_goes_into_the_same_files(tmp_path: Path):
    rules(tmp_path)
    for folder in (tmp_path, tmp_path / "src", tmp_path / "other"):
        said = subprocess.run(
            ["rg", "--files", "--no-config", "."], cwd=folder, capture_output=True, text=True
        )
        assert sorted(walked(folder)) == sorted(map(os.path.normpath, said.stdout.splitlines()))


def test_git_rules_count_in_repositories_alone(tmp_path: Path):
    make(tmp_path, "a.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert walked(tmp_path) == ["a.log"]
    (tmp_path / ".git").mkdir()
    assert walked(tmp_path) == []


def test_rules_around_the_folder_hold_in_it(tmp_path: Path):
    make(tmp_path, "a/b/c.log", "a/b/d")
    (tmp_path / "a/.ignore").write_text("b/*.log\n")
    assert walked(tmp_path / "a/b") == ["d"]


def test_what_is_named_is_scanned_whatever_rules_say(tmp_path: Path):
    make(tmp_path, ".hidden.log")
    (tmp_path / ".ignore").write_text("*\n")
    path = str(tmp_path / ".hidden.log")
    assert list(Walker().sources([path, "-", "missing"])) == [
        Source(path, is_named=True),
        Source("-", is_named=True),
        Source("missing", is_named=True),
    ]


def test_pipes_sockets_and_links_in_folders_are_passed_over(tmp_path: Path):
    make(tmp_path, "a")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "device").symlink_to("/dev/zero")
    assert walked(tmp_path) == ["a"]


@pytest.mark.parametrize("name", [".gitignore", ".ignore"])
def test_an_ignore_file_that_is_a_pipe_is_never_waited_for(tmp_path: Path, name: str):
    make(tmp_path, "a")
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / name)
    assert walked(tmp_path) == ["a"]


def test_a_rule_that_may_be_tried_in_too_many_ways_is_passed_over(tmp_path: Path):
    path = "b/" * 40 + "b"
    make(tmp_path, path, "c")
    (tmp_path / ".ignore").write_text(f"**/{path}\nc\n")
    assert walked(tmp_path) == [path]


def test_rules_take_little_time_in_nested_folders(tmp_path: Path):
    make(tmp_path, "b/" * 300 + "a")
    (tmp_path / ".ignore").write_text("**/b/**/b/**/b/**/c\n")
    begin = process_time()
    assert len(walked(tmp_path)) == 1
    assert process_time() - begin < 10


def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path):
    found = list(Walker()._below(str(tmp_path / "gone")))
    assert [type(each) for each in found] == [Problem]


def make_deep(folder: Path, name: str, count: int) -> None:
    """So many folders in each other, whose path may be too long for one call."""
    parent = os.open(folder, os.O_RDONLY)
    for _ in range(count):
        os.mkdir(name, dir_fd=parent)
        child = os.open(name, os.O_RDONLY, dir_fd=parent)
        os.close(parent)
        parent = child
    os.close(parent)


def test_a_path_that_is_too_long_is_said_and_others_are_scanned(tmp_path: Path):
    make(tmp_path, "a", "z/b")
    make_deep(tmp_path, "n" * 250, 20)
    found = list(Walker().sources([str(tmp_path)]))
    names = [os.path.relpath(each.name, tmp_path) for each in found]
    assert [type(each) for each in found] == [Source, Problem, Source]
    assert (names[0], names[2]) == ("a", "z/b")


def test_names_may_be_any_bytes(tmp_path: Path):
    name = os.fsdecode(b"new\nline\xff")
    make(tmp_path, name)
    assert walked(tmp_path) == [name]
