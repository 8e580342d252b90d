"""Queries over floats, and NumPy's answers in the order in which floats are combined."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import AnyFloat, ModuleOp, i8, i32

from support.scans import expanded
from vyre_dialect.builder import Program, aggregate
from vyre_dialect.ops.aggregate import AggregateKind

Array = npt.NDArray[np.generic]
BLOCK, LANES = 64, 256
KINDS = ("sum", "minimumf", "maximumf")


def float_aggregate(kind: str, values: Array, neutral: float) -> np.generic:
    """
    What floats combine to in the order that docs/library.md names; `values` has one for each row,
    the neutral one for those that do not count.
    """
    combine = {
        AggregateKind.SUM: np.add,
        AggregateKind.MINIMUMF: np.minimum,
        AggregateKind.MAXIMUMF: np.maximum,
    }[AggregateKind(kind)]
    identity = values.dtype.type(neutral)

    def in_columns(parts: Array, height: int, width: int) -> Array:
        """Rows of parts, each combined from its first element on."""
        padded = np.full(height * width, identity, parts.dtype)
        padded[: len(parts)] = parts
        combined = np.full(height, identity, parts.dtype)
        for column in padded.reshape(height, width).T:
            combined = combine(combined, column)
        return combined

    for _ in range(2):
        values = in_columns(values, -(-len(values) // BLOCK), BLOCK)
    rounds = -(-len(values) // LANES)
    turned = np.full(rounds * LANES, identity, values.dtype)
    turned[: len(values)] = values
    lanes = np.full(LANES, identity, values.dtype)
    for row in turned.reshape(rounds, LANES):
        lanes = combine(lanes, row)
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = combine(lanes[:half], lanes[half:])
    return combine(values.dtype.type(neutral), lanes[0])


def float_query(type: AnyFloat) -> ModuleOp:
    """What floats of `values` with a mark sum up to, their extremes, and how many there are."""

    def build(p: Program) -> None:
        values, marks = p.buffer("values", type), p.buffer("marks", i8)
        total = p.buffer("sum", type, 1, live_out=True)
        least = p.buffer("least", type, 1, live_out=True, fill=float("inf"))
        most = p.buffer("most", type, 1, live_out=True, fill=-float("inf"))
        count = p.buffer("count", i32, 1, live_out=True)
        with aggregate(values, marks) as query:
            value, mark = query.row
            query.where(mark.ne(0))
            query.sum(value, into=total)
            query.min(value, into=least)
            query.max(value, into=most)
            query.count(into=count)

    return expanded(build)


def assert_float_answers(
    found: Mapping[str, Array], values: npt.NDArray[np.floating], marks: npt.NDArray[np.int8]
) -> None:
    """That outputs of `float_query` are NumPy's answers."""
    counts = marks != 0
    neutral = {"sum": -0.0, "least": np.inf, "most": -np.inf}
    for (name, number), kind in zip(neutral.items(), KINDS, strict=True):
        terms = np.where(counts, values, values.dtype.type(number))
        expected = float_aggregate(kind, terms, 0.0 if name == "sum" else number)
        assert found[name].dtype == values.dtype
        np.testing.assert_array_equal(found[name], [expected])
    assert found["count"].view(np.int32)[0] == np.count_nonzero(counts)
