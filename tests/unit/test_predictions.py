"""What the benchmark of predictions says of what it has measured."""

from __future__ import annotations

import pytest

from benchmarks.predictions import compiled_form, summary
from benchmarks.records import Row


def form(error: float, *, is_open: bool = False, uncertain: bool = False) -> dict[str, object]:
    return {"error": error, "open": is_open, "uncertain": uncertain}


def row(measured: float | None, predicted: float | None, *errors: float) -> Row:
    forms = zip(("default", "unfused"), errors, strict=False)
    ratios = {"measured": measured, "predicted": predicted}
    return {
        "program": "p",
        **{name: form(error) for name, error in forms},
        "default_over_unfused": ratios,
    }


def test_errors_count_in_either_direction():
    found = summary([row(0.5, 0.6, -0.3, 0.1), row(None, None, 0.2)])
    assert found["median_error"] == 0.2
    assert (found["programs"], found["forms"], found["pairs"]) == (2, 3, 1)


@pytest.mark.parametrize(
    ("measured", "predicted", "apart", "right"),
    [(0.5, 0.9, 1, 1.0), (0.5, 1.1, 1, 0.0), (1.5, 1.1, 1, 1.0), (0.98, 1.4, 0, None)],
)
def test_the_order_counts_where_the_forms_differ(
    measured: float, predicted: float, apart: int, right: float | None
):
    found = summary([row(measured, predicted, 0.1, 0.1)])
    assert (found["pairs_apart"], found["right_order_of_apart"]) == (apart, right)


def test_what_data_decides_and_what_fails_does_not_count():
    rows: list[Row] = [
        {"program": "open", "default": form(-1.0, is_open=True), "default_over_unfused": {}},
        {"program": "broken", "failed": "no"},
        {"program": "unsure", "default": form(0.4, uncertain=True)},
    ]
    found = summary([row for row in rows if "default_over_unfused" not in row or row["program"]])
    assert (found["median_error"], found["median_error_of_sure"]) == (0.4, None)
    assert found["failed"] == ["broken"]


def test_a_form_comes_with_its_work():
    from support.devices import small_device

    found = compiled_form("xor_newlines", "default", small_device(32768), 1 << 16)
    assert not isinstance(found, str)
    (launch,) = found.launches
    assert launch.likely.read_bytes == pytest.approx(1 << 16, rel=0.05)
