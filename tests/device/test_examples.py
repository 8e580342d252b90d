"""Every example gives Python's own answer, on every device and on the interpreter."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from support.example_data import matching_text
from support.generated.programs import STRATEGIES
from support.oclgrind import CheckedRun
from support.tiers import crossed
from support.workgroups import workgroups_of_arms
from xdsl.dialects.builtin import ModuleOp

from examples.data import EXAMPLES, Example, example_files, load_example
from vyre_dialect.ir.types import sizes_attr
from vyre_dialect.passes.fusion.tiling.options import Strategy
from vyre_dialect.runtime.driver.execute import run_file, run_module
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.program.pipelines import DEFAULT, UNFUSED

NAMES = ("base64_literal", "base64_patterns", "delta_filter", "hex_histogram", "xor_literal")
# Empty, shorter than a word, around the edges of words, workgroups and tiles, and some more.
SIZES = (0, 1, 2, 3, 4, 47, 48, 49, 1023, 1024, 3072, 16385, 100_001)
# Bytes of which every kernel of an example has several workgroups.
SEVERAL_WORKGROUPS = {
    "base64_literal": 7000,
    "xor_literal": 7000,
    "base64_patterns": 12_000,
    "hex_histogram": 26_000,
    "delta_filter": 24_000,
}
NOT_FUSED = {("hex_histogram", "private")}

each_example = pytest.mark.parametrize("name", NAMES)


def example(name: str, size: int) -> Example:
    return load_example(EXAMPLES / f"{name}.mlir", matching_text(size))


def assert_answers(outputs: dict[str, Array], expected: dict[str, Array]) -> None:
    assert outputs.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(outputs[name], array, err_msg=name)


def test_every_example_is_tested() -> None:
    assert tuple(path.stem for path in example_files()) == NAMES


@each_example
def test_the_answers_are_not_trivial(name: str) -> None:
    assert all(array.any() for array in example(name, 100_001).expected.values())


@pytest.mark.parametrize(("name", "size"), crossed(NAMES, SIZES))
def test_the_interpreter_answers(name: str, size: int) -> None:
    given = example(name, size)
    run = run_module(given.module, {"encoded": given.encoded}, device=REFERENCE_DEVICE)
    assert run.device == REFERENCE_DEVICE
    assert_answers(run.outputs, given.expected)


def small_workgroups(name: str) -> ModuleOp:
    """The example in workgroups of so few invocations that some data makes several of them."""
    module = load_module(EXAMPLES / f"{name}.mlir", make_context())
    find_program(module).workgroup_size = sizes_attr([8])
    return module


def fusing(strategy: Strategy) -> str:
    """The standard pipeline with one strategy."""
    return f'{DEFAULT}{{options="vyre-decode-scan-fuse{{strategy={strategy}}}"}}'


@pytest.mark.parametrize(("name", "strategy"), crossed(NAMES, [None, "standard", *STRATEGIES]))
def test_devices_answer(device: Device, name: str, strategy: str | None) -> None:
    """Unfused, as the standard pipeline has it for the device, and fused in each way."""
    module = load_module(EXAMPLES / f"{name}.mlir", make_context())
    pipelines = {None: UNFUSED, "standard": None}
    pipeline = pipelines[strategy] if strategy in pipelines else fusing(cast(Strategy, strategy))
    executor = Executor(compile_module(module, pipeline=pipeline, device=device.info), device)
    for size in SIZES:
        given = example(name, size)
        assert_answers(executor.run({"encoded": given.encoded}).outputs, given.expected)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "strategy"), crossed(NAMES, [None, *STRATEGIES]))
def test_kernels_are_clean(
    oclgrind: Callable[..., CheckedRun], name: str, strategy: Strategy | None
) -> None:
    """Also across workgroups, of which every kernel has three or more."""
    checked = oclgrind()
    pipeline = UNFUSED if strategy is None else fusing(strategy)
    compiled = compile_module(small_workgroups(name), pipeline=pipeline, device=checked.device.info)
    is_fused = strategy is not None and (name, strategy) not in NOT_FUSED
    assert len(compiled.kernels) == (1 if is_fused else 2)
    many = example(name, SEVERAL_WORKGROUPS.get(name, 4000))
    assert min(workgroups_of_arms(compiled, {"encoded": many.encoded})) >= 3
    executor = Executor(
        compiled,
        checked.session,
        cache=KernelCache(None),
    )
    for given in (example(name, 0), example(name, 3), many):
        assert_answers(executor.run({"encoded": given.encoded}).outputs, given.expected)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "place"),
    crossed([name for name in NAMES if name.startswith(("base64", "hex"))], [0, 17, 1999]),
)
def test_bad_input_is_reported(device: Device, name: str, place: int) -> None:
    given = example(name, 3000)
    bad = given.encoded.copy()
    bad[place] = ord("!")
    bad[place + 1000] = ord("!")
    for where in (device, REFERENCE_DEVICE):
        with pytest.raises(TrapError, match=f"'{name}': .* at offset {place}: byte 0x21"):
            run_module(given.module, {"encoded": bad}, device=where)


def test_files_are_input(device: Device, tmp_path: Path) -> None:
    given = example("base64_literal", 3000)
    path = tmp_path / "encoded"
    path.write_bytes(given.encoded.tobytes())
    mapped = np.memmap(path, np.uint8, mode="r")
    path = EXAMPLES / "base64_literal.mlir"
    run = run_file(path, {"encoded": mapped}, device=device, pipeline=UNFUSED)
    assert_answers(run.outputs, given.expected)
    assert [arm.generator for arm in run.arms] == ["decode.base64", "scan.literal"]
    assert all(arm.kernel_ns for arm in run.arms)
    assert run.arms[0].bytes == 4000 + 3000 + 2 * 4
