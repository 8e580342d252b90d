"""What the gate makes of the times that it has measured."""

from __future__ import annotations

import pytest

from benchmarks.gate.__main__ import parse_arguments
from benchmarks.gate.measure import loses, memory_bound_ns, summary
from benchmarks.records import Row, ratio

TIMES = {"plain read": [100, 120, 150], "plain copy": [310, 300, 300]}


def row(unfused: float, tuned: float | None = None, share: float = 0.5) -> Row:
    compared = {"default_over_unfused": {"ratio": unfused}}
    compared |= {} if tuned is None else {"default_over_tuned": {"ratio": tuned}}
    return {"program": "any", "share_of_bound": share, **compared}


def test_reads_and_writes_are_bound_by_their_own_rates() -> None:
    assert memory_bound_ns(TIMES, 50, 0, 100) == 50
    assert memory_bound_ns(TIMES, 0, 50, 100) == 100
    assert memory_bound_ns(TIMES, 50, 50, 100) == 150


def test_a_copy_that_is_faster_than_a_read_makes_writes_free() -> None:
    assert memory_bound_ns({"plain read": [100], "plain copy": [90]}, 0, 100, 100) == 0


def test_ratios_are_those_within_rounds() -> None:
    assert ratio([10, 100, 10], [20, 300, 20]) == {"ratio": 2.0, "quartiles": [2.0, 3.0]}


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        (row(0.96), False),
        (row(0.94), True),
        (row(2.0, tuned=0.91), False),
        (row(2.0, tuned=0.89), True),
        ({"program": "any", "failed": "wrong"}, True),
    ],
)
def test_who_loses(figures: Row, expected: bool) -> None:
    assert loses(figures) == expected


def test_a_summary_counts_losers_and_failures() -> None:
    failed: Row = {"program": "broken", "failed": "wrong"}
    found = summary([row(0.5, share=0.2), row(2.0, 0.5, share=0.4), row(1.0, share=0.9), failed])
    assert found == {
        "programs": 4,
        "median_share_of_bound": 0.4,
        "lose_to_unfused": 1,
        "lose_to_tuned": 1,
        "failed": ["broken"],
    }


def test_a_summary_of_failures_alone_has_no_median() -> None:
    assert summary([{"program": "any", "failed": "wrong"}])["median_share_of_bound"] is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--rounds", "1"], "expected 2 or more, got 1"),
        (["--programs", "q7"], "invalid choice: 'q7'"),
    ],
)
def test_command_lines_that_make_no_sense(
    given: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(given)
    assert message in capsys.readouterr().err
