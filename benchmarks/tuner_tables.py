"""Tables of times that the tuner's search is tried on, as Kernel Tuner records them."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vyre_dialect.runtime.tuning.search import Point


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
