"""The picture of an arena names the buffers in whose rectangles their names fit."""

from __future__ import annotations

import pytest

from vyre_dialect.runtime.program.memory_plot import (
    CHARACTER,
    LEFT,
    LEGIBLE,
    MARGIN,
    WIDTH,
    Rectangle,
    memory_plot,
)

PIXELS = WIDTH - LEFT - MARGIN
"""Of the arena: as many times as these take one each."""


@pytest.mark.parametrize(
    ("name", "least"), [("a", LEGIBLE), ("four", 4 * CHARACTER), ("decoded", 7 * CHARACTER)]
)
def test_a_name_is_drawn_where_its_rectangle_has_room_for_it(name: str, least: int) -> None:
    for width in (least - 1, least, least + 1):
        rectangles = [Rectangle(name, 0, width, 0, 64), Rectangle("others", 0, PIXELS, 64, 64)]
        picture = memory_plot("arena", rectangles)
        assert (f">{name}</text>" in picture) == (width >= least)
        assert f"<title>{name}: 64 bytes at 0, alive over [0, {width})</title>" in picture
