"""Names that a program gives are text wherever they come out: terminals, pages, kernels."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import vyre
from vyre_dialect.runtime.cli import main

NAMES = {
    "counted": "_1",
    "path": "../../evil",
    "command": "x\\1B[31mred\\1B]0;title\\07",
    "nul": "\\00",
    "lines": "a\\0A\\0Db",
    "backslash": "a\\5C",
    "trigraph": "a??/",
    "comment": "*/ int x;",
    "script": "]]></style></svg><script>alert(1)</script>",
    "attribute": "\\22><img src=x onerror=alert(1)>",
    "markup": "[/x][link=y]",
}
"""As they are written in a string of MLIR."""
COUNT = """
vyre.program @"NAME" {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %copy = vyre.buffer @"NAMEcopy"[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @"NAMEcount" live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "NAME" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %copy[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "NAME2" invocations [%n] {
    %i = vyre.invocation_id x
    %first = arith.constant 0 : index
    %seven = arith.constant 7 : index
    %far = arith.muli %i, %seven : index
    %byte = vyre.load %copy[%far] : !vyre.buffer<?xi8, read_write> -> i8
    %value = arith.extui %byte : i8 to i32
    %old = vyre.atomic_rmw addi %value, %count[%first] : i32, !vyre.buffer<1xi32, read_write>
  }
}
"""
PIPELINE = "vyre-outline-kernels,canonicalize"
INPUT = ("--input", "text=text:abc")


@pytest.fixture(params=NAMES)
def program(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A program whose symbols and arms have such a name, alone in a folder."""
    monkeypatch.chdir(tmp_path)
    Path("program.mlir").write_text(COUNT.replace("NAME", NAMES[request.param]))
    return "program.mlir"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "arguments",
    [
        ("compile",),
        ("explain",),
        ("run", *INPUT, "--device", "reference"),
        ("run", *INPUT, "--device", "reference", "--check"),
        ("run", *INPUT),
        ("compile", "--print-ir-after-all", "--dump", "dump"),
    ],
    ids=" ".join,
)
def test_it_works_and_commands_no_terminal(
    program: str, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command, *others = arguments
    assert main([command, program, *others]) == 0
    printed = capsys.readouterr()
    assert "".join(printed.out.splitlines()).isprintable()
    assert "".join(printed.err.splitlines()).isprintable()
    assert {path.name for path in Path().iterdir()} <= {"program.mlir", "dump"}


@pytest.mark.slow
def test_pages_have_no_element_of_it(program: str) -> None:
    assert main(["report", program, *INPUT, "-o", "report.html"]) == 0
    page = Path("report.html").read_text()
    assert_harmless(page)
    assert "".join(page.splitlines()).isprintable()


@pytest.mark.slow
def test_notebooks_show_no_element_of_it(program: str) -> None:
    compiled = vyre.compile(program, pipeline=PIPELINE)
    run = compiled.run({"text": np.zeros(3, np.uint8)})
    for shown in (compiled, run, vyre.explain(program)):
        html = shown._repr_html_()  # pyright: ignore[reportPrivateUsage]
        assert_harmless(html)
        assert html.replace("\n", "").isprintable()


def test_pictures_are_xml(program: str) -> None:
    assert main(["explain", program, "--no-fuse", "--memory-plot", "memory.svg"]) == 0
    assert len(ElementTree.parse("memory.svg").getroot())


def test_traces_are_json(program: str) -> None:
    assert main(["run", program, *INPUT, "--trace", "trace.json"]) == 0
    assert json.loads(Path("trace.json").read_text())["traceEvents"]


def assert_harmless(html: str) -> None:
    """That HTML has no element and no attribute that runs or fetches something."""
    page = _Elements()
    page.feed(html)
    assert page.names.isdisjoint({"script", "img", "link", "iframe", "object"})
    assert not page.handlers


class _Elements(HTMLParser):
    """The elements of a page, and the attributes that are scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.names = set[str]()
        self.handlers = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
