"""The examples of docs/dialect.md are programs, and the page names every core op."""

import re
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.scf import Scf
from xdsl.parser import Parser

from vyre_dialect.dialect import Vyre

PAGE = (Path(__file__).parents[2] / "docs" / "dialect.md").read_text()


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def parsed(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Arith, Scf, Vyre):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


@pytest.mark.parametrize("text", examples("mlir"), ids=lambda text: text.split()[1])
def test_examples_are_programs(text: str):
    parsed(text)


def test_the_python_example_builds_the_first_program():
    (source,) = examples("python")
    names = dict[str, object]()
    exec(source.replace("print(p.module)", "module = p.module"), names)
    module = names["module"]
    assert isinstance(module, ModuleOp)
    assert module.is_structurally_equivalent(parsed(examples("mlir")[0]))


def test_every_core_op_has_an_example():
    shown = {op.name for text in examples("mlir") for op in parsed(text).walk()}
    core = {op.name for op in Vyre.operations if op.name.count(".") == 1}
    assert core - shown == set()


def test_every_core_op_is_described():
    described = set(re.findall(r"\*\*`(vyre\.\w+)", PAGE))
    assert {op.name for op in Vyre.operations if op.name.count(".") == 1} - described == set()
