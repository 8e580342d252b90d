"""What notebooks show of programs, runs and verdicts."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from support.documents import ROOT, first_program
from xdsl.dialects.builtin import i32

import vyre
from vyre_dialect.ir.html import highlighted
from vyre_dialect.passes.fusion.tiling.refusal import Counterexample, TileShare, UnevenTiles
from vyre_dialect.runtime.display.drawings import MOST_CHARACTERS, Drawing, collision
from vyre_dialect.runtime.program.compilation import make_context, parse_module

EXAMPLE = ROOT / "examples" / "delta_filter.mlir"


def shown(result: object) -> str:
    """What a notebook shows of a result; IPython and marimo ask by this name."""
    return getattr(result, "_repr_html_")()  # noqa: B009 - its types are not public


def words(html: str) -> str:
    return unescape(re.sub(r"<style>.*?</style>|<[^>]+>", "", html, flags=re.DOTALL))


def test_highlighting_changes_no_text() -> None:
    text = EXAMPLE.read_text() + 'a<b> & "quoted %x // no comment" @"symbol <&>" %0#1 -1.5e+3'
    assert words(highlighted(text)) == text


@pytest.mark.parametrize(
    ("kind", "token"),
    [
        ("op", "vyre.decode.delta"),
        ("value", "%decoded"),
        ("symbol", "@delta_filter"),
        ("type", "!vyre.buffer"),
        ("number", "-1000"),
        ("comment", "//"),
    ],
)
def test_what_stands_out(kind: str, token: str) -> None:
    assert f'<span class="ir-{kind}">{token}</span>' in highlighted(EXAMPLE.read_text())


def test_a_name_in_a_comment_is_of_the_comment() -> None:
    assert highlighted("// %x @y\n").count("<span") == 1


def test_a_program_shows_its_ir() -> None:
    with vyre.program("<p>") as built:
        built.buffer("data", i32, 4, live_out=True)
    html = shown(built)
    assert words(html) == str(built)
    assert "<p>" not in html
    assert 'class="ir-op"' in html


def test_a_run_shows_its_outputs() -> None:
    run = vyre.run(EXAMPLE, {"encoded": np.zeros(256, np.int32)}, device="reference")
    assert "delta_filter on reference" in words(shown(run))
    assert "@count1 int32[256]" in words(shown(run))
    assert "<figure>" not in shown(run)  # the interpreter has no clock


@pytest.mark.slow
@pytest.mark.device
def test_a_run_on_a_device_shows_when_kernels_ran() -> None:
    run = vyre.run(EXAMPLE, {"encoded": np.zeros(4096, np.int32)})
    assert "decode.delta+scan.filter" in words(shown(run))
    assert 'class="arm"' in shown(run)
    compiled = vyre.compile(EXAMPLE)
    assert "vyre.kernel" in words(shown(compiled))


def test_an_explanation_draws_what_fuses() -> None:
    html = shown(vyre.explain(EXAMPLE))
    assert "@decoded fuses" in words(html)
    assert html.count("<svg") == 1
    assert "vyre-decode-scan-fuse" in words(html)


def test_an_explanation_draws_who_collide() -> None:
    module = parse_module(first_program(ROOT / "docs" / "verdicts.md"), make_context(), "")
    html = shown(vyre.explain(module))
    assert "@copy is not fused: cross-workgroup" in words(html)
    assert 'class="bad"' in html
    assert "line None" not in words(html)


def test_who_collide_are_stepped_through_in_order(tmp_path: Path) -> None:
    file = tmp_path / "shift.mlir"
    file.write_text(first_program(ROOT / "docs" / "verdicts.md"))
    (steps,) = re.findall(r"<ol>.*?</ol>", shown(vyre.explain(file)), re.DOTALL)
    first, then = (words(each) for each in steps.split("</li><li>"))
    assert re.match(r"invocation \d+, workgroup 1, line 8:%v = vyre.load %data", first)
    assert re.match(r"invocation \d+, workgroup 0, line 16:vyre.store %v, %data", then)


COLLISIONS = [
    Counterexample("t", 5, 7, 0, None, None, {}, True),
    Counterexample("t", 5, 7, None, 3, 6, {}, True),
    Counterexample("t", 5, 7, 1, 3, 0, {}, False),
    UnevenTiles("t", (TileShare((0, 7), (0, 1), {}), TileShare((8, 15), (1, 3), {}))),
]


@pytest.mark.parametrize("example", COLLISIONS, ids=["unwritten", "own", "other", "uneven"])
def test_each_kind_of_counterexample_is_drawn(example: Counterexample | UnevenTiles) -> None:
    drawn = collision(example.as_dict())
    assert "None" not in drawn
    texts = re.findall(r"<text[^>]*>([^<]*)", drawn)
    if isinstance(example, UnevenTiles):
        assert texts == [
            *("elements 0 to 7", "invocations 0 to 1"),
            *("elements 8 to 15", "invocations 1 to 3"),
        ]
        return
    assert "invocation 7" in texts
    assert "element 5 of @t" in texts
    assert ("no invocation" in texts) == (example.earlier is None)
    assert ("run for invocation 6" in texts) == (example.earlier_for is not None)


@pytest.mark.parametrize("more", [0, 1, 5])
def test_of_a_long_label_there_is_as_much_as_fits(more: int) -> None:
    label = ("abcdefghij" * MOST_CHARACTERS)[: MOST_CHARACTERS + more]
    drawing = Drawing("labels")
    drawing.label(label)
    shown = label if not more else label[: MOST_CHARACTERS - 1] + "…"
    assert f">{shown}<" in drawing.svg()
