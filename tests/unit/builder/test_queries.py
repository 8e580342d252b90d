"""Queries that are written in a `with`."""

from __future__ import annotations

import re

import pytest
from support.interpreting import parse
from xdsl.dialects.builtin import f32, i8, i32, i64
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.builder import aggregate, program, select

AGGREGATE = """
vyre.program @p {
  %keys = vyre.buffer @keys : !vyre.buffer<?xi32, read_write>
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_write>
  %rows = vyre.buffer @rows : !vyre.buffer<4xi32, read_write>
  %total = vyre.buffer @total : !vyre.buffer<4xi64, read_write>
  %most = vyre.buffer @most fill -9223372036854775808 : i64 : !vyre.buffer<4xi64, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi64, read_write>
  vyre.scan.aggregate (%key = %keys : !vyre.buffer<?xi32, read_write>,
                       %value = %values : !vyre.buffer<?xi64, read_write>) at %row rows %n
      into count %rows : !vyre.buffer<4xi32, read_write>,
           sum %total : !vyre.buffer<4xi64, read_write>,
           maxs %most : !vyre.buffer<4xi64, read_write> {
    %three = arith.constant 3 : i32
    %is_small = arith.cmpi ult, %key, %three : i32
    %ten = arith.constant 10 : index
    %is_early = arith.cmpi slt, %row, %ten : index
    %are_both = arith.andi %is_small, %is_early : i1
    vyre.scan.yield %value, %value : i64, i64 where %are_both group %key
  }
}
"""


def test_an_aggregate_is_what_its_body_asks_for() -> None:
    with program("p") as p:
        keys, values = p.buffer("keys", i32), p.buffer("values", i64)
        rows, total = p.buffer("rows", i32, 4), p.buffer("total", i64, 4)
        most = p.buffer("most", i64, 4, fill=-(1 << 63))
        with aggregate(keys, values, rows=values.length) as query:
            key, value = query.row
            query.group_by(key)
            query.where(key < 3)
            query.where(query.position < 10)
            query.count(into=rows)
            query.sum(value, into=total)
            query.max(value, into=most, signed=True)
    assert p.module.is_structurally_equivalent(parse(AGGREGATE))


def test_kinds_follow_from_types() -> None:
    with program("p") as p:
        values, bytes_ = p.buffer("values", f32), p.buffer("bytes", i8)
        least = p.buffer("least", f32, 1, fill=float("inf"))
        unsigned = p.buffer("unsigned", i32, 1, fill=-1)
        first = p.buffer("first", i32, 1, fill=-1)
        kept = p.buffer("kept", f32)
        with aggregate(values, bytes_) as query:
            query.min(query.row[0], into=least)
            query.min(query.row[1].to(i32), into=unsigned)
            query.first(into=first)
        with select(values) as query:
            query.where(query.row[0] > 0.5)
            query.values(2.0, into=kept)
    text = str(p)
    assert "into minimumf %least" in text
    assert ", minu %unsigned" in text
    assert ", first %first" in text
    assert "into values %kept" in text


def too_narrow() -> None:
    with program("p") as p:
        values, total = p.buffer("values", i32), p.buffer("total", i64, 1)
        with aggregate(values) as query:
            query.sum(query.row[0], into=total)


def test_errors_name_the_line_of_the_query() -> None:
    message = (
        r":\d+: 'vyre.scan.aggregate' expected the body to yield i64 for a sum of i64, got i32"
    )
    with pytest.raises(VerifyException, match=re.escape(__file__) + message):
        too_narrow()


def used_again() -> None:
    with program("p") as p:
        values, total = p.buffer("values", i32), p.buffer("total", i32, 1)
        with aggregate(values) as query:
            query.sum(query.row[0], into=total)
        with aggregate(values) as other:
            other.sum(query.row[0] + 1, into=total)


def test_a_row_is_not_used_outside_of_its_query() -> None:
    with pytest.raises(VerifyException, match="has been left"):
        used_again()
