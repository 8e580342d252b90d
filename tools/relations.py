"""
Draw what isl is asked when two arms are to share a tile, for `docs/fusion.md`: which invocation
of each touches which element, and what a tile of one workgroup needs.

    python tools/relations.py docs
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple, cast

import islpy as isl
from xdsl.dialects.builtin import i8

import vyre
from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Value
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.refusal import Refusal
from vyre_dialect.passes.fusion.tiling.summary import PlanSummary
from vyre_dialect.runtime.display.drawings import Drawing

SIZE, WORKGROUP, TILE = 24, 8, 1
"""Elements and invocations; those of a workgroup; the workgroup whose tile is shown."""
CELL, LEFT, TOP = 14, 60, 60
"""Pixels of a cell, and in front of and above all cells."""
RIGHT = LEFT + SIZE * CELL + 24
"""Where it is said what there is to see, in pixels."""
PIPELINE = "vyre-decode-scan-fuse{strategy=workgroup}"
LINE = 40
"""Characters of a line of what is said."""


class Pair(NamedTuple):
    """An invocation, and an element that it touches."""

    invocation: int
    element: int


@dataclass(frozen=True)
class Relations:
    """What two arms do to a buffer, and what the tile of a workgroup is made of."""

    earlier: frozenset[Pair]
    later: frozenset[Pair]
    elements: frozenset[int]
    """What the workgroup touches in the later arm."""
    needed: frozenset[int]
    """The invocations of the earlier arm that touch these."""


@dataclass(frozen=True)
class Sample:
    """A program of two arms, and the buffer that both touch and that is drawn."""

    build: Callable[[], vyre.Program]
    buffer: str
    does: tuple[str, str]
    """What each arm does to an element of it."""


def handed_on(places: Callable[[Value], list[Value]]) -> Callable[[], vyre.Program]:
    """A decoder of a byte by each invocation, and a scanner that reads what lies at `places`."""

    def build() -> vyre.Program:
        with vyre.program("pair", workgroup_size=[WORKGROUP]) as built:
            text = built.buffer("text", i8, SIZE, access=vyre.Access.READ_ONLY)
            decoded = built.buffer("decoded", i8, SIZE, initial=vyre.Initial.UNDEFINED)
            out = built.buffer("out", i8, SIZE, live_out=True)
            with built.arm("decode", SIZE) as decode:
                decoded[decode] = text[decode] ^ 42
            with built.arm("scan", SIZE) as scan:
                first, *others = (decoded[place] for place in places(scan))
                out[scan] = sum(others, start=first)
        return built

    return build


def window(scan: Value) -> list[Value]:
    """Three elements from the own one on, as a search for three bytes reads them."""
    return [scan, scan + 1, scan + 2]


def mirrored(scan: Value) -> list[Value]:
    """What the own workgroup has decoded, from its other end."""
    return [scan // WORKGROUP * (2 * WORKGROUP) + (WORKGROUP - 1) - scan]


def shifted() -> vyre.Program:
    """A copy, which is written back one element further on."""
    with vyre.program("shift", workgroup_size=[WORKGROUP]) as built:
        data = built.buffer("data", i8, SIZE, live_out=True)
        copied = built.buffer("copied", i8, SIZE, initial=vyre.Initial.UNDEFINED)
        with built.arm("copy", SIZE) as copy:
            copied[copy] = data[copy]
        with built.arm("shift", SIZE) as shift:
            data[shift + 1] = copied[shift]
    return built


_PAIR = ("'decode' writes", "'scan' reads")
SAMPLES = {
    "relations-window": Sample(handed_on(window), "decoded", _PAIR),
    "relations-mirrored": Sample(handed_on(mirrored), "decoded", _PAIR),
    "relations-shift": Sample(shifted, "data", ("'copy' reads", "'shift' writes")),
}
"""What is drawn, by the name of the picture."""


def relations_of(built: vyre.Program, buffer: str) -> Relations:
    """The relations of the two arms to a buffer, by isl."""
    analysis = AnalysisManager().get(ProgramAnalysis, built.op)
    drawn = next(each for each in built.op.buffers() if each.sym_name.data == buffer)
    earlier, later = (touched(analysis.accesses(arm), drawn) for arm in built.op.arms())
    first = TILE * WORKGROUP
    tile = isl.Set.read_from_str(
        analysis.context, f"{{ I[i, 0, 0] : {first} <= i < {first + WORKGROUP} }}"
    )
    elements = later.intersect_domain(tile).range()
    needed = earlier.intersect_range(elements).domain()
    return Relations(
        frozenset(Pair(point[0], point[-1]) for point in points(earlier.wrap())),
        frozenset(Pair(point[0], point[-1]) for point in points(later.wrap())),
        frozenset(point[0] for point in points(elements)),
        frozenset(point[0] for point in points(needed)),
    )


def touched(accesses: ArmAccesses | Refusal, buffer: BufferOp) -> isl.Map:
    """Which invocation touches which element."""
    assert isinstance(accesses, ArmAccesses)
    return accesses.touched(accesses.to(buffer))


def points(found: isl.Set) -> list[tuple[int, ...]]:
    """The points of a bounded set without parameters."""
    places = list[tuple[int, ...]]()

    def add(point: isl.Point) -> None:
        count = point.get_space().dim(isl.dim_type.set)
        values = (point.get_coordinate_val(isl.dim_type.set, axis) for axis in range(count))
        places.append(tuple(value.to_python() for value in values))

    found.foreach_point(add)
    return places


def picture(name: str) -> str:
    """The relations, the tile and the verdict, as SVG."""
    sample = SAMPLES[name]
    built = sample.build()
    found = relations_of(built, sample.buffer)
    verdict, plan = decided(built)
    drawing = Drawing(f"which invocations touch which elements of @{sample.buffer}")
    draw_axes(drawing)
    draw_tile(drawing, found)
    draw_relations(drawing, found, cast("dict[str, int] | None", verdict.get("counterexample")))
    draw_words(drawing, legend_of(sample, found), said_of(verdict, plan))
    drawing.height = TOP + SIZE * CELL + 12
    return drawing.standalone() + "\n"


def decided(built: vyre.Program) -> tuple[Mapping[str, object], PlanSummary | None]:
    """What the pass decides of the only handoff, and how it fuses."""
    explained = vyre.explain(built, pipeline=PIPELINE)
    (verdict,) = (each for each in explained.handoffs if each.get("reason") != "live-out")
    (plan,) = explained.plans or (None,)
    return verdict, plan


def legend_of(sample: Sample, found: Relations) -> dict[str, str]:
    """What each kind of rectangle stands for."""
    earlier, later = sample.does
    return {
        "arm": f"{earlier} an element",
        "tile": f"{later} an element",
        "tile pale": f"{len(found.elements)} elements: {later}, workgroup {TILE}",
        "arm pale": f"{len(found.needed)} invocations: {earlier} them",
    }


def draw_axes(drawing: Drawing) -> None:
    """The names of the axes, and where workgroups begin."""
    drawing.text(LEFT, 20, "invocations →")
    drawing.text(8, TOP - 24, "elements ↓")
    end = SIZE * CELL
    for place in range(0, SIZE + 1, WORKGROUP):
        at = place * CELL
        drawing.line((LEFT + at, TOP, LEFT + at, TOP + end), "flow")
        drawing.line((LEFT, TOP + at, LEFT + end, TOP + at), "flow")
        if place < SIZE:
            drawing.text(LEFT + at, TOP - 6, str(place))
            drawing.text(LEFT - 6, TOP + at + CELL - 2, str(place), "end")


def draw_tile(drawing: Drawing, found: Relations) -> None:
    """The rows of the elements that the tile holds, and the columns of who touched them."""
    for first, last in runs(found.elements):
        height = (last - first + 1) * CELL
        drawing.rectangle(LEFT, TOP + first * CELL, SIZE * CELL, height, "tile pale")
    for first, last in runs(found.needed):
        width = (last - first + 1) * CELL
        drawing.rectangle(LEFT + first * CELL, TOP, width, SIZE * CELL, "arm pale")


def runs(numbers: frozenset[int]) -> list[tuple[int, int]]:
    """The first and the last of numbers that follow each other."""
    ordered = sorted(numbers)
    breaks = [place for place, (one, two) in enumerate(pairwise(ordered), 1) if two > one + 1]
    cuts = [0, *breaks, len(ordered)]
    return [(ordered[begin], ordered[end - 1]) for begin, end in pairwise(cuts)]


def draw_relations(drawing: Drawing, found: Relations, example: Mapping[str, int] | None) -> None:
    """Each pair that touches: blue for the earlier arm, with a green square for the later one."""
    for pair in sorted(found.earlier):
        draw_pair(drawing, pair, 1, "arm")
    for pair in sorted(found.later):
        draw_pair(drawing, pair, 4, "tile")
    if example is not None:
        for who in ("earlier", "later"):
            draw_pair(drawing, Pair(example[who], example["element"]), 1, "bad")


def draw_pair(drawing: Drawing, pair: Pair, inset: int, kind: str) -> None:
    """A cell, some pixels from its edges."""
    x, y = LEFT + pair.invocation * CELL, TOP + pair.element * CELL
    drawing.rectangle(x + inset, y + inset, CELL - 2 * inset, CELL - 2 * inset, kind)


def draw_words(drawing: Drawing, legend: Mapping[str, str], said: str) -> None:
    """What the colours mean, and the verdict."""
    y = TOP
    for kind, words in legend.items():
        drawing.rectangle(RIGHT, y, CELL, CELL, kind)
        drawing.text(RIGHT + CELL + 8, y + CELL - 2, words)
        y += 24
    for line in wrap(said, LINE):
        y += 18
        drawing.text(RIGHT, y, line)


def said_of(verdict: Mapping[str, object], plan: PlanSummary | None) -> str:
    """What the pass decides of the handoff."""
    if plan is not None:
        return f"Fuses: {plan}."
    example = cast("dict[str, object]", verdict["counterexample"])
    return f"Refused, {verdict['reason']}: {verdict['detail']}; {example['text']}."


def main() -> None:
    """Write the pictures into a folder."""
    folder = Path(sys.argv[1])
    for name in SAMPLES:
        (folder / f"{name}.svg").write_text(picture(name))


if __name__ == "__main__":
    main()
