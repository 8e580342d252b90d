"""Programs that are malformed in every way we met are one line with a place, and exit status 1."""

import re
import subprocess
from pathlib import Path

import pytest
from support.commands import command_line
from support.told import message_of

from vyre_dialect.runtime.cli import main

FOLDER = Path(__file__).parents[2] / "support" / "hostile"

# What is wrong with each, and on which line.
PROGRAMS = {
    "5000_digits": (1, "Exceeds the limit"),
    "aliases_hang": (12, "'#a10' and the aliases before it stand for too many attributes"),
    "barrier_forward": (3, "'arith.cmpi' expected operand 0 to be defined before it, got %k"),
    "constant_out_of_range": (2, "Integer value 4294967296 is out of range for type i32"),
    "contents_i65": (2, "Format not implemented for i65"),
    "cyclic_value_hang": (8, "'arith.addi' expected operand 0 to be defined before it, got %b"),
    "for_type": (4, "'%c' is used with type index, and is of type i32, by line 3"),
    "huge_buffer": (2, "'vyre.buffer' expected at most 281474976710656 elements, got 92233"),
    "huge_dense": (4, "expected a literal of at most 4194304 elements, got 2147483648"),
    "if_without_yield": (8, "'scf.if' expected 'scf.yield' of (i32), got ()"),
    "predicate_negative": (5, "'arith.cmpi' expected a predicate from 0 to 9, got -1"),
    "predicate_out_of_range": (6, "'arith.cmpf' expected a predicate from 0 to 15, got 16"),
    "string_not_utf8": (1, "expected a 'string', got \"\\FF\""),
    "huge_vector_hang": (6, "expected vectors of at most 256 lanes, got vector<1000000000000xi8>"),
    "types_of_aliases_hang": (13, "'!a11' and the aliases before it stand for too many"),
    "unicode_number": (1, "unexpected character: ¾"),
    "unterminated_string_hang": (2, "malformed text: expected"),
    "use_before_def": (5, "'vyre.store' expected operand 0 to be defined before it, got %v"),
    "use_before_def_kernel": (5, "'vyre.store' expected operand 2 to be defined before it, got %i"),
    "use_from_other_arm": (5, "'vyre.invocation_id' defines in a 'vyre.region' that does not"),
    "vector0": (2, "'vyre.buffer' expected elements of at least one lane, got vector<0xi32>"),
    "vector_lane_out_of_range": (6, "'vector.extract' expected a lane from 0 to 3"),
}
COMMANDS = ["compile", "run", "explain"]


def test_every_program_is_tried() -> None:
    assert {path.stem for path in FOLDER.glob("*.mlir")} == set(PROGRAMS)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if not name.endswith("hang")])
def test_one_line_says_where_and_what(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = FOLDER / f"{name}.mlir"
    for command in COMMANDS:
        assert main([command, str(path)]) == 1
        printed = capsys.readouterr()
        check(name, printed.out, printed.err)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name.endswith("hang")])
def test_what_once_hung_ends(name: str) -> None:
    compiled = command_line("compile", str(FOLDER / f"{name}.mlir"))
    done = subprocess.run(compiled, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 1
    check(name, done.stdout, done.stderr)


def check(name: str, out: str, err: str) -> None:
    line, message = PROGRAMS[name]
    assert out == ""
    place = re.escape(str(FOLDER / f"{name}.mlir"))
    assert re.fullmatch(rf"vyre: error: {place}:{line}(:\d+)?: .*", message_of(err)), err
    assert message in err
