"""Mistakes that people make with the builder are named where they are written."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import builtin
from xdsl.dialects.builtin import VectorType, f32, i8, i16, i32
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.builder import (
    Program,
    Value,
    arm,
    constant,
    if_,
    program,
)
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.decode import XorOp
from vyre_dialect.ops.literals import LiteralOp
from vyre_dialect.ops.scan import HistogramOp

I32X4 = VectorType(i32, [4])


def line_of(text: str) -> int:
    return next(
        number
        for number, line in enumerate(Path(__file__).read_text().splitlines(), 1)
        if text in line
    )


def here(text: str) -> str:
    """The place that an error names: the line of this file with `text` in it."""
    return re.escape(f"{__file__}:{line_of(text)}: ")


def test_comparisons_are_built() -> None:
    with program("p") as p:
        values = p.buffer("values", i8, live_out=True)
        with p.arm("a", values.length) as i:
            with if_(values[i] == 65):
                values[i] = 1
            with if_(values[i] != 66):
                values[i] = 2
    assert "arith.cmpi eq" in str(p.module)
    assert "arith.cmpi ne" in str(p.module)


def test_a_range_is_no_position() -> None:
    with program("p") as p:
        values = p.buffer("values", i8)
        with (
            p.arm("a", values.length),
            pytest.raises(TypeError, match="expected the position of one element, got a range"),
        ):
            values[1:3]  # pyright: ignore[reportArgumentType, reportUnusedExpression]


DECISIONS: list[Callable[[Value], object]] = [
    lambda value: bool(value == 65),
    lambda value: bool(65 != value),
    lambda value: value > 3 and value < 5,
    lambda value: value in (1, 2),
    lambda value: not value,
]


@pytest.mark.parametrize("decide", DECISIONS)
def test_python_cannot_decide_by_a_value(decide: Callable[[Value], object]) -> None:
    with program("p") as p:
        values = p.buffer("values", i8)
        with (
            p.arm("a", values.length) as i,
            pytest.raises(TypeError, match="no truth in Python: use `if_`"),
        ):
            decide(values[i])


def test_python_cannot_count_by_a_value() -> None:
    with program("p") as p:
        values = p.buffer("values", i8)
        with pytest.raises(TypeError, match="use `for_` for `range`"):
            range(values.length)


def carries_from_arm_to_arm(p: Program) -> None:
    values, written = p.buffer("values", i8), p.buffer("written", i8, 1)
    with p.arm("a", values.length) as i:
        carried = values[i]
    with p.arm("b", 1):
        written[0] = carried


def carries_out_of_a_branch(p: Program) -> None:
    values = p.buffer("values", i8)
    with p.arm("a", values.length) as i:
        with if_(i < 3):
            inner = values[i]
        values[i] = inner


@pytest.mark.parametrize(
    ("build", "line"),
    [(carries_from_arm_to_arm, "written[0] = carried"), (carries_out_of_a_branch, "[i] = inner")],
)
def test_a_value_out_of_reach_is_refused_where_it_is_written(
    build: Callable[[Program], None], line: str
) -> None:
    message = f"^{here(line)}'vyre.store' uses a value of the arm, branch or loop that has been"
    with pytest.raises(VerifyException, match=message), program("p") as p:
        build(p)


def test_a_buffer_of_another_program_is_refused() -> None:
    with program("p") as p:
        foreign = p.buffer("foreign", i8)
    with pytest.raises(VerifyException, match="of the program that has been left"):
        with program("q") as q:
            XorOp(foreign, q.buffer("own", i8), b"k")


def names_two_buffers_alike() -> None:
    with program("p") as p:
        p.buffer("b", i8)
        p.buffer("b", i32, 128)


def counts_into_too_few_bins() -> None:
    with program("p") as p:
        source, few = p.buffer("source", i8), p.buffer("few", i32, 64)
        HistogramOp(source, few)


@pytest.mark.parametrize(
    ("build", "line"),
    [
        (names_two_buffers_alike, 'p.buffer("b", i32, 128)'),
        (counts_into_too_few_bins, "HistogramOp(source, few)"),
    ],
)
def test_an_error_found_at_the_end_names_the_line(build: Callable[[], None], line: str) -> None:
    with pytest.raises(VerifyException, match=f"^{here(line)}'vyre.") as raised:
        build()
    assert "\n" not in str(raised.value)


def test_buffers_are_operands() -> None:
    with program("p") as p:
        encoded, decoded = p.buffer("encoded", np.uint8), p.buffer("decoded", np.int8)
        XorOp(encoded, decoded.ssa, b"key")
        LiteralOp(b"self", decoded, p.buffer("count", np.dtype("uint32"), 1, live_out=True))
    assert "!vyre.buffer<1xi32, read_write>" in str(p.module)


@pytest.mark.parametrize(
    ("given", "type"),
    [
        (np.uint8, i8),
        (np.dtype(">i2"), i16),
        (np.float32, f32),
        (bool, builtin.i1),
        (float, builtin.f64),
        (I32X4, I32X4),
    ],
)
def test_types_of_numpy(given: Any, type: Attribute) -> None:
    with program("p") as p:
        assert p.buffer("a", given, 4).type.element_type == type


@pytest.mark.parametrize("given", ["i8", np.complex64, "uint8", np.longdouble, None, object])
def test_types_that_elements_do_not_have(given: Any) -> None:
    with program("p") as p, pytest.raises(TypeError, match="expected"):
        p.buffer("a", given, 4)


def test_contents_may_be_bytes_or_an_array() -> None:
    with program("p") as p:
        given = p.buffer("given", i8, contents=b"abc", access=Access.READ_ONLY)
        array = p.buffer("array", i16, contents=np.arange(3), access=Access.READ_ONLY)  # type: ignore
        with p.arm("a", 1):
            constant(np.int64(3), i32)  # type: ignore
    assert (given.type.static_count, array.type.static_count) == (3, 3)
    assert "dense<[97, 98, 99]>" in str(p.module)
    assert "dense<[0, 1, 2]>" in str(p.module)


def test_what_is_no_value_is_refused() -> None:
    with program("p") as p:
        values = p.buffer("values", i8)
        with p.arm("a", values.length) as i:
            for wrong in (None, "a", b"a", [1]):
                with pytest.raises(TypeError, match="expected a value of the program or a number"):
                    values[i] = wrong  # type: ignore


def test_an_arm_that_stands_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match=r"arm 'a' expected to stand inside of what is being"):
        arm("a", 4)


@irdl_op_definition
class SmallOp(IRDLOperation):
    """An op of another package, with a constructor of its own."""

    name = "other.small"
    value = operand_def(i32)

    def __init__(self, value: Value):
        super().__init__(operands=[value.ssa])

    def verify_(self) -> None:
        raise VerifyException("'other.small' is too small")


def with_a_small_op() -> None:
    with program("p") as p:
        values = p.buffer("values", i32, live_out=True)
        with p.arm("a", values.length) as i:
            SmallOp(values[i])


def test_an_op_stands_where_it_is_asked_for_and_not_in_its_constructor() -> None:
    where = here("    SmallOp(values[i])")
    with pytest.raises(VerifyException, match=f"^{where}'other.small' is too small$") as refused:
        with_a_small_op()
    assert refused.value.__suppress_context__  # the text of the program, of many lines
