"""Where inputs are cut: pieces cover all units once, and have the halos that they ask for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.runtime.streams.cutting import Cutting


def cutting_of(unit: int, before: int, after: int, more: int) -> Cutting:
    return Cutting(unit, before, after, before + after + 1 + more)


CUTTINGS = st.builds(
    cutting_of, *(st.integers(1, 5), st.integers(0, 4), st.integers(0, 4), st.integers(0, 3))
)


@given(CUTTINGS, st.integers(0, 300), st.lists(st.integers(-5, 80), max_size=8))
def test_pieces_follow_each_other_and_have_their_halos(
    cutting: Cutting, elements: int, cuts: list[int]
) -> None:
    windows = list(cutting.windows(elements, cuts))
    units = elements // cutting.unit
    if len(windows) == 1:
        assert windows[0].piece is None
        return
    assert [each.piece for each in windows[1:-1]] == ["middle"] * (len(windows) - 2)
    assert (windows[0].piece, windows[-1].piece) == ("first", "last")
    assert [each.begin for each in windows] == [0, *(each.end for each in windows[:-1])]
    for each in windows:
        taken = (units if each.last is None else each.last) - each.first
        assert taken >= cutting.least
        assert each.begin - each.first == (cutting.before if each.begin else 0)
        assert each.last is None or each.last <= units


@given(st.lists(CUTTINGS, min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 400))
def test_what_is_read_for_all_has_what_each_takes(
    cuttings: list[Cutting], more: int, elements: int
) -> None:
    """Those who share pieces have units and halos of their own, and the same elements."""
    common = Cutting.common(cuttings)
    own = max(common.least_own, more)
    cuts = range(own, elements // common.unit + 1, own)
    for window in common.windows(elements, cuts):
        for cutting in cuttings:
            same = cutting.same(common, window)
            assert same.piece == window.piece
            assert same.begin * cutting.unit == window.begin * common.unit
            assert same.first * cutting.unit >= window.first * common.unit
            if window.end is None or same.end is None or same.last is None or window.last is None:
                assert same.end is window.end is None
                assert same.last is window.last is None
                taken = elements // cutting.unit - same.first
            else:
                assert same.end * cutting.unit == window.end * common.unit
                assert same.last * cutting.unit <= window.last * common.unit
                taken = same.last - same.first
            assert window.piece is None or taken >= cutting.least
