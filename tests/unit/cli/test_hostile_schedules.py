"""Schedules, telemetry and reports that are malformed end in one line, and change nothing."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.commands import command_line
from support.told import message_of

from examples.data import EXAMPLES
from vyre_dialect.passes.schedule.report import REDUCIBLE
from vyre_dialect.runtime.cli import main

XOR = str(EXAMPLES / "xor_literal.mlir")
DEEP = 200_000
ONE_PASS = (
    'vyre.schedule @s profile(release) {{ vyre.pass @"vyre-expand" options {{limit = {}}} '
    "phase expand family unknown boundary program preserves_abi }}"
)
POLICY = (
    "vyre.schedule @s profile(release) devices {{}} {{ "
    'vyre.request @"vyre-unroll" options {{limit = {}}} }}'
)

SCHEDULES = {
    "unterminated symbol": ('vyre.schedule @"' + "a" * 5000, "malformed text: expected"),
    "unterminated text": (ONE_PASS.format('"' + r"\0A" * 5000), "malformed text: expected"),
    "digits": (ONE_PASS.format("9" * 5000), "Exceeds the limit"),
    "brackets": (ONE_PASS.format("[" * DEEP + "]" * DEEP), "nested too deeply"),
    "open brackets": (ONE_PASS.format("[" * DEEP), "nested too deeply"),
    "modules": ("builtin.module {" * DEEP + "}" * DEEP, "nested too deeply"),
    "types": (ONE_PASS.format("1 : " + "tuple<" * DEEP), "nested too deeply"),
    "locations": ("builtin.module {} loc(" + "callsite(" * DEEP, "nested too deeply"),
    "unicode": (ONE_PASS.format("¾"), "unexpected character: ¾"),
    "first token": ("$", "s.mlir:1:1: unexpected character: $"),
    "first text": ('"' + "a" * 5000, "malformed text: expected"),
    "first number": ("9" * 5000, "s.mlir:1:1"),
    "no text": (b"\xff\xfe", "it is no text"),
    "digits of a factor": (
        POLICY.format(f"#vyre.device<compute_units * {'9' * 5000}>"),
        "Exceeds the limit",
    ),
    "a large factor": (
        POLICY.format("#vyre.device<compute_units * 9223372036854775808>"),
        "expected a positive factor of 63 bits, got 9223372036854775808",
    ),
    "a large option": (POLICY.format("18446744073709551616 : i128"), "18446744073709551616"),
    "a property without end": (POLICY.format("#vyre.device<" * 500), "s.mlir:1:"),
    "no property": (POLICY.format("#vyre.device<kind>"), "expected a count as property"),
    "another pass of a policy": (
        'vyre.schedule @s profile(release) devices {} { vyre.request @"mlir-opt" }',
        "s.mlir:1: the schedule '@s' names the pass 'mlir-opt', which takes no part in schedules",
    ),
    "another pass": (
        'vyre.schedule @s profile(release) { vyre.pass @"mlir-opt" phase expand family unknown '
        "boundary module }",
        "s.mlir:1: the schedule '@s' names the pass 'mlir-opt', which takes no part in schedules",
    ),
}
ROW = '{"generator": "g", "dispatch_count": 1, "kernel_ns_total": %s}'
RUN = {f"{name}_{when}": 4 for name in REDUCIBLE for when in ("before", "after")}
RUNS = json.dumps({"version": 1, "passes": [RUN | {"pass": "p", "changed": True, "x": 17}]})
JSON = {
    "brackets": ("[" * DEEP + "]" * DEEP, "it is nested too deeply"),
    "open brackets": ("[" * DEEP, "it is nested too deeply"),
    "objects": ('{"rows": ' * DEEP, "it is nested too deeply"),
    "infinity": ('{"rows": [' + ROW % "Infinity" + "]}", "expected numbers, got Infinity"),
    "minus infinity": ('{"rows": [' + ROW % "-Infinity" + "]}", "expected numbers, got -Infinity"),
    "nan": ('{"rows": [' + ROW % "NaN" + "]}", "expected numbers, got NaN"),
    "overflow": ('{"rows": [' + ROW % "1e999" + "]}", "expected numbers of at most"),
    "digits": ('{"rows": [' + ROW % ("9" * 5000) + "]}", "Exceeds the limit"),
    "fraction": ('{"rows": [' + ROW % "1.5" + '], "version": 1, "passes": 1}', ""),
    "infinite nodes": (RUNS.replace("4", "Infinity"), "expected numbers, got Infinity"),
    "list": ("[1]", "expected an object, got [1]"),
    "number": ("1", "expected an object, got 1"),
    "no rows": ('{"rows": null, "version": 1, "passes": null}', "expected a list as '"),
    "no objects": ('{"rows": [3], "version": 1, "passes": [3]}', "expected objects in '"),
    "no text": (b"\xff\xfe", "it is no text"),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_malformed_schedule_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, message = SCHEDULES[name]
    write(tmp_path / "s.mlir", text)
    monkeypatch.chdir(tmp_path)
    check(["compile", XOR, "--schedule", "s.mlir"], message, capsys)
    if isinstance(text, str):  # as a program, it is read by the same reader
        check(["compile", "s.mlir"], message, capsys)
    assert os.listdir(tmp_path) == ["s.mlir"]


@pytest.mark.parametrize("option", ["--hints", "--previous"])
@pytest.mark.parametrize("name", JSON)
def test_malformed_json_is_one_line(
    name: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, message = JSON[name]
    path = tmp_path / "file.json"
    write(path, text)
    check(["compile", XOR, option, str(path)], message, capsys)


@pytest.mark.slow
def test_the_lexer_takes_linear_time(tmp_path: Path) -> None:
    """What took exponential time cannot be ended from within the process."""
    for name in ("unterminated symbol", "unterminated text"):
        write(tmp_path / "s.mlir", SCHEDULES[name][0])
        compiled = command_line("compile", XOR, "--schedule", "s.mlir")
        done = subprocess.run(
            compiled, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
        )
        assert done.returncode == 1
        assert "malformed text: expected" in done.stderr


@pytest.mark.parametrize("number", [10**30, (1 << 63) - 1, 1 << 63])
def test_large_counts_are_counts(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hot = tmp_path / "hot.mlir"
    hot.write_text(Path(XOR).read_text().replace("[128] {", '[128] entry_op_id "hot" {'))
    row = {"generator": "hot", "dispatch_count": 1, "kernel_ns_total": number}
    write(tmp_path / "hints.json", json.dumps({"hot_ns_threshold": number, "rows": [row]}))
    assert main(["compile", str(hot), "--hints", str(tmp_path / "hints.json")]) == 0
    capsys.readouterr()
    run = RUN | {"pass": "vyre-cse", "changed": True, "nodes_before": number}
    write(tmp_path / "report.json", json.dumps({"version": 1, "passes": [run]}))
    assert main(["compile", XOR, "--previous", str(tmp_path / "report.json")]) == 0


def write(path: Path, text: str | bytes) -> None:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def check(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(arguments)
    printed = capsys.readouterr()
    assert (status, printed.out) == (1, ""), printed.err
    said = message_of(printed.err)
    assert said.startswith("vyre: error: ")
    assert message in said
