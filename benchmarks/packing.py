"""
How well and how fast arenas are planned: MiniMalloc's instances, random and planted ones, and
families of lives as networks have them, by seeds that nothing was chosen on.

    python -m benchmarks.packing --output benchmarks/results/packing.json

Times are seconds of one core. `ratio` is the peak over the lower bound. The effort is counted in
placements, so that the answers do not depend on the machine; for thousands of buffers, in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from time import process_time

from benchmarks.packing_families import COUNTS, FAMILIES, HELD_BACK, family
from benchmarks.records import Row, record_rows
from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.passes.memory.packing.planner import Effort, Packing, Status, plan
from vyre_dialect.runtime.program.live_range_table import read_live_ranges

MINIMALLOC = Path(__file__).resolve().parent.parent / "tests" / "data" / "minimalloc"
EFFORT = Effort(nodes=250_000)
FOR_FAMILIES = Effort(nodes=500_000)
FOR_THOUSANDS = Effort(seconds=8.0)
SEEDS = 20


def _minimalloc() -> Iterator[Row]:
    for path in sorted(MINIMALLOC.glob("?.*.csv")):
        capacity, live_ranges = int(path.name.split(".")[1]), list(read_live_ranges(path).values())
        for asked in (None, capacity):
            packing, seconds = _timed(live_ranges, asked)
            yield {
                "what": f"minimalloc {path.name}" + (", asked for" if asked else ""),
                "ratio": round(packing.ratio, 4),
                "reached": packing.peak <= capacity,
                "status": packing.status,
                "seconds": seconds,
            }


def _timed(
    live_ranges: Sequence[LiveRange], capacity: int | None = None, effort: Effort = EFFORT
) -> tuple[Packing, float]:
    start = process_time()
    packing = plan(live_ranges, effort, capacity=capacity)
    return packing, round(process_time() - start, 4)


def _random(count: int, times: int, longest: int, seed: int) -> list[LiveRange]:
    random = Random(seed)
    begins = [random.randrange(times) for _ in range(count)]
    return [
        LiveRange(begin, begin + random.randrange(1, longest), random.randrange(1, 1000))
        for begin in begins
    ]


def planted(count: int, seed: int, side: int = 1000) -> list[LiveRange]:
    """A rectangle of `side` times and bytes, cut into `count` lives that fill it."""
    random = Random(seed)
    pieces = [(0, side, 0, side)]
    while len(pieces) < count:
        lower, upper, bottom, top = piece = random.choice(pieces)
        if random.random() < 0.5 and upper - lower > 1:
            cut = random.randrange(lower + 1, upper)
            parts = [(lower, cut, bottom, top), (cut, upper, bottom, top)]
        elif top - bottom > 1:
            cut = random.randrange(bottom + 1, top)
            parts = [(lower, upper, bottom, cut), (lower, upper, cut, top)]
        else:
            continue
        pieces.remove(piece)
        pieces += parts
    random.shuffle(pieces)
    return [LiveRange(lower, upper, top - bottom) for lower, upper, bottom, top in pieces]


def _family(name: str, count: int) -> Row:
    """How many of a family reach the lower bound, or what they are known to fit if that is more."""
    instances = [family(name, count, seed) for seed in HELD_BACK]
    found = [_timed(each.live_ranges, effort=FOR_FAMILIES) for each in instances]
    reached = [
        packing.peak <= max(each.capacity, packing.lower_bound)
        for each, (packing, _) in zip(instances, found, strict=True)
    ]
    return {**_summary(f"{name} {count}", found), "reached": sum(reached)}


def _summary(what: str, found: Sequence[tuple[Packing, float]]) -> Row:
    return {
        "what": what,
        "ratio": round(fmean(packing.ratio for packing, _ in found), 4),
        "at_lower_bound": sum(packing.status == Status.LOWER_BOUND for packing, _ in found),
        "proved_optimal": sum(packing.status == Status.OPTIMAL for packing, _ in found),
        "instances": len(found),
        "seconds": round(fmean(seconds for _, seconds in found), 4),
        "worst_seconds": max(seconds for _, seconds in found),
    }


def _rows() -> Iterator[Row]:
    yield from _minimalloc()
    for name in FAMILIES:
        for count in COUNTS:
            yield _family(name, count)
    for count in (8, 15, 30, 50, 80):
        live_ranges = [_random(count, 100, 40, seed) for seed in range(3 * SEEDS)]
        yield _summary(f"random {count}", [_timed(each) for each in live_ranges])
    for count in (20, 40, 80):
        live_ranges = [planted(count, seed) for seed in range(SEEDS)]
        yield _summary(f"planted {count}", [_timed(each) for each in live_ranges])
    for longest in (100, 1000, 5000):
        live_ranges = _random(5000, 10_000, longest, 1)
        what = f"5000 up to {longest} of 10000"
        yield _summary(what, [_timed(live_ranges, effort=FOR_THOUSANDS)])


def main() -> None:
    """Measure, and write the figures if asked to."""
    record_rows("How well and how fast arenas are planned.", _rows(), ("numpy",))


if __name__ == "__main__":
    main()
