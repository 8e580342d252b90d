"""
Which points of a space to measure next, so that few measurements find a fast one.

A small space is swept. In a large one a surrogate model chooses, after some points at random or,
where an expert has chosen the first one, after each value of each axis, the point with the most
expected improvement (Jones, Schonlau and Welch, Efficient Global Optimization
of Expensive Black-Box Functions, 1998), among those that differ from the best one in one or two
axes and some from anywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vyre_dialect.runtime.tuning.surrogate import Floats, Scales, Surrogate, fit

INITIAL = 12
"""Points at random before the model has its say, or a quarter of the measurements if fewer."""

_FIT_EVERY, _FIT_STEPS = 5, 10
_ELSEWHERE = 500
_NEAR = 2
_CLIP = 0.8
"""Slower points than this share of all count as if they were no slower: they teach nothing."""

Point: TypeAlias = tuple[int, ...]
"""The position of a value on each axis."""
Points: TypeAlias = NDArray[np.int64]
"""One per row."""


@dataclass(frozen=True)
class Expert:
    """That few points are as fast as the first one, so that most others teach nothing."""

    switches: Mapping[int, int]
    """The axes that mean something only where another one is not at 0, with that one."""


class Space(ABC):
    """Points, of which the first is where a search begins."""

    def __init__(self, sizes: Sequence[int], first: Point, expert: Expert | None = None):
        self.sizes = tuple(sizes)
        """The values of each axis, which stand in an order in which neighbours are alike."""
        self.first = first
        self.expert = expert
        """Who has chosen the first point, if that is no point like the others."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def all(self) -> Points:
        """Every point."""

    @abstractmethod
    def some(self, count: int, random: np.random.Generator) -> Points:
        """About `count` points from anywhere."""

    @abstractmethod
    def near(self, point: Point) -> Points:
        """The points that differ from one in at most two axes."""

    def features(self, points: Points) -> Floats:
        """Points as in a unit cube, without the axes on which there is nothing to choose."""
        sizes = np.array(self.sizes)
        return points[:, sizes > 1] / (sizes[sizes > 1] - 1)


class ProductSpace(Space):
    """Every combination of values."""

    def __len__(self) -> int:
        return prod(self.sizes)

    def all(self) -> Points:
        return np.array(list(product(*map(range, self.sizes))), np.int64)

    def some(self, count: int, random: np.random.Generator) -> Points:
        return np.stack([random.integers(0, size, count) for size in self.sizes], axis=1)

    def near(self, point: Point) -> Points:
        found = [np.array([point])]
        for axes in combinations(range(len(self.sizes)), min(_NEAR, len(self.sizes))):
            values = list(product(*(range(self.sizes[axis]) for axis in axes)))
            moved = np.repeat([point], len(values), axis=0)
            moved[:, axes] = values
            found.append(moved)
        return np.concatenate(found)


class ListedSpace(Space):
    """Those combinations that are listed."""

    def __init__(
        self, sizes: Sequence[int], first: Point, points: Points, expert: Expert | None = None
    ):
        super().__init__(sizes, first, expert)
        self._points = points

    def __len__(self) -> int:
        return len(self._points)

    def all(self) -> Points:
        return self._points

    def some(self, count: int, random: np.random.Generator) -> Points:
        return self._points[random.choice(len(self), min(len(self), count), replace=False)]

    def near(self, point: Point) -> Points:
        return self._points[(self._points != np.array(point)).sum(axis=1) <= _NEAR]


