"""
A Gaussian process over the points of a space: what a measurement elsewhere is likely to give.

Its kernel falls exponentially with the distance along each axis (Rasmussen and Williams, Gaussian
Processes for Machine Learning, 2006, sections 4.2 and 5.4), which suits times that jump from one
value of an axis to the next. Lengths and noise are those under which what was measured is the most
likely, as far as a random walk finds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

_LEAST_LENGTH, _MOST_LENGTH = 0.05, 20.0
_LEAST_NOISE, _MOST_NOISE = 1e-5, 1e-1
_LENGTH_PENALTY = 0.25


@dataclass(frozen=True)
class Scales:
    """How far measurements tell of one another, per axis of extent 1, and how noisy they are."""

    lengths: Floats
    noise: float = 1e-3

    def perturbed(self, random: np.random.Generator) -> Scales:
        """Scales nearby, with some of the axes changed."""
        axes = len(self.lengths)
        steps = random.normal(0, 0.6, axes) * (random.random(axes) < 0.4)
        lengths = np.clip(self.lengths * np.exp(steps), _LEAST_LENGTH, _MOST_LENGTH)
        noise = np.clip(self.noise * np.exp(random.normal(0, 0.7)), _LEAST_NOISE, _MOST_NOISE)
        return Scales(lengths, float(noise))


class Surrogate:
    """What `values`, of mean 0 and deviation 1, at `points`, one per row, tell of other points."""

    def __init__(self, points: Floats, values: Floats, scales: Scales):
        self._points, self._scales = points, scales
        covariance = self._kernel(points)
        covariance[np.diag_indices_from(covariance)] += scales.noise
        self._factor = np.linalg.cholesky(covariance)
        self._weights = np.linalg.solve(self._factor, values)
        self._variance = float(self._weights @ self._weights) / len(values)

    @property
    def log_likelihood(self) -> float:
        """Of the values, up to a constant; lengths far from 1 count as less likely."""
        fit = -0.5 * len(self._points) * np.log(self._variance + 1e-300)
        volume = np.log(np.diag(self._factor)).sum()
        prior = _LENGTH_PENALTY * (np.log(self._scales.lengths) ** 2).sum()
        return float(fit - volume - prior)

    def expected_improvement(self, points: Floats, best: float) -> Floats:
        """By how much each of `points` is expected to be below `best`, counting only if it is."""
        against = np.linalg.solve(self._factor, self._kernel(points).T)
        mean = against.T @ self._weights
        share = np.maximum(1 - np.square(against).sum(0), 1e-12)
        deviation = np.sqrt(share * max(self._variance, 1e-12))
        distance = (best - mean) / deviation
        return deviation * (distance * _normal_cdf(distance) + _normal_pdf(distance))

    def _kernel(self, points: Floats) -> Floats:
        lengths = self._scales.lengths
        return np.exp(-_distances(points / lengths, self._points / lengths))


def _distances(points: Floats, others: Floats) -> Floats:
    """Of each of `points` from each of `others`, one per row, summed over the axes."""
    total = np.zeros((len(points), len(others)))
    along = np.empty_like(total)
    for axis in range(points.shape[1]):
        np.subtract.outer(points[:, axis], others[:, axis], out=along)
        total += np.abs(along, out=along)
    return total


def fit(
    points: Floats, values: Floats, scales: Scales, random: np.random.Generator, steps: int
) -> Scales:
    """
    The most likely scales that two random walks uphill find, of so many steps each: one from
    `scales`, which may be a peak far below others, and one from lengths of 1.
    """
    starts = (scales, Scales(np.ones_like(scales.lengths)))
    found = [_climb(points, values, start, random, steps) for start in starts]
    return max(found, key=lambda each: each[0])[1]


def _climb(
    points: Floats, values: Floats, scales: Scales, random: np.random.Generator, steps: int
) -> tuple[float, Scales]:
    best = Surrogate(points, values, scales).log_likelihood
    for _ in range(steps):
        candidate = scales.perturbed(random)
        likelihood = Surrogate(points, values, candidate).log_likelihood
        if likelihood > best:
            best, scales = likelihood, candidate
    return best, scales


def _normal_pdf(x: Floats) -> Floats:
    return np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)


def _normal_cdf(x: Floats) -> Floats:
    """To 7 decimals: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17."""
    t = 1 / (1 + 0.2316419 * np.abs(x))
    series = 1.330274429
    for coefficient in (-1.821255978, 1.781477937, -0.356563782, 0.319381530):
        series = series * t + coefficient
    tail = _normal_pdf(x) * series * t
    return np.where(x > 0, 1 - tail, tail)
