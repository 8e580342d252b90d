"""A report has every section, and needs nothing that is not in it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.documents import ROOT, first_program

from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.display.drawings import timeline
from vyre_dialect.runtime.opencl.results import ArmTiming, spans
from vyre_dialect.runtime.report.stages import MOST_LINES, Stage

EXAMPLE = ROOT / "examples" / "delta_filter.mlir"
SECTIONS = ["source", "verdicts", "stages", "memory", "timeline", "roofline", "search"]
VOID = {"meta", "br", "link", "img"}
SHIFT = first_program(ROOT / "docs" / "verdicts.md")


class Page(HTMLParser):
    """The sections of a page, with the text and the tags in each."""

    def __init__(self, text: str):
        super().__init__()
        self.open = list[str]()
        self.section = ""
        self.text = dict[str, str]()
        self.tags = dict[str, list[str]]()
        self.loads = list[str]()
        self.feed(text)
        self.close()
        assert self.open == [], "tags that are not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "section":
            self.section = values["id"] or ""
        self.tags.setdefault(self.section, []).append(tag)
        self.loads += [
            str(values[name]) for name in ("src", "href", "xlink:href") if name in values
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.setdefault(self.section, []).append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text[self.section] = self.text.get(self.section, "") + data


def report(file: Path, folder: Path, *arguments: str) -> Page:
    path = folder / "report.html"
    assert main(["report", str(file), "-o", str(path), *arguments]) == 0
    return Page(path.read_text())


def test_a_page_without_inputs_says_what_is_missing(tmp_path: Path) -> None:
    page = report(EXAMPLE, tmp_path, "--device", "reference")
    assert list(page.text)[1:] == SECTIONS
    assert "vyre.decode.delta" in page.text["source"]
    assert "@decoded fuses" in page.text["verdicts"]
    assert "decode.delta: " in page.text["verdicts"]
    assert "vyre-expand" in page.text["stages"]
    assert "__kernel" in page.text["stages"]
    assert "svg" in page.tags["memory"]
    assert "--input" in page.text["timeline"]
    assert "--input" in page.text["roofline"]
    assert "vyre tune" in page.text["search"]


def test_a_page_loads_nothing(tmp_path: Path) -> None:
    page = report(EXAMPLE, tmp_path, "--device", "reference")
    assert page.loads == [f"#{section}" for section in SECTIONS]
    text = (tmp_path / "report.html").read_text()
    assert "<script" not in text
    assert not re.search(r"url\(|@import", text)
    assert 'name="viewport"' in text
    assert "prefers-color-scheme: dark" in text


def test_stages_show_what_each_pass_changed(tmp_path: Path) -> None:
    page = report(EXAMPLE, tmp_path, "--device", "reference")
    shown = page.text["stages"]
    assert "-    vyre.decode.delta" in shown
    assert '+    vyre.region "decode.delta"' in shown
    assert page.tags["stages"].count("details") >= 5


def test_a_refusal_is_drawn_with_its_counterexample(tmp_path: Path) -> None:
    file = tmp_path / "shift.mlir"
    file.write_text(SHIFT)
    page = report(file, tmp_path, "--device", "reference")
    verdicts = page.text["verdicts"]
    assert "@copy is not fused: cross-workgroup" in verdicts
    assert re.search(r"invocation \d+workgroup 0", verdicts)
    assert re.search(r"element \d+ of @data", verdicts)
    assert "vyre.store" in verdicts


@pytest.mark.slow
@pytest.mark.device
def test_a_run_has_a_timeline_and_a_roofline(tmp_path: Path) -> None:
    page = report(EXAMPLE, tmp_path, "--input", "encoded=zeros:40000")
    assert "decode.delta+scan.filter" in page.text["timeline"]
    assert "µs" in page.text["timeline"]
    assert "measured" in page.text["roofline"]
    assert "default: predicted" in page.text["roofline"]
    assert "rect" in page.tags["roofline"]


def test_names_of_a_program_are_no_markup(tmp_path: Path) -> None:
    file = tmp_path / "<img src=x>.mlir"
    file.write_text('// <script>alert(1)</script>\nvyre.program @"<b>" {}\n')
    page = report(file, tmp_path, "--device", "reference")
    assert "img" not in page.tags.get("", [])
    assert "<script>" in page.text["source"]
    assert all("script" not in tags and "b" not in tags for tags in page.tags.values())


def test_a_page_that_cannot_be_written_is_told_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(EXAMPLE), "-o", str(tmp_path / "no" / "report.html")]) == 1
    assert "there is no folder" in capsys.readouterr().err


def test_a_long_difference_is_cut_off() -> None:
    stage = Stage("p", "", "\n".join(map(str, range(3 * MOST_LINES))))
    shown = stage.difference()
    assert len(shown) == MOST_LINES + 1
    assert "more lines" in shown[-1]


def test_arms_begin_when_the_clock_says_or_after_each_other() -> None:
    clocked = [ArmTiming("a", 10, 0, begin_ns=100), ArmTiming("b", 5, 0, begin_ns=140)]
    assert [each.begin for each in spans(clocked)] == [0, 40]
    unclocked = [ArmTiming("a", 10, 0), ArmTiming("b", None, 0)]
    assert [each.begin for each in spans(unclocked)] == [0, 10]
    assert timeline([]).startswith("<svg")


@pytest.mark.slow
@pytest.mark.device
def test_a_trace_has_an_event_for_each_arm(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    arguments = ["run", str(EXAMPLE), "--no-fuse", "--input", "encoded=zeros:40000"]
    assert main([*arguments, "--trace", str(path)]) == 0
    events = [each for each in json.loads(path.read_text())["traceEvents"] if each["ph"] == "X"]
    assert [each["name"] for each in events] == ["decode.delta", "scan.filter"]
    assert all(each["dur"] > 0 for each in events)
    assert events[1]["ts"] >= events[0]["ts"] + events[0]["dur"]
