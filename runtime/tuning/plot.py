"""Draws a search as SVG: candidates to the right as they were measured, their time upwards."""

from __future__ import annotations

from math import log10
from xml.etree import ElementTree

from vyre_dialect.messages import printable
from vyre_dialect.runtime.tuning.tuner import Candidate, Outcome

WIDTH, HEIGHT, MARGIN = 960, 540, 60
"""Of the picture, in pixels."""
_COLOURS = {"default": "#222", "measured": "#48c", "given up": "#bbb", "failed": "#d55"}


def search_plot(title: str, outcome: Outcome) -> str:
    """
    The picture as SVG. The axis of time, as a multiple of the default, is logarithmic; what failed
    stands at its end, the best until then is a line, and each point says its choices.
    """
    root = ElementTree.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        attrib={"font-family": "sans-serif", "font-size": "12"},
    )
    scale = _Scale(outcome.candidates)
    speedup = f"{outcome.speedup:.2f} times as fast as the default"
    _text(root, MARGIN, MARGIN / 2, f"{title}: {len(outcome.candidates)} candidates, {speedup}")
    for ratio in (scale.least, 1.0, scale.most):
        _text(root, MARGIN - 6, scale.y(ratio), f"{ratio:.2f}", "end")
    points = " ".join(f"{x},{y}" for x, y in _best_until(outcome.candidates, scale))
    line = {"points": points, "fill": "none", "stroke": "#2a6"}
    ElementTree.SubElement(root, "polyline", line)
    for number, candidate in enumerate(outcome.candidates):
        _point(root, scale, number, candidate)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


class _Scale:
    def __init__(self, candidates: list[Candidate]):
        ratios = [ratio for each in candidates if (ratio := _ratio(each)) is not None]
        self._count = len(candidates)
        self.least, self.most = min([1.0, *ratios]), max([1.0, *ratios])

    def x(self, number: int) -> float:
        return round(MARGIN + number / max(1, self._count - 1) * (WIDTH - 2 * MARGIN), 2)

    def y(self, ratio: float) -> float:
        extent = log10(self.most / self.least) or 1.0
        share = log10(ratio / self.least) / extent
        return round(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN), 2)


def _ratio(candidate: Candidate) -> float | None:
    if candidate.failure is not None:
        return None
    return candidate.ratio if candidate.same_as is None else candidate.same_as.ratio


def _best_until(candidates: list[Candidate], scale: _Scale) -> list[tuple[float, float]]:
    best, found = 1.0, list[tuple[float, float]]()
    for number, candidate in enumerate(candidates):
        best = min(best, _ratio(candidate) or best)
        found.append((scale.x(number), scale.y(best)))
    return found


def _point(root: ElementTree.Element, scale: _Scale, number: int, candidate: Candidate) -> None:
    ratio = _ratio(candidate)
    kind = "measured" if number else "default"
    if ratio is None:
        kind = "failed"
    elif candidate.is_given_up:
        kind = "given up"
    place = {"cx": str(scale.x(number)), "cy": str(scale.y(scale.most if ratio is None else ratio))}
    dot = ElementTree.SubElement(root, "circle", {**place, "r": "4", "fill": _COLOURS[kind]})
    choices = ", ".join(f"{name}={choice}" for name, choice in candidate.choices.items())
    time = "" if candidate.ns is None else f"{candidate.ns / 1e3:.1f} µs, "
    ElementTree.SubElement(dot, "title").text = printable(f"{time}{candidate.verdict}: {choices}")


def _text(root: ElementTree.Element, x: float, y: float, text: str, anchor: str = "start") -> None:
    place = {"x": str(x), "y": str(y), "text-anchor": anchor}
    ElementTree.SubElement(root, "text", place).text = printable(text)