class Search:
    """Asks for points of `space`, none twice, and is told what they took."""

    def __init__(self, space: Space, evaluations: int, seed: int = 0):
        self._space = space
        self._random = np.random.default_rng(seed)
        self.evaluations = min(evaluations, len(space))
        """How many points it asks for."""
        self.is_sweep = len(space) <= evaluations
        self._scales = Scales(np.ones(sum(size > 1 for size in space.sizes)))
        self._fitted_at = 0
        self._times: dict[Point, float | None] = {}
        """Of all points that were asked for; None for those that failed or are not known yet."""
        self._tried = set[tuple[int, int]]()
        """The values, with the number of their axis, that a fastest point was tried with."""

    def ask(self) -> Point | None:
        """The point to measure next; None when it has asked for all."""
        if len(self._times) >= self.evaluations:
            return None
        point = self._next()
        self._times[point] = None
        return point

    def tell(self, point: Point, time: float | None) -> None:
        """What a point took, in any unit; None where it failed.

        Raises ValueError for a time that is no time.
        """
        if time is not None and not 0 < time < float("inf"):
            raise ValueError(f"expected a positive time, got {time}")
        self._times[point] = time

    def _next(self) -> Point:
        if self.is_sweep:
            return self._sweep[len(self._times)]
        if not self._times:
            return self._space.first
        expert, is_early = self._space.expert, len(self._times) <= self.evaluations // 2
        if expert and is_early and (point := self._beside_fastest(expert)) is not None:
            return point
        values = self._values() if self._is_led else None
        return self._anywhere() if values is None else self._promising(values)

    @property
    def _is_led(self) -> bool:
        """Whether enough is known for the model to choose."""
        return not self.is_sweep and len(self._times) >= min(INITIAL, self.evaluations // 4)

    @cached_property
    def _sweep(self) -> list[Point]:
        """All points, those that differ from the first in the fewest axes before the others."""
        points = self._space.all()
        distance = (points != np.array(self._space.first)).sum(axis=1)
        return [_point(row) for row in points[np.argsort(distance, kind="stable")]]

    def _anywhere(self) -> Point:
        while True:
            point = _point(self._space.some(1, self._random)[0])
            if point not in self._times:
                return point

    def _unasked(self, points: Points) -> Points:
        return points[[tuple(row) not in self._times for row in points.tolist()]]

    def _beside_fastest(self, expert: Expert) -> Point | None:
        """The fastest point so far with a value that was not tried there yet; None if all were."""
        known = {point: time for point, time in self._times.items() if time is not None}
        fastest = min(known, key=known.__getitem__, default=self._space.first)
        near = np.unique(self._space.near(fastest), axis=0)
        for row in self._random.permutation(near):
            point = _point(row)
            change = _one_change(fastest, point, expert.switches)
            if change is None or change in self._tried:
                continue
            self._tried.add(change)
            if point not in self._times:
                return point
        return None

    def _promising(self, values: Floats) -> Point:
        asked = list(self._times)
        known = self._space.features(np.array(asked))
        if len(asked) >= self._fitted_at + _FIT_EVERY or not self._fitted_at:
            self._fitted_at = len(asked)
            self._scales = fit(known, values, self._scales, self._random, _FIT_STEPS)
        nearby = self._space.near(asked[int(values.argmin())])
        elsewhere = self._space.some(_ELSEWHERE, self._random)
        candidates = self._unasked(np.concatenate([nearby, elsewhere]))
        if not len(candidates):
            return self._anywhere()
        surrogate = Surrogate(known, values, self._scales)
        gain = surrogate.expected_improvement(self._space.features(candidates), values.min())
        return _point(candidates[gain.argmax()])

    def _values(self) -> Floats | None:
        """The logarithms of times, of mean 0 and deviation 1; None where they tell nothing yet."""
        times = [np.inf if time is None else time for time in self._times.values()]
        logs = np.log(times)
        measured = logs[np.isfinite(logs)]
        if len(measured) < 2:
            return None
        # What failed, or is not known yet, is as good as what is slow.
        clipped = np.minimum(logs, np.quantile(measured, _CLIP))
        deviation = clipped.std()
        return (clipped - clipped.mean()) / deviation if deviation else None


def _one_change(before: Point, after: Point, switches: Mapping[int, int]) -> tuple[int, int] | None:
    """The axis and the value in which points differ, beside the switch that it takes."""
    changes = [each for each in enumerate(after) if each[1] != before[each[0]]]
    taken = [switches[axis] for axis, _ in changes if axis in switches]
    if not all(after[switch] for switch in taken):
        return None
    own = [each for each in changes if each[0] not in taken]
    return own[0] if len(own) == 1 else None


def _point(row: Points) -> Point:
    return tuple(map(int, row))
