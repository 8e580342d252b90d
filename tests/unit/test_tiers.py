"""What `make test` leaves out is a choice of cases, never all cases of something."""

from itertools import product

import pytest
from support.generated.drawing import all_of, some_of
from support.tiers import crossed


@pytest.mark.parametrize("axes", [("abc", "12345"), ("ab", "1"), ("abc", "123", "xy")])
def test_every_value_is_in_a_quick_combination(axes: tuple[str, ...]) -> None:
    made = crossed(*axes)
    assert [case.values for case in made] == list(product(*axes))
    quick = [case.values for case in made if not case.marks]
    assert len(quick) == max(map(len, axes))
    for number, axis in enumerate(axes):
        assert {case[number] for case in quick} == set(axis)


def test_the_others_are_slow() -> None:
    marks = [mark.name for case in crossed("ab", "12") for mark in case.marks]
    assert marks == ["slow", "slow"]


def test_some_are_a_quarter_but_not_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VYRE_FUZZ_EXAMPLES", raising=False)
    assert [some_of(count) for count in (4, 8, 16, 32, 96)] == [4, 8, 8, 8, 24]
    assert [all_of(count) for count in (4, 96)] == [4, 96]
    monkeypatch.setenv("VYRE_FUZZ_EXAMPLES", "1000")
    assert [some_of(4), all_of(4)] == [1000, 1000]
