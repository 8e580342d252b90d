"""Runs of codes whose dictionaries stand in the same source."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.interpreting import interpreter
from support.runs import PLAIN, REPEATED, DictionaryRuns, lookup
from support.tiers import crossed
from xdsl.dialects.builtin import i32

from vyre_dialect.runtime.errors import VyreError

RUNS = DictionaryRuns.drawn("i64", [(40, 3), (5, REPEATED), (37, PLAIN), (0, 7), (50, 12)])
"""Runs of which one has no value."""
BAD = "invalid run of dictionary codes at offset"


def decoded(runs: DictionaryRuns, type: str = "i64", values: int | None = None) -> bytes:
    module = lookup(type, len(runs.values), values=values)
    return interpreter(module).run(runs.inputs()).outputs["decoded"].tobytes()


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("type", "values"), crossed(["i32", "i64", "f32", "f64"], [1, 4, 8, 16, 32])
)
@settings(max_examples=8)
@given(st.data())
def test_codes_of_any_width_are_looked_up(type: str, values: int, data: st.DataObject) -> None:
    bits = st.sampled_from([PLAIN, REPEATED]) | st.integers(1, 32)
    lengths = st.lists(st.tuples(st.integers(0, 70), bits), max_size=6)
    runs = DictionaryRuns.drawn(type, data.draw(lengths), data.draw(st.integers(0, 99)))
    assert decoded(runs, type, values) == runs.values.tobytes()


def test_ends_may_be_words() -> None:
    module = lookup("i64", len(RUNS.values), i32)
    found = interpreter(module).run(RUNS.inputs("i4")).outputs["decoded"]
    assert found.tobytes() == RUNS.values.tobytes()


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1) | st.integers(0, 6), max_size=4))
def test_a_skip_table_is_not_believed(skips: list[int]) -> None:
    module = lookup("i64", len(RUNS.values), with_skips=True)
    inputs = RUNS.inputs() | {"skips": np.array(skips, np.int32)}
    assert interpreter(module).run(inputs).outputs["decoded"].tobytes() == RUNS.values.tobytes()


@pytest.mark.parametrize(
    ("run", "field", "value"),
    [
        *[(0, 0, each) for each in (-1, 1 << 20, (1 << 63) - 1)],
        *[(0, 1, each) for each in (-1, 33, 1 << 40)],
        *[(run, 2, each) for run in (0, 1, 2) for each in (-1, 1 << 20, (1 << 63) - 1)],
        *[(run, 3, each) for run in (0, 1, 2) for each in (-1, 0, 1 << 20, (1 << 63) - 1)],
        (2, 3, 36),
        (2, 0, 1 << 40),
    ],
)
def test_runs_that_are_not_what_they_say_are_reported(run: int, field: int, value: int) -> None:
    with pytest.raises(VyreError, match=f"{BAD} {run}"):
        decoded(RUNS.with_field(run, field, value))


def test_a_dictionary_ends_where_the_source_does() -> None:
    _, _, table, length = RUNS.fields[0].tolist()
    most = (len(RUNS.source) - table) // 8
    assert most > length
    assert decoded(RUNS.with_field(0, 3, most)) == RUNS.values.tobytes()
    with pytest.raises(VyreError, match=f"{BAD} 0"):
        decoded(RUNS.with_field(0, 3, most + 1))


def test_a_run_of_which_nothing_is_read_may_say_anything() -> None:
    runs = RUNS.with_field(3, 1, 99).with_field(3, 2, -5)
    assert decoded(runs) == runs.values.tobytes()


def test_too_few_runs_are_reported_by_their_number() -> None:
    module = lookup("i64", len(RUNS.values) + 1)
    with pytest.raises(VyreError, match=f"{BAD} 5"):
        interpreter(module).run(RUNS.inputs())


def test_ends_that_descend_touch_nothing_else() -> None:
    inputs = RUNS.inputs() | {"ends": np.array([50, 3, -7, 1 << 62, 60], np.int64)}
    with pytest.raises(VyreError, match=BAD):
        interpreter(lookup("i64", 57)).run(inputs)
