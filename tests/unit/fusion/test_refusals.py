"""What refusals say of a dependence, in words and as plain data."""

from __future__ import annotations

import pytest

from vyre_dialect.passes.fusion.tiling.refusal import Counterexample, TileShare, UnevenTiles

NOBODY = Counterexample("b", 63, 63, later_tile=0)
WORKGROUPS = Counterexample(
    "b", 64, 63, later_tile=0, earlier=64, earlier_tile=1, sizes={"length of '@b'": 65}
)
OWN_TILES = Counterexample("b", 5, 4, earlier=5, earlier_tile=6)
ALONE = Counterexample("b", 5, 4, earlier=5)


@pytest.mark.parametrize(
    ("example", "text"),
    [
        (
            NOBODY,
            "invocation 63 of workgroup 0 touches element 63 of '@b', which no invocation writes",
        ),
        (
            WORKGROUPS,
            "invocation 63 of workgroup 0 touches element 64 of '@b', which invocation 64 of "
            "workgroup 1 touches, when length of '@b' = 65",
        ),
        (
            OWN_TILES,
            "invocation 4 touches element 5 of '@b', which invocation 5 touches for invocation 6",
        ),
        (ALONE, "invocation 4 touches element 5 of '@b', which invocation 5 touches"),
    ],
)
def test_a_counterexample_in_words(example: Counterexample, text: str) -> None:
    assert str(example) == text


@pytest.mark.parametrize("example", [NOBODY, WORKGROUPS, OWN_TILES, ALONE])
def test_the_keys_are_always_the_same(example: Counterexample) -> None:
    assert list(example.as_dict()) == [
        "buffer",
        "element",
        "later",
        "later_workgroup",
        "earlier",
        "earlier_workgroup",
        "earlier_for",
        "sizes",
        "certain",
    ]


def test_workgroups_as_data() -> None:
    assert WORKGROUPS.as_dict() == {
        "buffer": "b",
        "element": 64,
        "later": 63,
        "later_workgroup": 0,
        "earlier": 64,
        "earlier_workgroup": 1,
        "earlier_for": None,
        "sizes": {"length of '@b'": 65},
        "certain": True,
    }


def test_a_tile_of_one_invocation_is_no_workgroup() -> None:
    data = OWN_TILES.as_dict()
    assert (data["later_workgroup"], data["earlier_workgroup"]) == (None, None)
    assert (data["earlier"], data["earlier_for"]) == (5, 6)


UNEVEN = UnevenTiles(
    "b",
    (
        TileShare((6, 8), (0, 3), {"length of '@a'": 4}),
        TileShare((6, 8), (0, 7), {"length of '@a'": 8}),
    ),
)


def test_uneven_tiles_in_words() -> None:
    assert str(UNEVEN) == (
        "when length of '@a' = 4, invocations 0 to 3 write elements 6 to 8 of '@b', "
        "and when length of '@a' = 8, invocations 0 to 7 write elements 6 to 8"
    )
    assert str(TileShare((0, 1), (2, 3), {})) == "invocations 2 to 3 write elements 0 to 1"


def test_uneven_tiles_as_data() -> None:
    assert UNEVEN.as_dict() == {
        "buffer": "b",
        "shares": [
            {"elements": [6, 8], "invocations": [0, 3], "sizes": {"length of '@a'": 4}},
            {"elements": [6, 8], "invocations": [0, 7], "sizes": {"length of '@a'": 8}},
        ],
    }
