"""What README.md shows works as shown."""

import re
from pathlib import Path

import pytest
from xdsl.context import Context

from vyre_dialect.runtime.program.pipelines import parse_pipeline

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = README.read_text()


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.device
def test_the_python_program_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = _blocks("python")
    exec(code, {})
    assert f"# {capsys.readouterr().out.strip()}" in code


def test_the_program_shown_is_the_example() -> None:
    (program,) = _blocks("mlir")
    example = README.parent / "examples" / "xor_literal.mlir"
    assert program.strip() in example.read_text()


def test_the_pipelines_exist() -> None:
    pipelines = re.findall(r"-p (?:'(.+?)'|(\S+))", TEXT)
    assert pipelines
    for quoted, plain in pipelines:
        assert parse_pipeline(quoted or plain).passes


def test_the_kernel_shown_is_the_kernel() -> None:
    from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context

    (kernel,) = _blocks("c")
    context: Context = make_context()
    module = load_module(README.parent / "examples" / "xor_literal.mlir", context)
    assert kernel.strip() in compile_module(module, context=context).source
