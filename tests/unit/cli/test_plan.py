"""`vyre plan`: what it prints, draws and exits with."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from vyre_dialect.runtime.cli import main

TABLE = "id,lower,upper,size\na,0,2,8\nb,1,3,4\nc,2,4,8\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "lives.csv"
    path.write_text(TABLE)
    return path


def test_json_holds_the_plan(table: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["plan", str(table), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["peak_bytes"], found["lower_bound_bytes"]) == (12, 12)
    assert found["status"] == "lower-bound"
    assert found["seconds"] >= 0
    assert found["offsets"]["a"] == found["offsets"]["c"]


@pytest.mark.parametrize(("capacity", "status"), [("12", 0), ("11", 1)])
def test_the_exit_status_says_whether_a_capacity_was_reached(
    table: Path, capacity: str, status: int
):
    assert main(["plan", str(table), "--capacity", capacity]) == status


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        ("--seconds", "soon", "expected at least 0 seconds, got 'soon'"),
        ("--seconds", "nan", "expected at least 0 seconds, got 'nan'"),
        ("--alignment", str(2**62), "expected at most 1152921504606846976 bytes in all, got 13835"),
        ("--alignment", f"1{'0' * 400}", "expected at most 9223372036854775807, got '1000"),
    ],
)
def test_numbers_that_make_no_sense_are_said(
    table: Path, capsys: pytest.CaptureFixture[str], option: str, given: str, message: str
):
    assert main(["plan", str(table), option, given]) in (1, 2)
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_the_plot_names_every_buffer(table: Path, tmp_path: Path):
    picture = tmp_path / "plan.svg"
    assert main(["plan", str(table), "--plot", str(picture)]) == 0
    titles = [each.text or "" for each in ElementTree.parse(picture).iter() if "title" in each.tag]
    assert [title.split(":")[0] for title in titles] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,lower,upper\n", "expected columns id,lower,upper,size, got none called 'size'"),
        ("", "expected columns id,lower,upper,size, got none called 'id'"),
        ("id,lower,upper,size\na,1,2\n", ":2 expected an integer for 'size', got ''"),
        ("id,lower,upper,size\na,1,x,4\n", ":2 expected an integer for 'upper', got 'x'"),
        ("id,lower,upper,size\na,2,1,4\n", ":2 expected upper >= lower, got a live range [2, 1)"),
        ("id,lower,upper,size\na,1,2,-4\n", ":2 expected a size of at least 0 bytes, got -4"),
        (f"id,lower,upper,size\na,1,2,{10**30}\n", ":2 expected 'size' within 2**48"),
        ("id,lower,upper,size\na,1,2,4\na,1,2,4\n", ":3 expected each id once, got 'a' twice"),
    ],
)
def test_a_bad_table_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert main(["plan", str(path)]) == 1
    assert message in capsys.readouterr().err


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]):
    assert main(["plan", "nowhere.csv"]) == 1
    assert "cannot read 'nowhere.csv': No such file" in capsys.readouterr().err
