"""An editor that starts `vyre lsp` and speaks the protocol gets what it asks for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra 'lsp' is not installed")

PROGRAM = """\
// über
vyre.program @words workgroup_size [64] {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "é" in %text count %count
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}
// vyre-unroll
"""
URI = "file:///words.mlir"


class Editor:
    """The other side of the protocol."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", "from vyre_dialect.runtime.cli import main; main()", "lsp"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.number = 0
        self.told = list[dict[str, Any]]()

    def send(self, method: str, parameters: object, number: int | None = None) -> None:
        assert self.process.stdin is not None
        asked = {} if number is None else {"id": number}
        message = {"jsonrpc": "2.0", "method": method, "params": parameters, **asked}
        data = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def ask(self, method: str, parameters: object) -> Any:
        self.number += 1
        self.send(method, parameters, self.number)
        while (message := self.receive()).get("id") != self.number:
            self.told.append(message)
        assert "error" not in message, message
        return message["result"]

    def problems(self, text: str, uri: str = URI) -> list[dict[str, Any]]:
        """What is wrong with a text that is opened."""
        document = {"uri": uri, "languageId": "mlir", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": document})
        while (message := self.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        assert message["params"]["uri"] == uri
        return message["params"]["diagnostics"]

    def at(self, method: str, text: str, place: str, uri: str = URI) -> Any:
        """What a request says of the place in an open text where `^` stands in `place`."""
        offset = text.index(place.replace("^", "")) + place.index("^")
        before = text[:offset]
        position = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        asked = {"textDocument": {"uri": uri}, "position": position}
        return self.ask(f"textDocument/{method}", asked)


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    editor = Editor()
    capabilities = editor.ask(
        "initialize", {"processId": None, "rootUri": None, "capabilities": {}}
    )
    assert {"hoverProvider", "definitionProvider"} <= set(capabilities["capabilities"])
    editor.send("initialized", {})
    yield editor
    editor.ask("shutdown", None)
    editor.send("exit", None)
    assert editor.process.wait(20) == 0


def lines_at(found: dict[str, Any]) -> tuple[int, int]:
    start = found["range"]["start"]
    return start["line"], start["character"]


def test_a_program_has_no_problems(editor: Editor) -> None:
    assert editor.problems(PROGRAM) == []


def test_an_error_of_the_parser_is_where_it_is(editor: Editor) -> None:
    (problem,) = editor.problems(PROGRAM.replace("in %text", "in %txet"), "file:///a.mlir")
    assert "txet" in problem["message"]
    assert lines_at(problem) == (4, PROGRAM.splitlines()[4].index("%text"))


def test_an_error_of_a_verifier_is_at_its_op(editor: Editor) -> None:
    text = PROGRAM.replace("<1xi32", "<1xi8")
    (problem,) = editor.problems(text, "file:///b.mlir")
    assert problem["message"].startswith("'vyre.scan.literal' expected")
    assert lines_at(problem) == (4, 2)


def test_an_unknown_op_is_named(editor: Editor) -> None:
    (problem,) = editor.problems("func.func @f() {\n  arith.adddi\n}\n", "file:///c.mlir")
    assert problem["message"].startswith("unknown operation 'arith.adddi'")
    assert problem["range"]["start"]["line"] == 1


def test_cases_of_a_test_are_read_apart(editor: Editor) -> None:
    text = f"{PROGRAM}// -----\n{PROGRAM}// -----\nvyre.prgram @x {{}}\n"
    (problem,) = editor.problems(text, "file:///d.mlir")
    assert problem["range"]["start"]["line"] == text.count("\n") - 1


@pytest.mark.parametrize("text", ["", "\x00", "}", '"', "// -----", "%"])
def test_no_text_ends_the_server(editor: Editor, text: str) -> None:
    editor.problems(text, "file:///e.mlir")
    assert editor.problems(PROGRAM) == []


def test_an_op_is_explained(editor: Editor) -> None:
    editor.problems(PROGRAM)
    found = editor.at("hover", PROGRAM, "vyre.scan.li^teral")
    assert "**`vyre.scan.literal`**" in found["contents"]["value"]
    assert lines_at(found) == (4, 2)


def test_an_op_of_another_dialect_is_explained(editor: Editor) -> None:
    text = "func.func @f(%x : i32) -> i32 {\n  func.return %x : i32\n}\n"
    assert editor.problems(text, "file:///f.mlir") == []
    found = editor.at("hover", text, "func.ret^urn", "file:///f.mlir")
    assert found["contents"]["value"].startswith("**`func.return`**")
    found = editor.at("hover", text, "return %^x", "file:///f.mlir")
    assert "i32" in found["contents"]["value"]


def test_a_pass_is_explained(editor: Editor) -> None:
    editor.problems(PROGRAM)
    found = editor.at("hover", PROGRAM, "vyre-un^roll")
    assert "(pass)" in found["contents"]["value"]
    assert "`limit`" in found["contents"]["value"]


def test_a_value_leads_to_its_definition(editor: Editor) -> None:
    editor.problems(PROGRAM)
    found = editor.at("definition", PROGRAM, "count %co^unt")
    assert lines_at(found) == (3, 2)
    assert found["uri"] == URI


def test_a_value_in_a_text_with_an_error_leads_to_its_definition(editor: Editor) -> None:
    text = PROGRAM.replace("}\n// vyre", "  vyre.nonsense\n}\n// vyre")
    assert len(editor.problems(text, "file:///g.mlir")) == 1
    found = editor.at("definition", text, "in %te^xt", "file:///g.mlir")
    assert lines_at(found) == (2, 2)


def test_a_symbol_leads_to_its_definition(editor: Editor) -> None:
    text = (
        "func.func @g() {\n  func.call @f() : () -> ()\n  func.return\n}\nfunc.func private @f()\n"
    )
    assert editor.problems(text, "file:///h.mlir") == []
    found = editor.at("definition", text, "call @^f", "file:///h.mlir")
    assert lines_at(found) == (4, 18)


def test_nothing_leads_nowhere(editor: Editor) -> None:
    editor.problems(PROGRAM)
    assert editor.at("definition", PROGRAM, "// ü^ber") is None
    assert editor.at("hover", PROGRAM, "// ü^ber") is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("  vyre.decode.he", "vyre.decode.hex"),
        ("  ari", "arith"),
        ("  arith.sub", "arith.subi"),
        ("  // RUN: -p vyre-unr", "vyre-unroll"),
        ("  vyre.load %te", "text"),
        ("  func.call @wo", "words"),
    ],
)
def test_names_are_completed(editor: Editor, written: str, expected: str) -> None:
    text = PROGRAM.replace("}\n// vyre", f"{written}\n}}\n// vyre")
    editor.problems(text, "file:///i.mlir")
    found = editor.at("completion", text, f"{written}^\n", "file:///i.mlir")
    labels = [item["label"] for item in found["items"]]
    assert expected in labels
    assert all(label.startswith(written.split()[-1].lstrip("%@")) for label in labels)


