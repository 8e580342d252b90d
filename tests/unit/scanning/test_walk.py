"""What is scanned of folders: as ripgrep has it, and nothing that is no regular file."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path
from time import process_time
from typing import Any

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
        Source(path),
        Source("-"),
        Source("missing"),
    ]


def test_pipes_sockets_and_links_in_folders_are_passed_over(tmp_path: Path):
    make(tmp_path, "a")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "device").symlink_to("/dev/zero")
    assert walked(tmp_path) == ["a"]


def replace_by_link(folder: Path, target: str) -> None:
    folder.rename(folder.with_name(f".{folder.name}"))
    folder.symlink_to(target)


def test_a_link_in_the_place_of_a_folder_is_not_followed(tmp_path: Path):
    make(tmp_path, "of_another/a", "of_another/y/z/b", "secret/z/b", "secret/b")
    found = Walker().sources([str(tmp_path / "of_another")])
    assert isinstance(next(found), Source)
    replace_by_link(tmp_path / "of_another/y", "../secret")
    assert [type(each) for each in found] == [Problem]


@pytest.mark.parametrize("name", [".gitignore", ".ignore"])
def test_an_ignore_file_that_is_a_pipe_is_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    make(tmp_path, "a")
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / name)
    opened, opener = list[int](), os.open

    def noted(*arguments: Any, **options: Any) -> int:
        opened.append(opener(*arguments, **options))
        assert not stat.S_ISFIFO(os.fstat(opened[-1]).st_mode)
        return opened[-1]

    monkeypatch.setattr(os, "open", noted)
    assert walked(tmp_path) == ["a"]
    assert opened


def test_ignore_files_that_are_links_are_not_read(tmp_path: Path):
    make(tmp_path, "of_another/a", "of_another/b", "of_another/c", "of_another/d/e")
    (tmp_path / "rules").write_text("a\n")
    (tmp_path / "of_another/.ignore").symlink_to("../rules")
    (tmp_path / "git/info").mkdir(parents=True)
    (tmp_path / "git/info/exclude").write_text("b\n")
    (tmp_path / "of_another/.git").symlink_to("../git")
    (tmp_path / "of_another/.gitignore").write_text("c\n")
    (tmp_path / "of_another/d/.git").mkdir()
    (tmp_path / "of_another/d/.git/info").symlink_to("../../../git/info")
    (tmp_path / "git/info/exclude").write_text("b\ne\n")
    assert walked(tmp_path / "of_another") == ["a", "b", "d/e"]


def test_deep_and_wide_trees_take_few_descriptors(tmp_path: Path):
    make(tmp_path, *("n/" * depth + f"{side}/a" for depth in range(200) for side in "bz"))
    before, taken, count = len(os.listdir("/proc/self/fd")), 0, 0
    for _ in Walker().sources([str(tmp_path)]):
        taken = max(taken, len(os.listdir("/proc/self/fd")) - before)
        count += 1
    assert count == 400
    assert taken <= 64
    assert len(os.listdir("/proc/self/fd")) == before


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
