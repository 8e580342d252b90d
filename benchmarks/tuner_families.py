"""
Families of tuning tables, drawn from a seed: times of kernels by model, over all their parameters.

Some are models of a GPU, whose occupancy falls in steps (Volkov, Better performance at lower
occupancy, 2010) and whose time is what bounds it (Williams, Waterman and Patterson, Roofline,
2009); others are landscapes that mean nothing: effects of axes and pairs, trees of cases, scarce
resources, and the NK model of Kauffman (The Origins of Order, 1993). Most tables have some axes
that change nothing, and points that fail or are not listed; all have noise at every point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, isfinite, log, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.tuner_tables import Table
from vyre_dialect.runtime.tuning.search import Point

Values: TypeAlias = NDArray[np.float64]
"""One per point."""
Axes: TypeAlias = Mapping[str, Sequence[int]]
"""The values of each axis."""
Model: TypeAlias = Callable[[np.random.Generator, Mapping[str, Values]], Values]
"""Times of points, of which the value on each axis is given; infinite where one fails."""

POINTS = (500, 50_000)
"""The least and the most combinations of values; some tables list only those that run."""
DEVELOPED_ON, HELD_BACK = range(100, 104), range(900, 902)
"""Seeds by which the search was developed, and those by which nothing was chosen."""


@dataclass(frozen=True)
class Device:
    """What a multiprocessor has; sizes in bytes, rates per unit of time."""

    registers: int
    scratch: int
    warp: int
    invocations: int
    units: int
    balance: float
    """Operations in the time of a byte."""

    @classmethod
    def drawn(cls, random: np.random.Generator) -> Device:
        return cls(
            registers=65536,
            scratch=int(random.choice([32, 48, 64, 100])) * 1024,
            warp=int(random.choice([32, 64])),
            invocations=int(random.choice([1024, 1536, 2048])),
            units=int(random.integers(20, 120)),
            balance=float(random.uniform(5, 60)),
        )

    def resident(self, size: Values, registers: Values, scratch: Values) -> Values:
        """Workgroups that fit a multiprocessor; 0 where not even one does."""
        warps = np.ceil(size / self.warp) * self.warp
        by_registers = self.registers // (warps * np.minimum(registers, 255))
        by_scratch = self.scratch // np.maximum(scratch, 1)
        fitting = np.minimum(np.minimum(self.invocations // warps, by_registers), by_scratch)
        return np.where(size > 1024, 0, np.minimum(fitting, 32))

    def time(
        self, work: Values, traffic: Values, size: Values, resident: Values, groups: Values
    ) -> Values:
        """Of so much work and traffic in all, by groups of a size; infinite where none fits."""
        busy = np.minimum(resident * size / self.invocations, 1.0)
        filled = size / (np.ceil(size / self.warp) * self.warp)
        slots = np.maximum(resident, 1) * self.units
        waves = np.ceil(groups / slots) * slots / groups
        with np.errstate(divide="ignore"):
            compute = work / (self.balance * filled * np.minimum(1, 2.5 * busy))
            memory = traffic / np.minimum(1, 1.6 * busy)
        longest, other = np.maximum(compute, memory), np.minimum(compute, memory)
        return np.where(resident > 0, (longest + 0.2 * other) * waves, np.inf)


def _powers(first: int, last: int) -> list[int]:
    """Powers of two."""
    return [1 << exponent for exponent in range(first, last + 1)]


def _spread(logs: Values, random: np.random.Generator) -> Values:
    """Times of some logarithms, up to a factor whose deviation is that of recorded tables."""
    return np.exp(logs / logs.std() * random.uniform(0.3, 1.0))


def stream_axes(random: np.random.Generator) -> Axes:
    """The axes of a table of the family `stream`, with their values."""
    return {
        "size": _powers(5, 10),
        "vector": _powers(0, 4),
        "items": [1, 2, 3, 4, 6, 8, 12, 16],
        "unroll": _powers(0, 3),
        "coalesced": [0, 1],
        "staged": [0, 1],
        "order": [0, 1, 2],
    }


def stream(random: np.random.Generator, at: Mapping[str, Values]) -> Values:
    """One pass over memory, with some work for each element."""
    device = Device.drawn(random)
    widest, need, base = random.choice([2, 4, 8]), random.uniform(1, 4), random.uniform(14, 40)
    held = at["vector"] * np.minimum(at["unroll"], at["items"])
    registers = base + need * held
    staged = at["staged"] * at["size"] * at["vector"] * at["items"] * 4
    resident = device.resident(at["size"], registers, staged)
    wide = 1 + 0.5 * np.abs(np.log2(at["vector"] / widest))
    apart = (1 - at["coalesced"]) * (1 - at["staged"]) * np.log2(at["items"] + 1)
    reread = 1 + random.uniform(0.1, 0.6) * apart
    spilled = 1 + np.maximum(0, registers - 255) / 32
    ordered = 1 + random.uniform(0, 0.15, 3)[at["order"].astype(int)]
    loop = 1 + random.uniform(0.2, 1.0) / (held * (1 - 0.3 * at["staged"]))
    work = random.uniform(2, 60) * loop * spilled
    groups = 2**24 / (at["size"] * at["vector"] * at["items"])
    return device.time(work, wide * reread * ordered * spilled, at["size"], resident, groups)


def tile_axes(random: np.random.Generator) -> Axes:
    """The axes of a table of the family `tile`, with their values."""
    return {
        "block_x": [8, 16, 32, 48, 64, 96, 128, 256],
        "block_y": [1, 2, 4, 8, 16],
        "tile_x": [1, 2, 3, 4, 8],
        "tile_y": [1, 2, 3, 4, 8],
        "scratch": [0, 1],
        "padded": [0, 1],
        "read_only": [0, 1],
        "unroll": [0, 1, 2],
    }


def tile(random: np.random.Generator, at: Mapping[str, Values]) -> Values:
    """A filter of two dimensions, whose tile may be kept in scratch memory."""
    device, reach = Device.drawn(random), int(random.integers(1, 9))
    size, held = at["block_x"] * at["block_y"], at["tile_x"] * at["tile_y"]
    width, height = at["block_x"] * at["tile_x"], at["block_y"] * at["tile_y"]
    halo = (width + 2 * reach) * (height + 2 * reach) / (width * height)
    registers = random.uniform(16, 32) + random.uniform(1, 5) * held * (1 + 0.4 * at["unroll"])
    resident = device.resident(size, registers, at["scratch"] * halo * width * height * 4)
    conflicts = 1 + at["scratch"] * (1 - at["padded"]) * (at["block_x"] % 32 == 0) * 0.8
    cached = random.uniform(0.1, 0.7) * (1 - random.uniform(0, 0.5) * at["read_only"])
    taps = (2 * reach + 1) ** 2
    again = np.where(at["scratch"] > 0, halo, 1 + cached * taps / np.sqrt(held))
    row = 1 + np.maximum(0, 32 / at["block_x"] - 1) * 0.5
    spilled = 1 + np.maximum(0, registers - 255) / 40
    work = taps * conflicts * spilled * (1 + 0.6 / held + 0.3 / (1 + at["unroll"]))
    return device.time(work, again * row * spilled, size, resident, 2**24 / (width * height))


def effects_axes(random: np.random.Generator) -> Axes:
    """The axes of a table of the family `effects`, with their values."""
    return {str(axis): range(int(random.integers(2, 9))) for axis in range(7)}


def effects(random: np.random.Generator, at: Mapping[str, Values]) -> Values:
    """What each axis costs by itself, smooth or not, and with some of the others."""
    logs = np.zeros(len(at["0"]))
    strengths = random.exponential(0.5, len(at))
    for (name, values), strength in zip(at.items(), strengths, strict=True):
        steps = random.normal(0, 1, int(values.max()) + 1)
        smooth = np.cumsum(steps) / np.sqrt(len(steps))
        logs += strength * (steps if int(name) % 2 else smooth)[values.astype(int)]
    for one, other in combinations(at, 2):
        if random.random() < 0.35:
            first, second = at[one].astype(int), at[other].astype(int)
            pair = random.normal(0, 0.4, (first.max() + 1, second.max() + 1))
            logs += pair[first, second]
    failing = (at["1"] == at["1"].max()) & (logs > np.median(logs))
    failing |= (at["2"] > 0) & (logs > np.quantile(logs, 0.9))
    return np.where(failing, np.inf, _spread(logs, random))


def scarce_axes(random: np.random.Generator) -> Axes:
    """The axes of a table of the family `scarce`, with their values."""
    return {str(axis): range(int(random.integers(2, 9))) for axis in range(7)}


def scarce(random: np.random.Generator, at: Mapping[str, Values]) -> Values:
    """Most points need more of two resources than there is; what needs much of them is fast."""
    logs, failing = np.zeros(len(at["0"])), np.zeros(len(at["0"]), bool)
    for _ in range(2):
        need = np.zeros(len(logs))
        for values in at.values():
            need += random.exponential(1.0) * (random.random() < 0.6) * values / 7
        failing |= need > np.quantile(need, random.uniform(0.1, 0.6))
        logs -= random.uniform(0.5, 1.0) * need
    for one, other in combinations(at, 2):
        if random.random() < 0.3:
            logs += random.normal(0, 0.3, (8, 8))[at[one].astype(int), at[other].astype(int)]
    return np.where(failing, np.inf, _spread(logs, random))


def product_axes(random: np.random.Generator) -> Axes:
    """The axes of a table of the family `product`, with their values."""
    return {
        "rows": [16, 32, 64, 96, 128],
        "columns": [16, 32, 64, 128],
        "depth": [8, 16, 32, 64],
        "per_row": [1, 2, 4, 8],
        "per_column": [1, 2, 4, 8],
        "vector": [1, 2, 4],
        "twice": [0, 1],
        "swizzled": [0, 1],
    }


def product(random: np.random.Generator, at: Mapping[str, Values]) -> Values:
    """A product of matrices: tiles in scratch memory, and of them a block in registers."""
    device = Device.drawn(random)
    size = at["rows"] / at["per_row"] * at["columns"] / at["per_column"]
    held = at["per_row"] * at["per_column"]
    scratch = (at["rows"] + at["columns"]) * at["depth"] * 4 * (1 + at["twice"])
    registers = random.uniform(20, 40) + 1.3 * held + 2 * (at["per_row"] + at["per_column"])
    resident = device.resident(size, registers, scratch)
    resident = np.where((size < 16) | (at["vector"] > at["depth"] / 4), 0, resident)
    reads = random.uniform(0.5, 2) * (1 / at["per_row"] + 1 / at["per_column"])
    crossed = 1 + 0.5 * (1 - at["swizzled"]) * (at["columns"] % 64 == 0)
    barriers = random.uniform(2, 12) / at["depth"] * (1 - 0.5 * at["twice"])
    spilled = 1 + np.maximum(0, registers - 200) / 30
    narrow = 1 + random.uniform(0.1, 0.6) * (4 / at["vector"] - 1) / 3
    traffic = 40 * (1 / at["rows"] + 1 / at["columns"]) * narrow
    work = random.uniform(40, 200) * (1 + reads * crossed + barriers) * spilled
    groups = 2**22 / (at["rows"] * at["columns"])
    return device.time(work, traffic, np.maximum(size, 1), resident, groups)


def steps_axes(random: np.random.Generator) -> Axes:
    """The axes of a table of the family `steps`, with their values."""
    return {
        "block_x": _powers(3, 9),
        "block_y": _powers(0, 5),
        "steps": [1, 2, 3, 4, 5, 6, 8, 10],
        "tile": [1, 2, 3, 4, 6],
        "scratch": [0, 1],
        "unroll": [1, 2, 4],
        "shuffled": [0, 1],
    }


def steps(random: np.random.Generator, at: Mapping[str, Values]) -> Values:
    """A stencil that makes several steps for a read, of tiles that grow with them."""
    device, reach = Device.drawn(random), int(random.integers(1, 3))
    size, border = at["block_x"] * at["block_y"], 2 * reach * at["steps"]
    inner = np.maximum(at["block_x"] - border, 0) * np.maximum(
        at["block_y"] * at["tile"] - border, 0
    )
    area = at["block_x"] * at["block_y"] * at["tile"]
    scratch = area * 8 * np.where(at["scratch"] > 0, 1, 0.25)
    registers = random.uniform(18, 40) + random.uniform(3, 8) * at["tile"] * at["unroll"] ** 0.5
    resident = np.where(inner > 0, device.resident(size, registers, scratch), 0)
    again = area / np.maximum(inner, 1)
    uneven = 1 + 0.25 * (at["steps"] % at["unroll"] > 0)
    handing = np.where(at["scratch"] > 0, 1.0, np.where(at["shuffled"] > 0, 1.3, 2.2))
    work = random.uniform(8, 30) * again * uneven * handing * (1 + 0.4 / at["unroll"])
    traffic = random.uniform(1, 4) * again / at["steps"] * (1 + 8 / at["block_x"])
    return device.time(work, traffic, size, resident, 2**22 / np.maximum(inner, 1))


def kauffman_axes(random: np.random.Generator) -> Axes:
    """The axes of a table of the family `kauffman`, with their values."""
    return {str(axis): range(int(random.integers(2, 5))) for axis in range(8)}


def kauffman(random: np.random.Generator, at: Mapping[str, Values]) -> Values:
    """Each axis costs what it and two others say, without any order."""
    digits = np.stack(list(at.values())).astype(int)
    logs = np.zeros(digits.shape[1])
    strengths = random.exponential(0.7, len(digits))
    for axis, strength in enumerate(strengths):
        others = random.choice(len(digits), 2, replace=False)
        table = random.normal(0, 1, (4, 4, 4))
        logs += strength * table[digits[axis], digits[others[0]], digits[others[1]]]
    return np.where(random.random(len(logs)) < 0.1, np.inf, _spread(logs, random))


def cases_axes(random: np.random.Generator) -> Axes:
    """The axes of a table of the family `cases`, with their values."""
    return {str(axis): _powers(0, int(random.integers(1, 8))) for axis in range(6)}


def cases(random: np.random.Generator, at: Mapping[str, Values]) -> Values:
    """A tree of cases: a threshold on some axis decides by what factor, and what decides next."""
    places = np.stack(list(at.values()))
    logs = np.zeros(places.shape[1])
    leaves: list[NDArray[np.int64]] = [np.arange(places.shape[1], dtype=np.int64)]
    for _ in range(60):
        leaf = leaves.pop(int(np.argmax([len(each) for each in leaves])))
        axis = places[int(random.integers(len(places)))][leaf]
        under: NDArray[np.bool_] = axis <= axis[int(random.integers(len(axis)))]
        logs[leaf[under]] += random.normal(0, 0.35)
        leaves += [part for part in (leaf[under], leaf[~under]) if len(part)]
    slowest = leaves[int(np.argmax([logs[each].mean() for each in leaves]))]
    times = _spread(logs, random)
    times[slowest] = np.inf
    return times


Family: TypeAlias = tuple[Callable[[np.random.Generator], Axes], Model]

DEVELOPMENT: dict[str, Family] = {
    "stream": (stream_axes, stream),
    "tile": (tile_axes, tile),
    "effects": (effects_axes, effects),
    "cases": (cases_axes, cases),
    "scarce": (scarce_axes, scarce),
}
OTHERS: dict[str, Family] = {
    "product": (product_axes, product),
    "steps": (steps_axes, steps),
    "kauffman": (kauffman_axes, kauffman),
}


def drawn(name: str, seed: int) -> Table:
    """A table of a family, with noise of 1 to 10 % from one point to the next."""
    draw_axes, model = (DEVELOPMENT | OTHERS)[name]
    random = np.random.default_rng([seed, *name.encode()])
    axes = draw_axes(random)
    useless = {f"useless {n}": range(2) for n in range(int(random.integers(0, 4)))}
    axes = _thinned({**axes, **useless}, random)
    grid = np.meshgrid(*axes.values(), indexing="ij")
    at = {axis: values.ravel().astype(float) for axis, values in zip(axes, grid, strict=True)}
    times = model(random, {axis: at[axis] for axis in at if axis not in useless})
    times = times * np.exp(random.normal(0, random.uniform(0.01, 0.1), len(times)))
    running: NDArray[np.bool_] = times < np.inf
    listed = np.ones_like(running) if random.random() < 0.5 else running
    sizes = [len(values) for values in axes.values()]
    places: NDArray[np.int64] = np.indices(sizes).reshape(len(sizes), -1).T
    found = dict[Point, float | None]()
    for place, time in zip(places[listed], times[listed].tolist(), strict=True):
        found[tuple(map(int, place))] = time if isfinite(time) else None
    return Table(f"{name} {seed}", tuple(sizes), found)


def _thinned(axes: Axes, random: np.random.Generator) -> Axes:
    """Axes without some values, so that their combinations are `POINTS` at most."""
    most = int(exp(random.uniform(log(2 * POINTS[0]), log(POINTS[1]))))
    kept = dict[str, list[int]]((axis, list(values)) for axis, values in axes.items())
    while prod(len(values) for values in kept.values()) > most:
        longer = [values for values in kept.values() if len(values) > 2]
        if not longer:
            break
        values = longer[int(random.integers(len(longer)))]
        values.pop(int(random.integers(len(values))))
    return kept
