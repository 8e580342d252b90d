"""What README.md shows works as shown."""

import re
from pathlib import Path

import pytest
from xdsl.context import Context

from vyre_dialect.runtime.opencl.devices import list_devices
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text()


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_program_shown_is_the_example() -> None:
    program, _ = _blocks("mlir")
    example = ROOT / "examples" / "xor_literal.mlir"
    assert program.strip() in example.read_text()


@pytest.mark.device
def test_the_loop_shown_is_in_the_kernel_that_a_cpu_runs() -> None:
    """`…` stands for what a line leaves out."""
    (loop,) = _blocks("c")
    context: Context = make_context()
    module = load_module(ROOT / "examples" / "xor_literal.mlir", context)
    device = next((each for each in list_devices() if not each.info.has_own_local_mem), None)
    if device is None:
        pytest.skip("no device without workgroup memory of its own")
    source = compile_module(module, context=context, device=device.info).source
    lines = [re.escape(line).replace("…", ".*") for line in loop.splitlines()]
    assert re.search("\n".join(f" *{line}" for line in lines), source)


@pytest.mark.slow
@pytest.mark.device
def test_the_query_shown_answers_so(capsys: pytest.CaptureFixture[str]) -> None:
    (query,) = _blocks("python")
    exec(query, {})
    assert f"# {capsys.readouterr().out.strip()}" in query


def test_it_is_short_and_its_lines_are() -> None:
    lines = TEXT.splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 100] == []
