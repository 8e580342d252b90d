"""Inputs without files."""

from pathlib import Path

import numpy as np
import pytest
from support.commands import Vyre, assert_one_line

from vyre_dialect.runtime.cli.inputs import read_input


@pytest.mark.parametrize(
    ("given", "doubles"),
    [
        ("hex:01000000 02000000 fdffffff 04000000", [2, 4, -6, 8]),
        ("zeros:16", [0, 0, 0, 0]),
        ("text:[a]*[b]*[c]*[d]*", (np.frombuffer(b"[a]*[b]*[c]*[d]*", "<i4") * 2).tolist()),
        ("text:aa//bb=bcc::dddd", (np.frombuffer(b"aa//bb=bcc::dddd", "<i4") * 2).tolist()),
        (
            "random:16:7",
            (np.random.default_rng(7).integers(0, 256, 16, np.uint8).view("<i4") * 2).tolist(),
        ),
    ],
)
def test_data_is_made(vyre: Vyre, given: str, doubles: list[int]) -> None:
    arguments = ("run", "double.mlir", "--input", f"values={given}", "--device", "reference")
    assert vyre(*arguments, "--json").json["outputs"]["doubles"] == doubles


def test_random_data_has_every_byte() -> None:
    drawn = read_input("values", "random:16384:7")
    assert np.unique(drawn).tolist() == list(range(256))


@pytest.mark.parametrize(
    "given",
    ["hex:0", "hex:xy", "zeros:", "zeros:-1", "zeros:1e3", "random:16", "random:16:x", "zeros:²"],
)
def test_data_that_makes_no_sense(vyre: Vyre, given: str) -> None:
    failed = vyre("run", "double.mlir", "--input", f"values={given}", "--device", "reference")
    assert failed.status == 2
    assert_one_line(failed, f"argument --input: values={given}: ")


@pytest.mark.parametrize(
    ("given", "role", "number"),
    [
        ("zeros:-5", "SIZE", "-5"),
        ("zeros:+5", "SIZE", "+5"),
        ("zeros:1.5", "SIZE", "1.5"),
        ("random:-5:0", "SIZE", "-5"),
        ("random:5:-1", "SEED", "-1"),
        ("zeros:10000000000000000000", "SIZE", "10000000000000000000"),
    ],
)
def test_which_numbers_data_is_made_of(vyre: Vyre, given: str, role: str, number: str) -> None:
    failed = vyre("run", "double.mlir", "--input", f"values={given}", "--device", "reference")
    assert failed.status == 2
    expected = f"expected {role} to be a whole number of 1 to 19 digits without a sign"
    assert_one_line(failed, f"argument --input: values={given}: {expected}, got '{number}'")


@pytest.mark.parametrize("digits", ["zz", "0", "0x10"])
def test_which_digits_data_is_made_of(vyre: Vyre, digits: str) -> None:
    failed = vyre("run", "double.mlir", "--input", f"values=hex:{digits}", "--device", "reference")
    expected = "expected pairs of hexadecimal digits"
    assert_one_line(failed, f"argument --input: values=hex:{digits}: {expected}")


def test_a_file_whose_name_looks_like_data(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "zeros:16").write_bytes((tmp_path / "values").read_bytes())
    given = ("run", "double.mlir", "--input", "values=./zeros:16", "--device", "reference")
    assert "doubles = [2, 4, -6, 8]" in vyre(*given).out