@pytest.mark.parametrize("asked", ["hover", "definition", "completion"])
def test_what_no_editor_opened_is_not_read(editor: Editor, tmp_path: Path, asked: str) -> None:
    (tmp_path / "other.mlir").write_text(PROGRAM)
    os.mkfifo(tmp_path / "pipe.mlir")
    for name in ("other.mlir", "pipe.mlir"):
        place = {"line": 1, "character": 3}
        document = {"uri": (tmp_path / name).as_uri()}
        assert (
            editor.ask(f"textDocument/{asked}", {"textDocument": document, "position": place})
            is None
        )


@pytest.mark.parametrize("header", ["9" * 5000, "9" * 20, str(2**63 - 1), "x"])
def test_what_is_no_message_ends_it_with_one_line(header: str) -> None:
    command = [sys.executable, "-c", "from vyre_dialect.runtime.cli import main; main()", "lsp"]
    said = subprocess.run(
        command,
        input=f"Content-Length: {header}\r\n\r\n{{}}",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    ).stderr
    assert "Traceback" not in said and "internal" not in said and said.count("\n") <= 1


def test_it_ends_without_a_word() -> None:
    editor = Editor()
    editor.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    editor.ask("shutdown", None)
    editor.send("exit", None)
    _, complaints = editor.process.communicate(timeout=120)
    assert (editor.process.returncode, complaints) == (0, b"")
