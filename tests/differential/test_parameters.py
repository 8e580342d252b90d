"""Whatever is chosen of parameters, the examples give the same, without races."""

import base64
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.example_data import encoded_text
from support.fusion import UnmaskedReads, require_equal, run_with_any_garbage
from support.oclgrind import CheckedRun
from support.policies import on_gpus
from support.tiers import crossed, slow_if
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.tuning import Choice, HasParametersInterface
from vyre_dialect.runtime.interpreter import Interpreter, Observers, RaceChecker, interpret
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    load_module,
    make_context,
    parse_module,
)

CONTEXT = make_context()
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))
TEXT = (Path(__file__).read_bytes() * 3)[:1152]
SHAPES = (
    "vyre-decode-scan-fuse{strategy=workgroup budget=40000}",
    "vyre-decode-scan-fuse{budget=40000},vyre-coarsen{items=2},"
    "vyre-privatize-reductions{scope=workgroup budget=40000},vyre-stage-tables{budget=40000}",
)


def choices(path: Path) -> Iterator[object]:
    """
    Each value of each parameter of each op of an example, by the number of the op, as parameters of
    a test: those between the first and the last are slow.
    """
    for number, op in enumerate(tunable(load_module(path, CONTEXT))):
        for parameter in op.get_parameters():
            for value in parameter.values:
                ends = (parameter.values[0], parameter.values[-1])
                name = parameter.name
                marks = () if value in ends else pytest.mark.slow
                yield pytest.param(
                    path, number, name, value, id=f"{path.stem}-{name}-{value}", marks=marks
                )


def tunable(module: ModuleOp) -> list[HasParametersInterface]:
    return [op for op in module.walk() if isinstance(op, HasParametersInterface)]


def checked(module: ModuleOp, inputs: Mapping[str, Array]) -> Mapping[str, Array]:
    """What a module computes; fails on a race or an undefined read."""
    races, undefined = RaceChecker(), UnmaskedReads()
    observer = Observers(races, undefined)
    result = run_with_any_garbage(Interpreter(module), inputs, observer=observer)
    races.verify()
    undefined.verify()
    return result.outputs


@cache
def by_default(path: Path) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
    """The inputs of an example, and what it makes of them where nothing is chosen."""
    module = load_module(path, CONTEXT)
    inputs = {"encoded": encoded_text(module, TEXT)}
    apply_pipeline(module, "vyre-expand", CONTEXT)
    return inputs, interpret(module, inputs).outputs


EVERY_CHOICE = [choice for path in EXAMPLES for choice in choices(path)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("path", "number", "name", "value"), EVERY_CHOICE)
def test_every_value_of_every_parameter(path: Path, number: int, name: str, value: Choice):
    inputs, outputs = by_default(path)
    module = load_module(path, CONTEXT)
    tunable(module)[number].choose(name, value)
    apply_pipeline(module, f"vyre-expand,{SHAPES[1]}", CONTEXT)
    require_equal(checked(module, inputs), outputs)


@pytest.mark.parametrize(("shape", "values"), crossed(SHAPES, [4, 8, 16, 32, 64]))
def test_deltas_and_filters_of_as_many_values(shape: str, values: int):
    (path,) = (each for each in EXAMPLES if each.stem == "delta_filter")
    module = load_module(path, CONTEXT)
    inputs = {"encoded": encoded_text(module, TEXT * 2)}
    expected = module.clone()
    apply_pipeline(expected, "vyre-expand", CONTEXT)
    apply_pipeline(module, f'vyre-expand{{choices="values={values}"}},{shape}', CONTEXT)
    require_equal(checked(module, inputs), interpret(expected, inputs).outputs)


CHAIN = """
vyre.program @chain workgroup_size [32] {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %errors = vyre.buffer @errors live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %bytes = vyre.buffer @bytes : !vyre.buffer<?xi8, read_write>
  %words = vyre.buffer @words : !vyre.buffer<?xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %text to %bytes errors %errors
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.delta %bytes to %words errors %errors block 32 values 8
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %words in [0, 60) count %count values 8
      : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}
"""  # noqa: E501


@pytest.mark.parametrize(("shape", "length"), crossed(SHAPES, [0, 16, 128, 176, 4096]))
def test_deltas_of_what_groups_of_three_bytes_hold(shape: str, length: int):
    module = parse_module(CHAIN, CONTEXT)
    text = np.frombuffer(base64.b64encode(bytes(k % 7 for k in range(length // 4 * 3))), np.uint8)
    expected = module.clone()
    apply_pipeline(expected, "vyre-expand", CONTEXT)
    apply_pipeline(module, f"vyre-expand,{shape}", CONTEXT)
    outputs = interpret(expected, {"text": text}).outputs
    require_equal(checked(module, {"text": text}), outputs)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("path", slow_if(EXAMPLES, EXAMPLES[:1]), ids=lambda path: path.stem)
def test_what_suits_memory_of_its_own_runs_clean(path: Path, oclgrind: Callable[..., CheckedRun]):
    module = load_module(path, CONTEXT)
    inputs, expected = by_default(path)
    run = oclgrind(uninitialised=False)
    compiled = compile_module(module, optimize=on_gpus(3), device=run.device.info)
    outputs = Executor(compiled, run.session, cache=KernelCache(None)).run(inputs).outputs
    run.assert_clean()
    require_equal(outputs, expected)
