"""What a column may hold bounds what a condition of it may say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from support.tables import pa
from xdsl.dialects.builtin import IntegerType, i8, i16, i64

from vyre_dialect.columns.extras import ArrowType
from vyre_dialect.columns.query.predicates import InRange
from vyre_dialect.columns.query.terms import ColumnTerm
from vyre_dialect.columns.query.typed import column_of


@dataclass(frozen=True)
class Facts:
    """What is known of a column."""

    element_type: IntegerType
    logical_type: ArrowType
    minimum: Any | None = None
    maximum: Any | None = None
    name: str = "column"
    dictionary: None = None
    validity: None = None


def bounds(facts: Facts) -> tuple[int, int]:
    """The least and the greatest number that a column may hold."""
    column = column_of(facts)
    term = column.term if isinstance(column, InRange) else column
    assert isinstance(term, ColumnTerm)
    assert term.exact is not None
    return term.exact.low, term.exact.high


@pytest.mark.parametrize(
    ("element_type", "logical_type", "low", "high"),
    [
        (i8, pa.bool_(), 0, 1),
        (i8, pa.int8(), -128, 127),
        (i16, pa.int16(), -(1 << 15), (1 << 15) - 1),
        (i64, pa.int64(), -(1 << 63), (1 << 63) - 1),
    ],
)
def test_what_no_statistics_bound_its_type_bounds(
    element_type: IntegerType, logical_type: ArrowType, low: int, high: int
) -> None:
    assert bounds(Facts(element_type, logical_type)) == (low, high)
    assert bounds(Facts(element_type, logical_type, minimum=1)) == (1, high)
    assert bounds(Facts(element_type, logical_type, maximum=0)) == (low, 0)
