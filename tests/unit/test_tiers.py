"""What `make test` leaves out is a choice of cases, never all cases of something."""

from collections import Counter
from collections.abc import Iterable
from itertools import product
from typing import Any, cast

import pytest
from support.generated.drawing import all_of, some_of
from support.tiers import crossed, dealt_to, first_quick, slow_if, thin_out

from vyre_dialect.runtime.opencl.devices import Device


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


@pytest.mark.parametrize("devices", [1, 2, 3])
def test_cases_are_dealt_to_all_devices(devices: int) -> None:
    dealt = [dealt_to(f"test_it[{n}]", devices) for n in range(60)]
    assert {number for number in dealt} == set(range(devices))
    assert min(dealt.count(number) for number in range(devices)) > 60 // devices // 2


@pytest.mark.parametrize(
    ("count", "hands", "quick"), [(1, 9, 1), (9, 9, 1), (10, 9, 2), (60, 3, 20)]
)
def test_few_of_many_long_cases_are_quick(
    request: pytest.FixtureRequest, count: int, hands: int, quick: int
) -> None:
    def kept(numbers: Iterable[int]) -> set[str]:
        cases = [_case(request.node.parent, f"test_it[{n}]", hands) for n in numbers]
        thin_out(cases)
        return {case.name for case in cases if not case.get_closest_marker("slow")}

    assert len(kept(range(count))) == quick
    assert kept(range(count)) == kept(reversed(range(count)))


def _case(parent: pytest.Module, name: str, hands: int | None = None) -> pytest.Item:
    made = cast("Any", pytest.Function)
    case: pytest.Item = made.from_parent(parent, name=name, callobj=lambda: None)
    if hands is not None:
        case.add_marker(pytest.mark.one_in(hands))
    return case


def test_cases_that_are_not_marked_stay_quick(request: pytest.FixtureRequest) -> None:
    others = [_case(request.node.parent, f"test_it[{n}]") for n in range(9)]
    thin_out(others)
    assert not any(case.get_closest_marker("slow") for case in others)


def test_each_case_is_quick_on_one_device(request: pytest.FixtureRequest) -> None:
    """Of the tests that were selected."""
    quick = Counter[str]()
    for item in request.session.items:
        callspec = getattr(item, "callspec", None)
        device = callspec.params.get("device") if callspec else None
        if isinstance(device, Device) and not item.get_closest_marker("slow"):
            quick[item.nodeid.replace(device.info.label, "")] += 1
    assert all(count == 1 for count in quick.values())


def test_some_values_are_slow() -> None:
    assert first_quick("abc")[0] == "a"
    assert [case.values for case in first_quick("abc")[1:]] == [("b",), ("c",)]
    quick, slow = slow_if("ab", ("b", "x"))
    assert quick == "a"
    assert slow.values == ("b",)
    for case in (*first_quick("abc")[1:], slow):
        assert [mark.name for mark in case.marks] == ["slow"]
