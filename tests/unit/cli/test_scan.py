"""`vyre scan`: what it prints, and what it exits with."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.commands import Vyre, assert_one_line
from support.scanning import PythonRuns

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.scanning import scan as whole_scan

TEXT = b"first line\nimport this\nand import that, import more\n"


@pytest.fixture(autouse=True)
def files(vyre: Vyre, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of files; Python decodes and searches, unless a device is asked for."""
    Path("tree/inner").mkdir(parents=True)
    Path("tree/plain.txt").write_bytes(TEXT)
    Path("tree/inner/nothing.txt").write_bytes(b"nothing\n")
    Path("text.b64").write_bytes(base64.encodebytes(TEXT))
    Path("patterns").write_bytes(b"import\n\nline\r\nimport\n")
    monkeypatch.setattr(whole_scan, "runs_on", runs_of_python)


def runs_of_python(_: str | None, literals: Sequence[bytes]) -> PythonRuns:
    return PythonRuns(literals)


def test_files_stand_on_both_sides_of_options(vyre: Vyre):
    together = vyre("scan", "tree/plain.txt", "tree/inner/nothing.txt", "--literal", "import")
    apart = vyre("scan", "tree/plain.txt", "--literal", "import", "tree/inner/nothing.txt")
    assert (apart.status, apart.out) == (0, together.out)
    unread = vyre("scan", "tree/plain.txt", "--literal", "import", "nowhere", "-")
    assert "nowhere" in unread.err and "unknown argument" not in unread.err
    mistaken = vyre("scan", "tree/plain.txt", "--literal", "import", "text.b64", "--colour")
    assert_one_line(mistaken, "unknown argument '--colour'")


def test_each_match_is_a_line_with_both_offsets(vyre: Vyre):
    said = vyre("scan", "--decode", "base64", "--literal", "import", "text.b64")
    assert said.status == 0
    assert said.out.splitlines() == [
        "text.b64:11:14:import this",
        "text.b64:27:36:and import that, import more",
        "text.b64:40:53:and import that, import more",
    ]


def test_folders_are_gone_through(vyre: Vyre):
    said = vyre("scan", "--literal", "import this", "tree")
    assert said.out == "tree/plain.txt:11:11:import this\n"


def test_lines_are_counted_as_grep_counts_them(vyre: Vyre):
    said = vyre("scan", "--count", "--literal", "import", "tree", "tree/inner/nothing.txt")
    assert said.out == "tree/plain.txt:2\ntree/inner/nothing.txt:0\n"


def test_names_of_files_alone(vyre: Vyre):
    said = vyre("scan", "--files-with-matches", "--literal", "import", "tree")
    assert said.out == "tree/plain.txt\n"


def test_patterns_are_the_lines_of_a_file(vyre: Vyre):
    said = vyre("scan", "--patterns", "patterns", "--json", "tree/plain.txt")
    found = [json.loads(line) for line in said.out.splitlines()]
    assert [each["literal"] for each in found] == ["line", "import", "import", "import"]
    assert found[1] == {
        "file": "tree/plain.txt",
        "decoded_offset": 11,
        "encoded_offset": 11,
        "literal": "import",
        "line": 2,
        "text": "import this",
    }


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--count",), [{"file": "tree/plain.txt", "lines": 2, "matches": 3}]),
        (("--files-with-matches",), [{"file": "tree/plain.txt"}]),
    ],
)
def test_counts_and_names_as_json(vyre: Vyre, arguments: tuple[str, ...], expected: object):
    said = vyre("scan", "--json", *arguments, "--literal", "import", "tree")
    assert [json.loads(line) for line in said.out.splitlines()] == expected


@pytest.mark.parametrize(
    ("paths", "status"),
    [
        (("tree/plain.txt",), 0),
        (("tree/inner",), 1),
        (("tree/plain.txt", "missing"), 2),
        (("missing",), 2),
    ],
)
def test_the_exit_status_is_that_of_grep(vyre: Vyre, paths: tuple[str, ...], status: int):
    assert vyre("scan", "--literal", "import", *paths).status == status


def test_what_cannot_be_scanned_is_said_and_the_rest_goes_on(vyre: Vyre):
    said = vyre("scan", "--decode", "base64", "--literal", "import", "tree", "missing", "text.b64")
    assert said.status == 2
    assert len(said.out.splitlines()) == 3
    assert said.err.splitlines() == [
        "vyre: tree/plain.txt: invalid base64: byte 0x2c at offset 38",
        "vyre: tree/inner/nothing.txt: invalid base64: expected groups of 4 digits, got 7 digits "
        "to the end at offset 8",
        "vyre: missing: cannot read it: No such file or directory",
    ]


def test_problems_as_json_stand_among_the_matches(vyre: Vyre):
    said = vyre("scan", "--json", "--decode", "hex", "--literal", "import", "tree/plain.txt")
    assert json.loads(said.out) == {
        "file": "tree/plain.txt",
        "error": "invalid hex: byte 0x69",
        "offset": 1,
    }


