"""Runs of packed integers, each of its own length and width."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.interpreting import interpreter
from support.runs import PackedRuns, unpacker
from support.tiers import crossed
from xdsl.dialects.builtin import i32

from examples.encodings import Array
from vyre_dialect.runtime.errors import VyreError

RUNS = PackedRuns.drawn(16, [(5, 3), (0, 16), (11, 0), (40, 13), (1, 1)])
"""Runs of which one has no value."""


def decoded(runs: PackedRuns, values: int | None = None, count: int | None = None) -> Array:
    count = len(runs.values) if count is None else count
    module = unpacker(runs.width, count, values=values)
    found = interpreter(module).run(runs.inputs()).outputs["decoded"]
    return found.view(runs.values.dtype)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("width", "values"), crossed([8, 16, 32, 64], [1, 4, 8, 16, 32]))
@settings(max_examples=10)
@given(st.data())
def test_runs_of_any_width_are_unpacked(width: int, values: int, data: st.DataObject):
    lengths = st.tuples(st.integers(0, 20), st.integers(0, width))
    runs = PackedRuns.drawn(
        width, data.draw(st.lists(lengths, max_size=9)), data.draw(st.integers(0, 99))
    )
    assert decoded(runs, values).tolist() == runs.values.tolist()


MANY = PackedRuns.drawn(16, [(count % 90, count % 17) for count in range(40)], seed=1)
"""More values than a skip table has one of."""


def skips_of(runs: PackedRuns) -> list[int]:
    """The run of each 256th value, and that of the last."""
    places = [*range(0, len(runs.values), 256), len(runs.values) - 1]
    return [int(np.searchsorted(runs.ends, place, side="right")) for place in places]


def test_a_skip_table_says_where_the_search_begins() -> None:
    module = unpacker(16, len(MANY.values), with_skips=True)
    skips = np.array(skips_of(MANY), np.int32)
    found = interpreter(module).run(MANY.inputs() | {"skips": skips}).outputs["decoded"]
    assert found.tobytes() == MANY.values.tobytes()


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1) | st.integers(0, 50), max_size=9))
def test_a_skip_table_is_not_believed(skips: list[int]) -> None:
    module = unpacker(16, len(MANY.values), with_skips=True)
    inputs = MANY.inputs() | {"skips": np.array(skips, np.int32)}
    found = interpreter(module).run(inputs).outputs["decoded"]
    assert found.tobytes() == MANY.values.tobytes()


def test_ends_may_be_words():
    module = unpacker(16, len(RUNS.values), i32)
    found = interpreter(module).run(RUNS.inputs("i4")).outputs["decoded"]
    assert found.tobytes() == RUNS.values.tobytes()


def test_values_behind_the_count_are_nobodys():
    assert decoded(RUNS, 4, 3).tolist() == RUNS.values[:3].tolist()


@pytest.mark.parametrize(
    ("run", "field", "value"),
    [(0, 1, 17), (3, 1, -1), (3, 0, -1), (0, 0, 1 << 40), (4, 0, (1 << 63) - 1), (3, 0, 600)],
)
def test_runs_that_are_not_what_they_say_are_reported(run: int, field: int, value: int):
    with pytest.raises(VyreError, match=f"invalid run of packed integers at offset {run}"):
        decoded(RUNS.with_field(run, field, value))


def test_a_run_of_which_nothing_is_read_may_say_anything():
    runs = RUNS.with_field(1, 1, 99)
    assert decoded(runs).tolist() == runs.values.tolist()


def test_too_few_runs_are_reported_by_their_number():
    with pytest.raises(VyreError, match="invalid run of packed integers at offset 5"):
        decoded(RUNS, count=len(RUNS.values) + 1)


@pytest.mark.slow
def test_ends_that_descend_touch_nothing_else():
    runs = PackedRuns.drawn(16, [(20, 0)] * 4)
    inputs = runs.inputs() | {"ends": np.array([50, 3, -7, 1 << 62], np.int64)}
    found = interpreter(unpacker(16, 57)).run(inputs).outputs["decoded"]
    bases = {base % (1 << 16) for base in runs.fields[:, 2].tolist()}
    assert len(found) == 57
    assert set(found.view(np.uint16).tolist()) <= bases


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_integers_at_a_limit_are_reported_by_their_run(width: int):
    runs = PackedRuns.drawn(width, [(9, 4), (30, 5), (7, 0)])
    packed = runs.values.astype(np.int64) - np.repeat(runs.fields[:, 2], [9, 30, 7])
    packed %= 1 << min(width, 62)
    most = int(packed[9:39].max())
    module = unpacker(width, len(runs.values), with_limits=True)
    enough = runs.inputs() | {"limits": np.array([16, most + 1, 1])}
    found = interpreter(module).run(enough).outputs["decoded"]
    assert found.view(runs.values.dtype).tolist() == runs.values.tolist()
    with pytest.raises(VyreError, match="invalid run of packed integers at offset 1"):
        interpreter(module).run(runs.inputs() | {"limits": np.array([16, most, 1])})
    with pytest.raises(VyreError, match="invalid run of packed integers at offset 2"):
        interpreter(module).run(runs.inputs() | {"limits": np.array([16, 32, 0])})
