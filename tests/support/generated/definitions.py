"""Definitions of ops in others: expressions of two operands, drawn as text."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from hypothesis import strategies as st
from xdsl.dialects.builtin import i32, i64

from support.foreign_ops import MixOp
from vyre_dialect.builder.values import Value
from vyre_dialect.ir import meaning
from vyre_dialect.ir.meaning import Meaning, Meanings, Registry

OPERATORS = ("+", "-", "*", "&", "|", "^", "<<", ">>", "//", "%")
METHODS = ("min", "max", "minsi", "maxsi", "divsi", "remsi", "shrsi")
LEAVES = ("lhs", "rhs")
NUMBERS = (1, 2, 3, 8, 12, 31, 255)


@st.composite
def texts(draw: st.DrawFn, depth: int = 3) -> str:
    """An expression of two values and of numbers, with an operator at least."""
    parts = list[str]()
    for _ in range(2):
        if depth > 1 and draw(st.booleans()):
            parts.append(draw(texts(depth - 1)))
        else:
            parts.append(draw(st.sampled_from(LEAVES)))
    operator = draw(st.sampled_from((*OPERATORS, *METHODS)))
    if draw(st.booleans()):
        parts[1] = str(draw(st.sampled_from(NUMBERS)))
    if operator in METHODS:
        return f"{parts[0]}.{operator}({parts[1]})"
    return f"({parts[0]} {operator} {parts[1]})"


@contextmanager
def mix_defined() -> Generator[list[str]]:
    """While it lasts, `acme.mix` is defined as the text in the list, which may change."""
    definition = ["lhs"]
    ops = Meanings()

    @ops.describe(MixOp)
    class Mix(Meaning):  # pyright: ignore[reportUnusedClass]
        def definition(self, op: MixOp, lhs: Value, rhs: Value) -> Value:
            return eval(definition[0], {"i32": i32, "i64": i64}, {"lhs": lhs, "rhs": rhs})

    before = meaning.OPS
    meaning.OPS = Registry(before._own)
    meaning.OPS.register(ops)
    try:
        yield definition
    finally:
        meaning.OPS = before