def test_a_log_of_sarif_has_results_and_problems(vyre: Vyre):
    Path("a b#é.txt").write_bytes(TEXT)
    said = vyre("scan", "--sarif", "--literal", "this", "a b#é.txt", "missing")
    assert said.status == 2
    log = json.loads(said.out)
    (run,) = log["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert log["version"] == "2.1.0"
    assert place == {
        "artifactLocation": {"uri": "a%20b%23%C3%A9.txt"},
        "region": {"byteOffset": 18},
    }
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    assert "No such file" in invocation["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"\x1b[31mimport\x07\0\xff\\", "\\x1b[31mimport\\x07\\x00\\xff\\\\"),
        ("é import \u202e\u2028x".encode(), "é import \\u202e\\u2028x"),
        (b"a" * 100 + b"import" + b"b" * 61, "…" + "a" * 60 + "import" + "b" * 60 + "…"),
        (b"\r\nimport\r\n", "import\\x0d"),
        (b"x\n import", " import"),
    ],
)
def test_no_byte_of_a_file_is_a_command_to_a_terminal(vyre: Vyre, data: bytes, shown: str):
    Path("file").write_bytes(data)
    said = vyre("scan", "--literal", "import", "--text", "file")
    assert said.out == f"file:{data.index(b'import')}:{data.index(b'import')}:{shown}\n"


def test_no_name_of_a_file_is_a_command_to_a_terminal(vyre: Vyre):
    name = os.fsdecode(b"a\n\x1b[31m\xff")
    Path("names").mkdir()
    (Path("names") / name).write_bytes(b"import")
    shown = "names/a\\x0a\\x1b[31m\\xff"
    assert vyre("scan", "--literal", "import", "names").out == f"{shown}:0:0:import\n"
    said = vyre("scan", "--decode", "hex", "--literal", "import", "names")
    assert said.err.startswith(f"vyre: {shown}: invalid hex")
    found = json.loads(vyre("scan", "--json", "--literal", "import", "names").out)
    assert os.fsencode(found["file"]) == b"names/a\n\x1b[31m\xff"


def test_a_match_over_several_lines_counts_where_it_begins(vyre: Vyre):
    Path("patterns").write_bytes(b"this")
    Path("file").write_bytes(b"a\nthis\nthis this\n\nthis")
    assert vyre("scan", "--count", "--patterns", "patterns", "file").out == "file:3\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "PATH"),
        (("tree",), "expected --literal TEXT or --patterns FILE with a literal, got none"),
        (("--literal", "", "tree"), "argument --literal: expected at least one byte, got none"),
        (("--patterns", "missing", "tree"), "cannot read 'missing': No such file"),
        (("--patterns", "tree", "tree"), "cannot read 'tree': Is a directory"),
        (("--literal", "x", "--decode", "b64", "tree"), "unknown encoding 'b64'"),
        (("--literal", "x", "--count", "--files-with-matches", "tree"), "not allowed with"),
        (("--literal", "x", "--device", "a", "--devices", "all", "tree"), "not allowed with"),
        (("--literal", "x", "--json", "--sarif", "tree"), "not allowed with argument --json"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(
    vyre: Vyre, arguments: tuple[str, ...], message: str
):
    said = vyre("scan", *arguments)
    assert said.status == 2
    assert_one_line(said, message)


def test_a_file_that_is_too_large_is_said_and_the_rest_goes_on(
    vyre: Vyre, monkeypatch: pytest.MonkeyPatch
):
    def small_device(_: str | None, literals: Sequence[bytes]) -> PythonRuns:
        return PythonRuns(literals, most_bytes=20)

    monkeypatch.setattr(whole_scan, "runs_on", small_device)
    said = vyre("scan", "--literal", "nothing", "tree", "missing")
    assert said.status == 2
    assert said.out == "tree/inner/nothing.txt:0:0:nothing\n"
    assert said.err.splitlines()[0] == (
        "vyre: tree/plain.txt: too large: expected up to 20 bytes for one run on the device, "
        "got 52 bytes"
    )


def one_of_python(_: str, literals: Sequence[bytes]) -> list[PythonRuns]:
    return [PythonRuns(literals)]


def test_a_device_that_fails_has_the_exit_status_of_an_error(
    vyre: Vyre, monkeypatch: pytest.MonkeyPatch
):
    def lost(*_: object) -> None:
        raise DeviceError("the device is lost")

    monkeypatch.setattr(PythonRuns, "locate", lost)
    for arguments in ((), ("--devices", "a,b")):
        monkeypatch.setattr(whole_scan, "runs_on_each", one_of_python)
        said = vyre("scan", "--literal", "import", *arguments, "tree")
        assert said.status == 2
        assert said.err.splitlines()[-1] == "vyre: error: the device is lost"


def test_several_devices_find_what_one_finds(vyre: Vyre, monkeypatch: pytest.MonkeyPatch):
    def two(devices: str, literals: Sequence[bytes]) -> list[PythonRuns]:
        return [PythonRuns(literals) for _ in devices.split(",")]

    monkeypatch.setattr(whole_scan, "runs_on_each", two)
    arguments = ("scan", "--literal", "import", "tree", "text.b64", "missing")
    one, several = vyre(*arguments), vyre(*arguments, "--devices", "a,b")
    assert (one.status, one.out, one.err) == (several.status, several.out, several.err)


def test_an_unknown_device_has_the_exit_status_of_an_error(
    vyre: Vyre, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.undo()
    said = vyre("scan", "--device", "no such", "--literal", "x", "tree")
    assert said.status == 2
    assert "no such" in said.err
