"""Ops know the line that they stand on, as editors count lines."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    StringAttr,
    UnitAttr,
    UnknownLoc,
)
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.reading import ReadError, read_module
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.program.compilation import Passes, load_module, make_context
from vyre_dialect.runtime.program.explanation import Explainer

NO_LINE = {"line": None, "source": None}

# Lines end at '\n' only: not at a form feed, and not at the line separator of Unicode.
PROGRAM = """// one \f still \u2028 one
vyre.program @p {
  %a = vyre.buffer @a : !vyre.buffer<4xi32, read_only>
}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a program."""
    path = tmp_path / "p.mlir"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def buffer_location(path: Path) -> LocationAttr:
    module = load_module(path, make_context())
    (buffer,) = (op for op in module.walk() if isinstance(op, BufferOp))
    return buffer.location


def at_line(path: Path, line: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(str(path)), IntAttr(line), IntAttr(1))


def explainer_of(path: Path) -> Explainer:
    return Explainer(str(path), path.read_text(), Passes(), has_schedule=False)


def test_only_newlines_end_a_line(path: Path) -> None:
    location = buffer_location(path)
    assert isinstance(location, FileLineColLoc)
    assert (location.line.data, location.column.data) == (3, 3)


def test_the_line_shown_is_the_line_of_the_op(path: Path) -> None:
    line = "%a = vyre.buffer @a : !vyre.buffer<4xi32, read_only>"
    assert explainer_of(path).place(buffer_location(path)) == {
        "line": 3,
        "source": line,
    }


@pytest.mark.parametrize("line", [0, 6, 999])
def test_lines_that_the_file_does_not_have(path: Path, line: int) -> None:
    assert explainer_of(path).place(at_line(path, line)) == NO_LINE


def test_places_elsewhere(path: Path) -> None:
    explainer = explainer_of(path)
    assert explainer.place(UnknownLoc()) == NO_LINE
    assert explainer.place(at_line(path.with_name("other.mlir"), 1)) == NO_LINE


@irdl_op_definition
class BrokenOp(IRDLOperation):
    """An op of a package whose verifier has a mistake, or a rule."""

    name = "other.broken"
    rule = opt_prop_def(UnitAttr)

    def verify_(self) -> None:
        if self.rule is not None:
            raise VerifyException("a rule of its own")
        len(self)  # pyright: ignore  # what goes wrong


def refused(text: str) -> str:
    context = make_context()
    context.register_dialect("other", lambda: Dialect("other", [BrokenOp]))
    with pytest.raises(ReadError) as raised:
        read_module(text, context, "p.mlir")
    return str(raised.value)


def test_a_mistake_in_a_verifier_is_told_with_its_line() -> None:
    lines = Path(__file__).read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "# what goes wrong" in text)
    message = "p.mlir:2: TypeError: object of type 'BrokenOp' has no len()"
    assert refused('\n"other.broken"() : () -> ()') == f"{message} ({__file__}:{line})"


def test_a_rule_is_told_as_it_is() -> None:
    text = '"other.broken"() <{rule}> : () -> ()'
    assert refused(text) == "p.mlir:1: a rule of its own"
