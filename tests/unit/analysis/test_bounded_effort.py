"""Effort is bounded for each question, however many there are."""

from __future__ import annotations

import islpy as isl
import pytest
from xdsl.dialects.builtin import i32

from vyre_dialect.analysis import bounded_effort
from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.analysis.bounded_effort import bounded, has_given_up, next_question
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.builder import program
from vyre_dialect.ops.program import RegionOp


@pytest.fixture(autouse=True)
def few_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_effort, "MAX_OPERATIONS", 6000)


def _easy_question(context: isl.Context) -> None:
    assert not isl.Set.read_from_str(context, "{ [i] : 0 <= i < 5 }").is_empty()


def _long_question(context: isl.Context) -> None:
    for _ in range(100):
        _easy_question(context)


def test_one_long_question_is_given_up() -> None:
    context = isl.Context()
    with bounded(context), pytest.raises(isl.Error, match="maximal number of operations"):
        _long_question(context)


def test_many_questions_are_answered() -> None:
    context = isl.Context()
    with bounded(context):
        for _ in range(100):
            next_question(context)
            _easy_question(context)
        assert not has_given_up(context)


def test_no_next_question_after_giving_up() -> None:
    context = isl.Context()
    with bounded(context):
        with pytest.raises(isl.Error):
            _long_question(context)
        with pytest.raises(isl.Error):
            next_question(context)
        assert has_given_up(context)
    next_question(context)
    assert not has_given_up(context)


def test_an_arm_is_understood_however_many_accesses_it_has() -> None:
    with program("wide") as p:
        out = p.buffer("out", i32, live_out=True)
        with p.arm("write", out.length // 64) as i:
            for place in range(64):
                out[i * 64 + place] = place
    arm = next(op for op in p.module.walk() if isinstance(op, RegionOp))
    symbols = Symbols(isl.Context())
    with bounded(symbols.context):
        accesses = ArmAccesses(arm, symbols).accesses
    assert len(accesses) == 64
    assert all(access.exact for access in accesses)
