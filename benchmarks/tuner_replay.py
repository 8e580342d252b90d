"""
The tuner's search, replayed on recorded tables of times, next to random search.

    python -m benchmarks.tuner_replay TABLE… --evaluations 200 --seeds 20 --json

A table is a cache file of Kernel Tuner, as https://github.com/AutoTuningAssociation/benchmark_hub
has them, plain or compressed by gzip: each configuration with its time, or the name of its error.
For 50, 100 and all evaluations, the share of the optimum that the best configuration found until
then reaches is given, as mean and as worst of all seeds.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.records import record, write
from vyre_dialect.runtime.tuning.search import ListedSpace, Point, Search

CHECKPOINTS = (50, 100, 200)


@dataclass(frozen=True)
class Table:
    """Points with the time of each, None where it failed."""

    name: str
    sizes: tuple[int, ...]
    times: dict[Point, float | None]

    @property
    def optimum(self) -> float:
        """The least time."""
        return min(time for time in self.times.values() if time is not None)

    @classmethod
    def read(cls, path: Path) -> Table:
        """The table of a file; ends the program with a message where it holds none."""
        try:
            return cls._read(path)
        except (OSError, ValueError, LookupError, TypeError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise SystemExit(
                f"'{path}' is no cache file of Kernel Tuner, plain or gzipped ({reason})"
            ) from error

    @classmethod
    def _read(cls, path: Path) -> Table:
        data = path.read_bytes()
        contents = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
        names: list[str] = contents["tune_params_keys"]
        rows: list[dict[str, Any]] = list(contents["cache"].values())
        axes = {name: sorted({row[name] for row in rows}) for name in names}
        times = dict[Point, float | None]()
        for row in rows:
            point = tuple(axes[name].index(row[name]) for name in names)
            times[point] = row["time"] if isinstance(row["time"], int | float) else None
        name = path.name.removesuffix(".gz").removesuffix(".json")
        return cls(name, tuple(map(len, axes.values())), times)

    def points(self, seed: int) -> list[Point]:
        """All points, in an order that depends on the seed."""
        points = list(self.times)
        return [points[i] for i in np.random.default_rng(seed).permutation(len(points))]


Walk = Callable[[Table, int, int], list[float | None]]
"""The times of so many points of a table, for a seed."""


def tuner_walk(table: Table, evaluations: int, seed: int) -> list[float | None]:
    """The times of the points that the tuner's search asks for, from a point at random on."""
    points = table.points(seed)
    search = Search(ListedSpace(table.sizes, points[0], np.array(points)), evaluations, seed)
    found = list[float | None]()
    while (point := search.ask()) is not None:
        search.tell(point, table.times[point])
        found.append(table.times[point])
    return found


def random_walk(table: Table, evaluations: int, seed: int) -> list[float | None]:
    """The times of points at random, none twice."""
    return [table.times[point] for point in table.points(seed)[:evaluations]]


def fraction_of_optimum(times: Sequence[float | None], optimum: float) -> float:
    """The share of the optimum that the best of some times reaches; 0 where all failed."""
    measured = [time for time in times if time is not None]
    return optimum / min(measured) if measured else 0.0


def replay(table: Table, walk: Walk, evaluations: int, seeds: int) -> dict[str, object]:
    """Mean and worst share of the optimum at each checkpoint."""
    checkpoints = sorted({min(each, evaluations) for each in (*CHECKPOINTS, evaluations)})
    found = list[list[float]]()
    for seed in range(seeds):
        times = walk(table, evaluations, seed)
        found.append([fraction_of_optimum(times[:n], table.optimum) for n in checkpoints])
    figures = np.array(found)
    return {
        str(count): {"mean": round(float(each.mean()), 4), "worst": round(float(each.min()), 4)}
        for count, each in zip(checkpoints, figures.T, strict=True)
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The tuner's search on recorded tables.")
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE")
    parser.add_argument("--evaluations", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="print JSON, for machines")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    return parser.parse_args()


def main() -> None:
    """Run it from the command line."""
    arguments = _arguments()
    rows = list[dict[str, object]]()
    for path in arguments.tables:
        table = Table.read(path)
        row: dict[str, object] = {"table": table.name, "configurations": len(table.times)}
        for name, walk in (("tuner", tuner_walk), ("random", random_walk)):
            row[name] = replay(table, walk, arguments.evaluations, arguments.seeds)
        rows.append(row)
        if not arguments.json:
            print(f"{table.name}\n  tuner  {row['tuner']}\n  random {row['random']}", flush=True)
    figures = record(("numpy",), rows) | {
        "evaluations": arguments.evaluations,
        "seeds": arguments.seeds,
    }
    if arguments.json:
        print(json.dumps(figures, indent=1))
    write(arguments.output, figures)


if __name__ == "__main__":
    main()
