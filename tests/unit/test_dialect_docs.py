"""The examples of the reference pages are programs, and the pages name every op."""

import re
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.scf import Scf
from xdsl.parser import Parser

from vyre_dialect.dialect import Vyre
from vyre_dialect.ir.interfaces import HasExpansionInterface
from vyre_dialect.passes.program.expand import ExpandPass

DOCS = Path(__file__).parents[2] / "docs"
CORE = (DOCS / "dialect.md").read_text()
LIBRARY = (DOCS / "library.md").read_text()
FUSION = (DOCS / "fusion.md").read_text()
LIBRARY_OPS = {op.name for op in Vyre.operations if op.name.split(".")[1] in ("decode", "scan")}
OPS = {CORE: {op.name for op in Vyre.operations} - LIBRARY_OPS, LIBRARY: LIBRARY_OPS}

each_page = pytest.mark.parametrize("page", [CORE, LIBRARY], ids=["dialect", "library"])


def examples(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def parsed(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Arith, Scf, Vyre):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def program_name(text: str) -> str:
    return text.split()[1]


@pytest.mark.parametrize("text", examples(CORE + LIBRARY, "mlir"), ids=program_name)
def test_examples_are_programs(text: str):
    parsed(text)


@pytest.mark.parametrize("text", examples(LIBRARY, "mlir"), ids=program_name)
def test_examples_of_the_library_expand(text: str):
    module = parsed(text)
    ExpandPass().apply(Context(), module)
    module.verify()
    assert not any(isinstance(op, HasExpansionInterface) for op in module.walk())


def test_the_python_example_builds_the_first_program():
    (source,) = examples(CORE, "python")
    names = dict[str, object]()
    exec(source.replace("print(p.module)", "module = p.module"), names)
    module = names["module"]
    assert isinstance(module, ModuleOp)
    assert module.is_structurally_equivalent(parsed(examples(CORE, "mlir")[0]))


def test_the_python_example_of_fusion_prints_what_it_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (source,) = examples(FUSION, "python")
    monkeypatch.chdir(DOCS.parent)
    exec(source, {})
    said = re.findall(r"^print\(.*\)  # (.+)$", source, re.MULTILINE)
    assert said
    assert capsys.readouterr().out.splitlines() == said


@each_page
def test_every_op_has_an_example(page: str):
    shown = {op.name for text in examples(page, "mlir") for op in parsed(text).walk()}
    assert OPS[page] - shown == set()


@each_page
def test_every_op_is_described(page: str):
    assert OPS[page] - set(re.findall(r"\*\*`(vyre(?:\.\w+)+)", page)) == set()


def test_every_link_and_file_of_the_library_page_exists():
    paths = re.findall(r"\]\(([\w/.]+)\)", LIBRARY)
    assert paths
    for path in paths:
        assert (DOCS / path).exists(), path
    for path in re.findall(r"`((?:vyre_dialect|passes|tests)/[\w/.]+)`", LIBRARY):
        assert (DOCS.parent / path).exists(), path
