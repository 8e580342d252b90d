"""What is recorded of a measurement besides its figures, and where it is written."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from statistics import quantiles

Row = Mapping[str, object]


def milliseconds(seconds: Sequence[float]) -> dict[str, object]:
    """The median and the quartiles of some times, in ms."""
    low, middle, high = (round(1e3 * each, 2) for each in quantiles(seconds, n=4))
    return {"ms": middle, "quartiles_ms": [low, high]}


def microseconds(nanoseconds: Sequence[float]) -> dict[str, object]:
    """The median and the quartiles of some times, in µs."""
    low, middle, high = (round(each / 1e3, 1) for each in quantiles(nanoseconds, n=4))
    return {"us": middle, "quartiles_us": [low, high]}


def ratio(own: Sequence[float], other: Sequence[float]) -> dict[str, object]:
    """
    How many times as fast the first of two is, by what both took in each round: the median and the
    quartiles of the ratios within rounds.
    """
    each = [theirs / mine for mine, theirs in zip(own, other, strict=True)]
    low, middle, high = (round(ratio, 3) for ratio in quantiles(each, n=4))
    return {"ratio": middle, "quartiles": [low, high]}


def record(packages: Sequence[str], rows: Sequence[Row]) -> dict[str, object]:
    """The figures with the date, and the versions of Python and of some packages."""
    versions = {name: version(name) for name in packages} | {"python": python_version()}
    return {"date": datetime.now(UTC).date().isoformat(), "versions": versions, "rows": list(rows)}


def parse_output(description: str) -> Path | None:
    """The file that the command line asks the figures to be written to, if any."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    output: Path | None = parser.parse_args().output
    return output


def record_rows(description: str, rows: Iterable[Row], packages: Sequence[str]) -> None:
    """Measure, print a line for each row as it comes, and write them if the command line asks."""
    output = parse_output(description)
    measured = list[Row]()
    for row in rows:
        measured.append(row)
        print(*(f"{key}={value}" for key, value in row.items()), flush=True)
    write(output, record(packages, measured))


def write(output: Path | None, figures: Mapping[str, object]) -> None:
    """Write a record as JSON, if there is a file for it."""
    if output is not None:
        output.write_text(json.dumps(figures, indent=1) + "\n")
