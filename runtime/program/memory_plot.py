"""Draws an arena as SVG: time to the right, addresses upwards, a rectangle for each buffer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from vyre_dialect.messages import printable

WIDTH, HEIGHT, MARGIN = 720, 420, 50
"""Of the picture, in pixels."""
LEFT = 120
"""Pixels at the left, where addresses stand."""
CHARACTER = 8
"""Pixels that a character takes at most, but for the widest."""
ON_A_BOX = "fill: #1c2128"
"""The colour of a name in a box, also where the page is dark."""
LEGIBLE = 24
"""Pixels that a rectangle must have for its name to be drawn."""
GOLDEN_ANGLE = 137.508
"""Degrees between the hues of neighbours, so that no two look alike."""


@dataclass(frozen=True)
class Rectangle:
    """A buffer in the arena: `size` bytes from `offset` on, over the times `[lower, upper)`."""

    name: str
    lower: int
    upper: int
    offset: int
    size: int


def memory_plot(title: str, rectangles: Sequence[Rectangle], times: Sequence[str] = ()) -> str:
    """The picture as SVG; `times` names the steps from 0 on, where they have names."""
    shown = [each for each in rectangles if each.size and each.upper > each.lower]
    begin = min((each.lower for each in shown), default=0)
    end = max((each.upper for each in shown), default=1)
    peak = max((each.offset + each.size for each in shown), default=1)
    canvas = _Canvas(begin, end, peak)
    canvas.text(LEFT, MARGIN / 2, f"{title}: {peak} bytes")
    for number, each in enumerate(shown):
        canvas.rectangle(each, hue=number * GOLDEN_ANGLE % 360)
    canvas.axes(times)
    return canvas.svg()


class _Canvas:
    def __init__(self, begin: int, end: int, peak: int):
        self.begin, self.end, self.peak = begin, end, peak
        self._root = ElementTree.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH} {HEIGHT}",
            attrib={"font-family": "sans-serif", "font-size": "13"},
        )

    def x(self, time: int) -> float:
        share = (time - self.begin) / (self.end - self.begin)
        return round(LEFT + share * (WIDTH - LEFT - MARGIN), 2)

    def y(self, address: int) -> float:
        return round(HEIGHT - MARGIN - address / self.peak * (HEIGHT - 2 * MARGIN), 2)

    def text(self, x: float, y: float, text: str, anchor: str = "start", style: str = "") -> None:
        attributes = {"x": str(x), "y": str(y), "text-anchor": anchor}
        if style:
            attributes["style"] = style
        ElementTree.SubElement(self._root, "text", attributes).text = printable(text)

    def rectangle(self, each: Rectangle, hue: float) -> None:
        left, top = self.x(each.lower), self.y(each.offset + each.size)
        width, height = self.x(each.upper) - left, self.y(each.offset) - top
        box = ElementTree.SubElement(
            self._root,
            "rect",
            {
                "x": str(left),
                "y": str(top),
                "width": f"{width:.2f}",
                "height": f"{height:.2f}",
                "fill": f"hsl({hue:.0f} 60% 75%)",
                "stroke": "#444",
            },
        )
        live_range = f"[{each.lower}, {each.upper})"
        title = f"{each.name}: {each.size} bytes at {each.offset}, alive over {live_range}"
        ElementTree.SubElement(box, "title").text = printable(title)
        if width >= max(LEGIBLE, CHARACTER * len(each.name)) and height >= LEGIBLE / 2:
            middle = (left + width / 2, top + height / 2 + 4)
            self.text(*middle, each.name, "middle", style=ON_A_BOX)

    def axes(self, times: Sequence[str]) -> None:
        for address in (0, self.peak):
            self.text(LEFT - 6, self.y(address), str(address), "end")
        for time in range(self.begin, self.end) if times else (self.begin, self.end):
            if label := times[time] if times else str(time):
                self.label(self.x(time), label)

    def label(self, x: float, label: str) -> None:
        """The name of a step below its begin, or to its left where there is no room."""
        anchor = "start" if x + CHARACTER * len(label) < WIDTH else "end"
        self.text(x, HEIGHT - MARGIN / 2, label, anchor)

    def svg(self) -> str:
        return ElementTree.tostring(self._root, encoding="unicode") + "\n"
