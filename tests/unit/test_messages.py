"""What a user may have meant is one of the names that there are, or nothing is guessed."""

from __future__ import annotations

import pytest

from vyre_dialect.messages import did_you_mean, in_lower_case
from vyre_dialect.universe import PASSES

OTHERWISE = "'xdsl-opt --help' lists all passes"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("vyre-expnd", "vyre-expand"),
        ("expand", "vyre-expand"),
        ("decode-scan-fuse", "vyre-decode-scan-fuse"),
        ("vyre_decode_scan_fuse", "vyre-decode-scan-fuse"),
        ("vyre-fuse", "vyre-decode-scan-fuse"),
        ("vyre-escape", "vyre-escape-analysis"),
        ("Vyre-CSE", "vyre-cse"),
    ],
)
def test_a_name_that_is_near(name: str, meant: str) -> None:
    assert did_you_mean(name, PASSES, OTHERWISE) == f"did you mean '{meant}'?"


@pytest.mark.parametrize("name", ["vyre-foo", "vyre-", "", "vyre", "-", "mlir-opt", "a" * 10000])
def test_what_names_share_is_no_likeness(name: str) -> None:
    assert did_you_mean(name, PASSES, OTHERWISE) == OTHERWISE


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("vyre.scan.literl", ["vyre.scan.literal", "vyre.scan.locate"], "vyre.scan.literal"),
        ("arith.addii", ["arith.addi", "arith.muli"], "arith.addi"),
        ("deivce", ["device", "debug"], "device"),
        ("--deivce", ["--device", "--debug"], "--device"),
        ("compute_unit", ["compute_units", "name"], "compute_units"),
    ],
)
def test_names_of_other_kinds(name: str, known: list[str], meant: str) -> None:
    assert did_you_mean(name, known, OTHERWISE) == f"did you mean '{meant}'?"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Expected a type", "expected a type"),
        ("A type is missing", "a type is missing"),
        ("SSA value %n is already defined", "SSA value %n is already defined"),
        ("", ""),
    ],
)
def test_errors_begin_in_lower_case_unless_with_capitals(message: str, told: str) -> None:
    assert in_lower_case(message) == told
