"""The model of a cluster: what has to come out where one cost alone matters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.cluster_model import Costs, simulate

NOTHING = Costs(0.0, 0.0, 0.0, 0, 0)
RUNS = replace(NOTHING, run_s=2.0)


@pytest.mark.parametrize("workers", [1, 3, 64, 1000])
def test_every_shard_runs_once_and_all_are_merged(workers: int) -> None:
    outcome = simulate(workers, 1000, replace(RUNS, scheduler_s=0.01), 8)
    assert sorted(outcome.started) == list(range(1000))
    assert (outcome.shards, outcome.merges) == (1000, 125 + 16 + 2 + 1)


@pytest.mark.parametrize(("workers", "seconds"), [(1, 24.0), (2, 12.0), (4, 6.0), (12, 2.0)])
def test_without_overhead_workers_share_evenly(workers: int, seconds: float) -> None:
    assert simulate(workers, 12, RUNS, 8).seconds == pytest.approx(seconds)


def test_a_scheduler_that_is_busy_bounds_the_rate() -> None:
    costs = replace(RUNS, scheduler_s=1.0)
    busy = simulate(1000, 64, costs, 64)
    assert busy.seconds == pytest.approx(64 + 2 + 1), "65 tasks, and a run before the last"


def test_merges_wait_for_their_parts_and_the_network() -> None:
    costs = Costs(0.0, 2.0, 0.5, 100, 10, latency_s=0.25, bytes_per_s=100.0)
    outcome = simulate(8, 8, costs, 8)
    shard = 0.25 + (0.25 + 1.0) + 2.0
    merge = 0.25 + (0.25 + 0.7) + 0.5
    assert outcome.seconds == pytest.approx(shard + merge + 0.25)


def test_one_shard_needs_no_merge() -> None:
    outcome = simulate(4, 1, RUNS, 8)
    assert (outcome.seconds, outcome.merges) == (2.0, 0)
