"""Least squares without negative coefficients."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.runtime.tuning.least_squares import non_negative_least_squares


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_it_finds_what_the_target_was_made_of(columns: int, seed: int):
    random = np.random.default_rng(seed)
    matrix = random.random((3 * columns + 3, columns))
    made_of = random.random(columns) * (random.random(columns) > 0.4)
    found = non_negative_least_squares(matrix, matrix @ made_of)
    np.testing.assert_allclose(found, made_of, atol=1e-6)


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_no_coefficient_could_be_changed_for_the_better(columns: int, seed: int):
    random = np.random.default_rng(seed)
    matrix, target = random.normal(size=(12, columns)), random.normal(size=12)
    found = non_negative_least_squares(matrix, target)
    gradient = matrix.T @ (target - matrix @ found)
    assert (found >= 0).all()
    assert (gradient <= 1e-7).all()
    assert np.abs(gradient[found > 1e-9]).max(initial=0) < 1e-7
