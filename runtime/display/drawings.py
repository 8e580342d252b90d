"""Pictures of a report, as SVG in the colours of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast
from xml.etree import ElementTree

from vyre_dialect.ir.html import STYLE
from vyre_dialect.messages import printable

if TYPE_CHECKING:
    from vyre_dialect.passes.fusion.tiling.summary import PlanSummary

WIDTH, ROW, MARGIN = 720, 30, 12
"""Pixels."""
LABEL = 280
"""Pixels that names of rows take."""
MOST_CHARACTERS = 36
"""Of the name of a row."""
MOST_CELLS = 32
"""Elements or invocations that are drawn of a tile."""
CELL = (WIDTH - LABEL - 70) / MOST_CELLS
"""Pixels that each of them takes."""


@dataclass
class Drawing:
    """A picture that grows downwards."""

    title: str
    height: float = MARGIN
    _parts: list[ElementTree.Element] = field(default_factory=list[ElementTree.Element])

    def rectangle(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """A rectangle of a kind that the page has a colour for."""
        place = {"x": x, "y": y, "width": max(width, 1), "height": height}
        attributes = {name: f"{value:.1f}" for name, value in place.items()}
        self._parts.append(ElementTree.Element("rect", attributes | {"class": kind, "rx": "2"}))

    def text(self, x: float, y: float, text: str, anchor: str = "start") -> None:
        """A line of text."""
        attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}
        element = ElementTree.Element("text", attributes)
        element.text = printable(text)
        self._parts.append(element)

    def label(self, label: str) -> None:
        """The name of the next row; of a long one, its begin."""
        fits = len(label) <= MOST_CHARACTERS
        self.text(MARGIN, self.height + 18, label if fits else label[: MOST_CHARACTERS - 1] + "…")
        if not fits:
            ElementTree.SubElement(self._parts[-1], "title").text = printable(label)

    def line(self, ends: tuple[float, float, float, float], kind: str) -> None:
        """A line from one place to another."""
        names = ("x1", "y1", "x2", "y2")
        attributes = {name: f"{end:.1f}" for name, end in zip(names, ends, strict=True)}
        self._parts.append(ElementTree.Element("line", attributes | {"class": kind}))

    def bar(self, label: str, start: float, share: float, value: str, kind: str) -> None:
        """A row with a bar, from one share of the width on, as long as another."""
        room = WIDTH - LABEL - 110
        self.label(label)
        self.rectangle(LABEL + start * room, self.height + 5, share * room, ROW - 12, kind)
        self.text(LABEL + (start + share) * room + 6, self.height + 18, value)
        self.height += ROW

    def svg(self) -> str:
        """The picture as text, in a page that has the style of `vyre_dialect.ir.html`."""
        return ElementTree.tostring(self._root(), encoding="unicode")

    def standalone(self) -> str:
        """The picture as a file, with that style."""
        root = self._root()
        height = root.attrib["viewBox"].split()[-1]
        namespace = {"xmlns": "http://www.w3.org/2000/svg", "class": "vyre"}
        root.attrib = {**namespace, "width": f"{WIDTH}", "height": height, **root.attrib}
        style = ElementTree.Element("style")
        style.text = STYLE
        root.insert(1, style)
        return ElementTree.tostring(root, encoding="unicode")

    def _root(self) -> ElementTree.Element:
        box = f"0 0 {WIDTH} {self.height + MARGIN:.0f}"
        root = ElementTree.Element("svg", {"viewBox": box, "role": "img"})
        ElementTree.SubElement(root, "title").text = printable(self.title)
        root.extend(self._parts)
        return root


class Span(NamedTuple):
    """When an arm ran, in ns."""

    name: str
    begin: int
    taken: int


def timeline(spans: Sequence[Span]) -> str:
    """When each arm ran, a row each."""
    drawing = Drawing("timeline of arms")
    end = max((each.begin + each.taken for each in spans), default=0) or 1
    for each in spans:
        shown = f"{each.taken / 1e3:.1f} µs"
        drawing.bar(each.name, each.begin / end, each.taken / end, shown, "arm")
    return drawing.svg()


def bars(title: str, values: Mapping[str, tuple[float, str]]) -> str:
    """A bar for each value, which is a length and a kind; with its number of µs."""
    drawing = Drawing(title)
    longest = max((value for value, _ in values.values()), default=1) or 1
    for label, (value, kind) in values.items():
        drawing.bar(label, 0, value / longest, f"{value / 1e3:.1f} µs", kind)
    return drawing.svg()


def footprint(plan: PlanSummary) -> str:
    """What a tile is: the invocations that fill it, and those that read it, with its elements."""
    drawing = Drawing(f"a tile of {plan.arm}")
    rows = [
        (f"{each.arm}: {counted(each.invocations, 'invocation')}", each.invocations, "arm")
        for each in plan.shares
    ]
    tiles = [
        (f"@{name}: {counted(count, 'element')}", count, "tile")
        for name, count in plan.tiles.items()
    ]
    producers, consumers = rows[:-1], rows[-1:]
    for number, (label, count, kind) in enumerate([*producers, *tiles, *consumers]):
        if number:
            middle, top = LABEL + CELL / 2 - 1, drawing.height
            drawing.line((middle, top - 7, middle, top + 5), "flow")
        _cells(drawing, label, count, kind)
    return drawing.svg()


def _cells(drawing: Drawing, label: str, count: int, kind: str) -> None:
    shown = min(count, MOST_CELLS)
    drawing.label(label)
    for cell in range(shown):
        drawing.rectangle(LABEL + cell * CELL, drawing.height + 5, CELL - 2, ROW - 12, kind)
    if count > shown:
        drawing.text(LABEL + shown * CELL + 4, drawing.height + 18, f"… {count}")
    drawing.height += ROW


def collision(example: Mapping[str, object]) -> str:
    """
    A counterexample: the element, who touches it first and who then; or, where no invocation
    writes it, that; or two tiles that are written by numbers of invocations that differ.
    """
    shares = example.get("shares")
    if isinstance(shares, list):
        return uneven(cast("list[Mapping[str, Sequence[int]]]", shares))
    drawing = Drawing("a counterexample")
    middle = WIDTH * 0.5
    earlier, later = whose(example, "earlier"), whose(example, "later")
    for x, when, who in ((WIDTH * 0.22, "first", earlier), (WIDTH * 0.78, "then", later)):
        drawing.text(x, MARGIN + 12, when, "middle")
        drawing.rectangle(x - 130, MARGIN + 20, 260, 44, "arm")
        for line, text in enumerate(who):
            drawing.text(x, MARGIN + 38 + 18 * line, text, "middle")
        drawing.line((x, MARGIN + 64, middle, MARGIN + 104), "flow")
    drawing.rectangle(middle - 130, MARGIN + 104, 260, 26, "bad")
    place = f"element {example.get('element')} of @{example.get('buffer')}"
    drawing.text(middle, MARGIN + 122, place, "middle")
    drawing.height = MARGIN + 134
    return drawing.svg()


def whose(example: Mapping[str, object], role: str) -> list[str]:
    """The invocation that is the earlier or the later one, and where it runs, a line each."""
    if example.get(role) is None:
        return ["no invocation"]
    lines = [f"invocation {example[role]}"]
    if (workgroup := example.get(f"{role}_workgroup")) is not None:
        lines.append(f"workgroup {workgroup}")
    if (run_for := example.get(f"{role}_for")) is not None:
        lines.append(f"run for invocation {run_for}")
    return lines


def uneven(shares: Sequence[Mapping[str, Sequence[int]]]) -> str:
    """Tiles with the invocations that write them, of which one has more than the other."""
    drawing = Drawing("two tiles that are written by different numbers of invocations")
    for share in shares:
        for what, kind in (("elements", "tile"), ("invocations", "arm")):
            first, last = share[what]
            _cells(drawing, f"{what} {first} to {last}", last - first + 1, kind)
        drawing.height += ROW / 2
    return drawing.svg()


def counted(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
