"""
The tuner's search, replayed on tables of times, next to random search.

    python -m benchmarks.tuner_replay TABLE… --families held-back --evaluations 200 --json

A table is a cache file of Kernel Tuner, as https://github.com/AutoTuningAssociation/benchmark_hub
has them, plain or compressed by gzip: each configuration with its time, or the name of its error.
Tables of `tuner_families` join: those by which the search was developed, or those held back.
For 50, 100 and all evaluations, the share of the optimum that the best configuration found until
then reaches is given, as mean and as worst of all seeds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.records import record, write
from benchmarks.tuner_families import DEVELOPED_ON, DEVELOPMENT, HELD_BACK, OTHERS, drawn
from benchmarks.tuner_tables import Table
from vyre_dialect.runtime.tuning.search import ListedSpace, Search

CHECKPOINTS = (50, 100, 200)
HALVES = {"development": (DEVELOPMENT, DEVELOPED_ON), "held-back": (OTHERS, HELD_BACK)}


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
    parser = argparse.ArgumentParser(description="The tuner's search on tables of times.")
    parser.add_argument("tables", nargs="*", type=Path, metavar="TABLE")
    parser.add_argument(
        "--families", nargs="+", choices=HALVES, default=[], help="tables drawn from seeds as well"
    )
    parser.add_argument("--evaluations", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="print JSON, for machines")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    if not arguments.tables and not arguments.families:
        parser.error("expected tables, or --families, to replay")
    return arguments


def _tables(paths: Sequence[Path], halves: Sequence[str]) -> Iterator[tuple[str, Table]]:
    """Tables, each with the half that it belongs to, or `recorded`."""
    for path in paths:
        yield "recorded", Table.read(path)
    for half in halves:
        families, seeds = HALVES[half]
        for name, seed in product(families, seeds):
            yield half, drawn(name, seed)


def main() -> None:
    """Run it from the command line."""
    arguments = _arguments()
    rows = list[dict[str, object]]()
    for origin, table in _tables(arguments.tables, arguments.families):
        row: dict[str, object] = {"table": table.name, "origin": origin}
        row["configurations"] = len(table.times)
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
