"""`vyre run` on many files: one compilation, and results of each."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from support.commands import Vyre

from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.driver import repeated_runs

REFERENCE = ("--device", "reference")


@pytest.fixture
def files(vyre: Vyre) -> list[str]:
    """Files of four numbers, in the folder in which commands run."""
    Path("data").mkdir()
    for number in range(3):
        values = np.arange(4, dtype=np.int32) + number
        Path(f"data/{number}.bin").write_bytes(values.tobytes())
    return [f"data/{number}.bin" for number in range(3)]


def test_each_file_has_its_results(vyre: Vyre, files: list[str]):
    said = vyre("run", "double.mlir", "--input", "values=data/*.bin", *REFERENCE)
    assert said.status == 0
    assert said.out.splitlines() == [
        "data/0.bin: doubles = [0, 2, 4, 6]",
        "data/1.bin: doubles = [2, 4, 6, 8]",
        "data/2.bin: doubles = [4, 6, 8, 10]",
    ]


def test_a_pattern_stands_for_no_pipe(vyre: Vyre, files: list[str]):
    os.mkfifo("data/1.pipe")
    Path("data/link.pipe").symlink_to("1.pipe")
    said = vyre("run", "double.mlir", "--input", "values=data/*", *REFERENCE)
    assert [line.partition(":")[0] for line in said.out.splitlines()] == files


def test_a_pattern_is_no_name_where_other_files_match_it(vyre: Vyre, files: list[str]):
    os.mkfifo("data/*")
    said = vyre("run", "double.mlir", "--input", "values=data/*", *REFERENCE)
    assert [line.partition(":")[0] for line in said.out.splitlines()] == files
    Path("data/[ab].bin").write_bytes(Path(files[1]).read_bytes())
    said = vyre("run", "double.mlir", "--input", "values=data/[ab].bin", *REFERENCE)
    assert "[2, 4, 6, 8]" in said.out
    Path("data/a.bin").write_bytes(Path(files[0]).read_bytes())
    said = vyre("run", "double.mlir", "--input", "values=data/[ab].bin", *REFERENCE)
    assert said.out.splitlines() == ["data/a.bin: doubles = [0, 2, 4, 6]"]


@pytest.mark.parametrize("name", [b"\x1b]0;title\x07", b"\xff", b"a\nb"])
def test_no_name_of_a_file_is_a_command_to_a_terminal(vyre: Vyre, files: list[str], name: bytes):
    Path(os.fsdecode(b"data/" + name)).write_bytes(Path(files[0]).read_bytes())
    said = vyre("run", "double.mlir", "--input", "values=data/*", *REFERENCE)
    assert said.status == 0
    assert len(said.out.splitlines()) == len(files) + 1
    assert "".join(said.out.splitlines()).isprintable()


def test_a_line_of_json_for_each_file(vyre: Vyre, files: list[str]):
    said = vyre("run", "double.mlir", "--input", "values=data/*.bin", "--json", *REFERENCE)
    runs = [json.loads(line) for line in said.out.splitlines()]
    assert [each["file"] for each in runs] == files
    assert runs[1]["outputs"] == {"doubles": [2, 4, 6, 8]}


def test_outputs_are_named_after_files(vyre: Vyre, files: list[str]):
    arguments = ("--input", "values=data/*.bin", "--output", "doubles=data/{}.doubles")
    assert vyre("run", "double.mlir", *arguments, *REFERENCE).status == 0
    written = np.frombuffer(Path("data/2.doubles").read_bytes(), np.int32)
    assert written.tolist() == [4, 6, 8, 10]


@pytest.mark.parametrize("command", ["compile", "explain", "tune", "report"])
@pytest.mark.parametrize("given", ["data/*.bin", "s3://bucket/0.bin"])
def test_only_runs_take_many_files(vyre: Vyre, files: list[str], command: str, given: str):
    where = ("-o", "page.html") if command == "report" else ()
    said = vyre(command, "double.mlir", "--input", f"values={given}", *where)
    assert (said.status, len(said.err.splitlines())) == (2, 1)
    assert f"values={given}: expected one file, got a pattern or a URL, which only" in said.err


@pytest.mark.parametrize("command", ["run", "compile", "explain", "tune", "report"])
def test_help_offers_patterns_where_they_are_taken(
    capsys: pytest.CaptureFixture[str], command: str
):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert ("by a pattern" in " ".join(capsys.readouterr().out.split())) == (command == "run")


def test_no_name_of_a_file_stands_for_standard_input(vyre: Vyre, files: list[str]):
    Path("-").write_bytes(Path(files[1]).read_bytes())
    for given in ("[-]", "./[-]", "./-"):
        said = vyre("run", "double.mlir", "--input", f"values={given}", *REFERENCE)
        assert "doubles = [2, 4, 6, 8]" in said.out


@pytest.mark.parametrize("name", ["..bin", "...bin"])
def test_a_name_that_gives_none_is_said(vyre: Vyre, files: list[str], name: str):
    Path(f"data/{name}").write_bytes(Path(files[0]).read_bytes())
    arguments = ("--input", "values=data/.*.bin", "--output", "doubles={}")
    said = vyre("run", "double.mlir", *arguments, *REFERENCE)
    assert (said.status, len(said.err.splitlines())) == (2, 1)
    assert f"'{{}}' is no file with the name of 'data/{name}'" in said.err


def test_no_name_of_a_file_stands_for_standard_output(vyre: Vyre, files: list[str]):
    Path("data/-.bin").write_bytes(Path(files[0]).read_bytes())
    arguments = ("--input", "values=data/*.bin", "--output", "doubles={}")
    said = vyre("run", "double.mlir", *arguments, *REFERENCE)
    assert said.out.splitlines()[0] == "data/-.bin: doubles = [0, 2, 4, 6]"
    assert np.frombuffer(Path("-").read_bytes(), np.int32).tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("values=data/*.none",), "cannot read 'data/*.none': no file has such a name"),
        (("values=data/*.bin", "--output", "doubles=x"), "expected '{}' in its name"),
        (("values=data/*.bin", "--repeat", "2"), "--repeat: not allowed with an input of many"),
        (("values=data/*.bin", "--check"), "--check: not allowed with an input of many files"),
        (("values=data/*.bin", "--input", "x=data/*"), "got those of 'values' and 'x'"),
        (("vaules=data/*.bin",), "unknown input 'vaules'"),
    ],
)
def test_what_makes_no_sense_is_said(
    vyre: Vyre, files: list[str], arguments: tuple[str, ...], message: str
):
    said = vyre("run", "double.mlir", "--input", *arguments, *REFERENCE)
    assert said.status in (1, 2)
    assert message in said.err
    assert len(said.err.splitlines()) == 1


def test_two_files_of_one_name_do_not_write_to_one_place(vyre: Vyre, files: list[str]):
    Path("data/0.other").write_bytes(Path("data/0.bin").read_bytes())
    arguments = ("--input", "values=data/0.*", "--output", "doubles={}.doubles")
    said = vyre("run", "double.mlir", *arguments, *REFERENCE)
    assert said.status == 2
    assert "written to one file" in said.err


def test_no_input_is_overwritten_before_it_is_read(vyre: Vyre, files: list[str]):
    Path("data/0.old").write_bytes(Path("data/0.bin").read_bytes())
    Path("data/0.old.old").write_bytes(Path("data/1.bin").read_bytes())
    arguments = ("--input", "values=data/*.old", "--output", "doubles=data/{}.old.old")
    said = vyre("run", "double.mlir", *arguments, *REFERENCE)
    assert said.status == 2
    assert "'data/0.old.old' is an input, too" in said.err
    assert Path("data/0.old.old").read_bytes() == Path("data/1.bin").read_bytes()


def test_no_input_is_replaced_by_another_buffer(vyre: Vyre, files: list[str]):
    before = [Path(name).read_bytes() for name in files]
    arguments = ("--input", "values=data/*.bin", "--output", "doubles=data/{}.bin")
    said = vyre("run", "double.mlir", *arguments, *REFERENCE)
    assert said.status == 2
    assert "argument --output: 'data/0.bin' is an input, too" in said.err
    assert [Path(name).read_bytes() for name in files] == before


def test_a_file_that_does_not_fit_does_not_keep_others_from_running(vyre: Vyre, files: list[str]):
    Path("data/1.bin").write_bytes(b"abc")
    said = vyre("run", "double.mlir", "--input", "values=data/*.bin", *REFERENCE)
    assert said.status == 1
    assert len(said.out.splitlines()) == 2
    assert said.err.startswith("vyre: error: data/1.bin: ")


def test_a_file_whose_name_has_stars_is_itself(vyre: Vyre, files: list[str]):
    Path("data/*.bin").write_bytes(np.full(4, 7, np.int32).tobytes())
    said = vyre("run", "double.mlir", "--input", "values=data/*.bin", *REFERENCE)
    assert "doubles = [14, 14, 14, 14]" in said.out


def test_urls_are_read_by_fsspec(vyre: Vyre, files: list[str]):
    fsspec = pytest.importorskip("fsspec")
    for name in files:
        fsspec.filesystem("memory").pipe(f"/{name}", Path(name).read_bytes())
    said = vyre("run", "double.mlir", "--input", "values=memory://data/*.bin", *REFERENCE)
    assert said.out.splitlines()[2] == "memory:///data/2.bin: doubles = [4, 6, 8, 10]"
    one = vyre("run", "double.mlir", "--input", "values=memory://data/1.bin", *REFERENCE)
    assert one.out == "memory://data/1.bin: doubles = [2, 4, 6, 8]\n"
    missing = vyre("run", "double.mlir", "--input", "values=memory://data/9.bin", *REFERENCE)
    assert missing.status == 1
    unknown = vyre("run", "double.mlir", "--input", "values=nowhere://data/9.bin", *REFERENCE)
    assert unknown.status == 1
    assert "nowhere" in unknown.err


@pytest.mark.slow
@pytest.mark.device
def test_a_thousand_files_take_one_compilation(
    vyre: Vyre, files: list[str], monkeypatch: pytest.MonkeyPatch
):
    compiled = list[object]()
    build = repeated_runs.built_program

    def counted(*given: object) -> object:
        compiled.append(given)
        return build(*given)  # pyright: ignore[reportArgumentType]

    for number in range(1000):
        values = np.arange(4, dtype=np.int32) + number
        Path(f"data/{number:04}.many").write_bytes(values.tobytes())
    monkeypatch.setattr(repeated_runs, "built_program", counted)
    said = vyre("run", "double.mlir", "--input", "values=data/*.many")
    assert said.status == 0
    assert said.out.splitlines()[999] == "data/0999.many: doubles = [1998, 2000, 2002, 2004]"
    assert len(compiled) == 1
