"""A mistake in what a package says of an op is told with the op, the part and the package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.foreign_ops import MixOp
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ir.meaning import Meaning, Meanings


def described(meaning: type[Meaning], facet: str) -> Any:
    """What a class says of an op in one respect."""
    meanings = Meanings()
    meanings.describe(MixOp)(meaning)
    return meanings.by_op[MixOp].part(facet)


class Wrong(Meaning):
    def numpy(self, op: MixOp) -> Any:
        def compute(one: int) -> int:
            return one

        return compute

    def range(self, op: MixOp, operands: Any) -> Any:
        return operands

    def divisor(self, op: MixOp) -> Any:
        return 1

    def affine(self, values: Any, op: MixOp) -> Any:
        return values.missing

    def linear(self, op: MixOp, operands: Any) -> Any:
        raise DiagnosticException("a reason of its own")

    def signed_range(self, op: MixOp, operands: Any) -> Any:
        return operands

    def narrow(self, width: Any, op: MixOp) -> Any:
        return width

    def text_cuda(self, op: MixOp) -> Any:
        return dict[str, int]()["nowhere"]


OWN = f"of 'acme.mix', as '{__name__}' describes it,"


@pytest.mark.parametrize(
    ("facet", "arguments", "message"),
    [
        ("divisor", (1, 2), f"'divisor' {OWN} failed: TypeError: Wrong.divisor() takes"),
        ("affine", (1, 2), f"'affine' {OWN} failed: AttributeError: 'int' object has no"),
        ("text_cuda", (1,), f"'text_cuda' {OWN} failed: KeyError: 'nowhere'"),
        ("range", (1, 5), f"'range' {OWN} gave 5, expected 'Range'"),
        ("range", (1, None), f"'range' {OWN} gave None, expected 'Range'"),
        ("signed_range", (1, 5), f"'signed_range' {OWN} gave 5, expected 'Range'"),
        ("narrow", (8, 2), f"'narrow' {OWN} gave 8, expected 'Form' or 'NoneType'"),
        ("linear", (1, 2), "a reason of its own"),
    ],
)
def test_a_mistake_is_told(facet: str, arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(DiagnosticException) as raised:
        described(Wrong, facet)(*arguments)
    assert str(raised.value).startswith(message)


def test_a_mistake_is_told_with_its_line() -> None:
    with pytest.raises(DiagnosticException) as raised:
        described(Wrong, "affine")(1, 2)
    assert re.search(rf"\({re.escape(__file__)}:\d+\)$", str(raised.value))
    line = Path(__file__).read_text().splitlines()[int(str(raised.value)[:-1].split(":")[-1]) - 1]
    assert line.strip() == "return values.missing"


def test_what_a_part_gives_to_be_called_later_is_watched_too() -> None:
    compute = described(Wrong, "numpy")(None)
    assert compute(3) == 3
    with pytest.raises(DiagnosticException, match=r"^'numpy' of 'acme\.mix', .* failed: TypeError"):
        compute(3, 4)


def test_what_is_right_is_as_it_was() -> None:
    class Right(Meaning):
        def range(self, op: Any, operands: Any) -> Range:
            return Range(0, operands)

        def affine(self, values: Any, op: Any) -> None:
            return None

    assert described(Right, "range")(None, 5) == Range(0, 5)
    assert described(Right, "affine")(None, None) is None
