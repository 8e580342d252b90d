"""Least squares with coefficients that are not negative."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.floating[Any]]
_TOLERANCE = 1e-10


def non_negative_least_squares(matrix: Array, target: Array) -> Array:
    """
    The `x >= 0` for which `matrix @ x` is nearest to `target`. Source: Lawson and Hanson, "Solving
    Least Squares Problems", chapter 23.
    """
    columns = matrix.shape[1]
    found, is_free = np.zeros(columns), np.zeros(columns, np.bool_)
    for _ in range(3 * columns):
        gradient = matrix.T @ (target - matrix @ found)
        gradient[is_free] = -np.inf
        best = int(np.argmax(gradient))
        if gradient[best] <= _TOLERANCE:
            break
        is_free[best] = True
        found = _solved(matrix, target, found, is_free)
    return found


def _solved(matrix: Array, target: Array, found: Array, is_free: NDArray[np.bool_]) -> Array:
    """The solution over the free columns; those that would become negative are freed no longer."""
    while is_free.any():
        trial = np.zeros_like(found)
        trial[is_free] = np.linalg.lstsq(matrix[:, is_free], target)[0]
        falls = is_free & (trial <= _TOLERANCE)
        if not falls.any():
            return trial
        step = np.min(found[falls] / np.maximum(found[falls] - trial[falls], _TOLERANCE))
        found = found + step * (trial - found)
        is_free &= found > _TOLERANCE
        found[~is_free] = 0
    return found
