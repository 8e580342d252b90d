"""The tuner on a bench of the test's own: wrong, failing and equal candidates, ties and finals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from vyre_dialect.ir.tuning import Choice
from vyre_dialect.runtime.tuning.measurement import ROUNDS, Run
from vyre_dialect.runtime.tuning.search import ProductSpace
from vyre_dialect.runtime.tuning.tuner import (
    SIDE_BY_SIDE,
    Bench,
    Candidate,
    CandidateError,
    Limits,
    Outcome,
    Tuner,
)

Timer = Callable[[int, int], int]
"""The time of a choice after so many moves of the memory."""


@dataclass
class TableBench(Bench):
    """Candidates that differ in one number, and take what a function says."""

    time: Timer
    wrong: frozenset[int] = frozenset()
    unbuildable: frozenset[int] = frozenset()
    kernels: Callable[[int], int] = lambda number: number
    built: list[int] = field(default_factory=list[int])
    runs: list[int] = field(default_factory=list[int])
    checked: list[int] = field(default_factory=list[int])
    numbers: dict[Run, int] = field(default_factory=dict[Run, int])
    moves: int = 0

    def build(self, choices: Mapping[str, Choice]) -> tuple[str, Run]:
        number = choices["n"]
        assert isinstance(number, int)
        if number in self.unbuildable:
            raise CandidateError("does not fit")

        def run() -> int:
            self.runs.append(number)
            time = self.time(number, self.moves)
            self.device_ns += time
            return time

        self.built.append(number)
        self.numbers[run] = number
        return str(self.kernels(number)), run

    def check(self, run: Run) -> int:
        number = self.numbers[run]
        self.checked.append(number)
        if number in self.wrong:
            raise CandidateError("wrong: 'out' is not what the default gives")
        return run()

    def move(self) -> None:
        self.moves += 1


def tune(bench: TableBench, count: int = 8, evaluations: int = 100) -> Outcome:
    space = ProductSpace([count], (0,))
    watched = list[Candidate]()
    tuner = Tuner(
        space,
        lambda point: {"n": point[0]},
        bench,
        Limits(evaluations),
        lambda candidate, number, total: watched.append(candidate),
    )
    outcome = tuner.tune()
    assert watched == outcome.candidates
    assert watched[0].choices == {"n": 0}
    return outcome


def falling(number: int, moves: int) -> int:
    return (20 - number) * 10**6


def test_the_fastest_wins():
    outcome = tune(TableBench(falling))
    assert outcome.choices == {"n": 7}
    assert (outcome.ns, outcome.default_ns) == (13e6, 20e6)
    assert outcome.speedup == pytest.approx(20 / 13)
    assert [final.choices["n"] for final in outcome.finals] == [0, 7, 6]  # 5 is far behind


def test_one_that_is_fast_and_wrong_never_wins_and_is_never_timed():
    bench = TableBench(falling, wrong=frozenset({7}))
    outcome = tune(bench)
    assert outcome.choices == {"n": 6}
    assert 7 in bench.checked
    assert 7 not in bench.runs
    wrong = next(each for each in outcome.candidates if each.choices == {"n": 7})
    assert wrong.verdict.startswith("wrong: 'out'")
    assert wrong.ns is None


def test_one_that_cannot_be_built_is_recorded_as_such():
    outcome = tune(TableBench(falling, unbuildable=frozenset({6, 7})))
    assert outcome.choices == {"n": 5}
    verdicts = {each.choices["n"]: each.verdict for each in outcome.candidates}
    assert verdicts[6] == verdicts[7] == "does not fit"


def test_one_that_takes_no_time_never_wins():
    outcome = tune(TableBench(lambda number, moves: 0 if number == 3 else 10**6))
    assert outcome.choices == {"n": 0}
    failed = next(each for each in outcome.candidates if each.choices == {"n": 3})
    assert failed.failure == "the device measured 0 ns"


def test_within_the_noise_the_default_stays():
    outcome = tune(TableBench(lambda number, moves: 10**6 - 1000 * number))
    assert outcome.choices == {"n": 0}
    assert outcome.ns == outcome.default_ns == 10**6


def test_the_noise_is_that_of_the_default():
    swing = iter(range(10**6))

    def unsteady(number: int, moves: int) -> int:
        return 10**6 * (10 + next(swing) % 3) if number == 0 else 105 * 10**5

    outcome = tune(TableBench(unsteady), count=2)
    assert outcome.noise > 0.05
    assert outcome.choices == {"n": 0}


def test_equal_kernels_are_measured_once():
    bench = TableBench(falling, kernels=lambda number: number // 2)
    outcome = tune(bench)
    same = [each for each in outcome.candidates if each.same_as is not None]
    assert len(same) == 4
    assert len(set(bench.runs)) == 4
    assert all(each.verdict == "same kernels" for each in same)


def test_points_that_come_to_the_same_choices_are_built_once():
    def watch(candidate: Candidate, number: int, total: int) -> None:
        pass

    bench, limits = TableBench(falling), Limits(100)
    space = ProductSpace([8], (0,))
    outcome = Tuner(space, lambda point: {"n": point[0] // 2}, bench, limits, watch).tune()
    assert [each.choices["n"] for each in outcome.candidates] == [0, 1, 2, 3]


def test_one_with_the_kernels_of_a_wrong_one_is_wrong_too():
    bench = TableBench(falling, wrong=frozenset({6}), kernels=lambda number: number // 2)
    outcome = tune(bench)
    verdicts = {each.choices["n"]: each.verdict for each in outcome.candidates}
    assert verdicts[7] == verdicts[6]
    assert outcome.choices["n"] in (4, 5)


def test_what_is_fast_only_where_it_happened_to_lie_does_not_win():
    def lucky(number: int, moves: int) -> int:
        return 5 * 10**5 if number == 2 and not moves else 10**6

    outcome = tune(TableBench(lucky))
    assert outcome.choices == {"n": 0}


def test_the_default_is_measured_first_and_last():
    bench = TableBench(falling)
    tune(bench)
    assert bench.runs[0] == bench.runs[-1] == 0


def test_device_time_counts_all_that_ran_and_is_a_tenth_of_a_sweep():
    def spread(number: int, moves: int) -> int:
        return (1 + number % 30) * 10**6

    bench = TableBench(spread)
    outcome = tune(bench, count=60, evaluations=15)
    sweep_ns = sum((2 + ROUNDS) * spread(number, 0) for number in range(60))
    assert outcome.device_ns == bench.device_ns == sum(spread(run, 0) for run in bench.runs)
    assert outcome.device_ns < sweep_ns / 10


def test_the_default_is_measured_again_after_some_candidates():
    bench = TableBench(lambda number, moves: 10**6 + number)
    tune(bench, count=13)
    screened = bench.runs[: bench.runs.index(12)]
    assert screened.count(0) == 2 + (13 - 2) // SIDE_BY_SIDE


def test_a_default_that_fails_is_an_error():
    with pytest.raises(CandidateError, match="wrong"):
        tune(TableBench(falling, wrong=frozenset({0})))


def test_no_more_is_measured_than_was_asked_for():
    outcome = tune(TableBench(falling), count=100, evaluations=6)
    assert len(outcome.candidates) == 6


def test_nothing_to_choose_leaves_the_default():
    outcome = tune(TableBench(falling), count=1)
    assert outcome.choices == {"n": 0}
    assert len(outcome.candidates) == 1
