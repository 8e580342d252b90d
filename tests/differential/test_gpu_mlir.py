"""
MLIR's own tools take what `vyre-gpu-mlir` prints, and kernels that went that way compute what the
interpreter says, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.accesses import SPACES, access_program, element_numbers, values_for
from support.example_data import encoded_text, matching_text
from support.expressions import ROWS, build, numbers, ops_of
from support.fusion import is_defined
from support.generated.drawing import for_each
from support.generated.programs import Sample, programs
from support.gpu_launches import launches_of
from support.mlir_tools import can_run_here, mlir_opt, ptx_of, require_tools, run_here
from support.tiers import crossed
from xdsl.dialects.builtin import (
    IndexType,
    ModuleOp,
    VectorType,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.lowering.mlir.target import print_module
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    load_module,
    make_context,
    parse_module,
)

ROOT = Path(__file__).parents[2]
CONTEXT = make_context()
EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))
KERNELS = (ROOT / "tests" / "support" / "kernels.mlir").read_text()
PROGRAMS = {text.split("@", 1)[1].split()[0]: text for text in KERNELS.split("// -----")}
OUTLINED = "vyre-expand,vyre-outline-kernels,canonicalize"
FUSED = "vyre-expand,vyre-decode-scan-fuse,vyre-outline-kernels,canonicalize,vyre-prove-accesses"
TYPES: dict[str, Attribute] = {
    **{"i1": i1, "i8": i8, "i16": i16, "i32": i32, "i64": i64, "index": IndexType()},
    **{"f32": f32, "f64": f64},
    **{"vector<4xi32>": VectorType(i32, [4]), "vector<2xi8>": VectorType(i8, [2])},
}
APPROXIMATE = {"math"}
"""Programs with functions that a library computes, which need not be as precise as NumPy."""
ELEMENTS: dict[str, Attribute] = {
    **{"i1": i1, "i8": i8, "i16": i16, "i64": i64, "f32": f32},
    **{"vector<4xi32>": VectorType(i32, [4]), "vector<3xi8>": VectorType(i8, [3])},
}


@pytest.fixture(autouse=True)
def tools() -> None:
    require_tools()


def kernels_of(module: ModuleOp, pipeline: str) -> tuple[ModuleOp, str]:
    """The kernels of a program, and their text."""
    lowered = module.clone()
    apply_pipeline(lowered, pipeline, CONTEXT)
    return lowered, print_module(lowered)


def check(module: ModuleOp, inputs: Mapping[str, Any], pipeline: str = OUTLINED) -> int:
    """Whether kernels compute what they should; gives how many ran."""
    lowered, text = kernels_of(module, pipeline)
    count = 0
    for launch in launches_of(lowered, inputs):
        if can_run_here(text, launch.kernel):
            assert launch.differences(run_here(text, launch)) == [], f"{launch.kernel}\n{text}"
            count += 1
    return count


@pytest.mark.one_in(15)
@pytest.mark.parametrize("pipeline", [OUTLINED, FUSED, "vyre-optimize"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_become_ptx(path: Path, pipeline: str) -> None:
    lowered, text = kernels_of(load_module(path, CONTEXT), pipeline)
    names = [launch for launch in text.splitlines() if "gpu.func @" in launch]
    assert ptx_of(text).count(".visible .entry") == len(names) > 0
    assert "vyre." not in text
    del lowered


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_kernels_of_examples_compute_the_same(path: Path) -> None:
    module = load_module(path, CONTEXT)
    inputs = {"encoded": encoded_text(module, matching_text(3000))}
    assert check(module, inputs) + check(module, inputs, FUSED) >= 1


@pytest.mark.parametrize("name", TYPES)
def test_operations_have_one_result_for_every_input(name: str) -> None:
    """Quotients by zero and shifts by the width among them."""
    type = TYPES[name]
    computed = [_of_two(compute) for compute in ops_of(type).values()]
    module = build(type, 2, computed)
    assert check(module, {f"in{n}": numbers(type, n) for n in range(2)})


def _of_two(compute: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    return lambda values: compute(values[0], values[1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_every_op(name: str) -> None:
    module = parse_module(PROGRAMS[name], CONTEXT)
    _, text = kernels_of(module, OUTLINED)
    mlir_opt(text)
    if name not in APPROXIMATE:
        check(module, inputs_of(name))


def inputs_of(name: str) -> dict[str, Any]:
    """What the program of this name reads: numbers of every size, with the edges among them."""
    values = np.random.default_rng(3).integers(-(2**31), 2**31, ROWS).astype(np.int32)
    values[5:8] = (0, -(2**31), -1)
    return {"words": values} if "@words" in PROGRAMS[name] else {}


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("name", "space"), crossed(ELEMENTS, [MemorySpace.GLOBAL, MemorySpace.PRIVATE])
)
def test_accesses_anywhere(name: str, space: MemorySpace) -> None:
    """Aligned or not, inside the buffer, across its ends and outside."""
    assert space in SPACES
    element = ELEMENTS[name]
    module = access_program(element, values_for(element), space)
    check(module, {"source": element_numbers(element)})


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, pytest.param(200, marks=pytest.mark.slow)])
def test_generated_programs(count: int) -> None:
    """By all tools; what can, and has a result, runs here, too."""
    ran = list[int]()

    def each(sample: Sample) -> None:
        _, text = kernels_of(sample.module, FUSED)
        assert "gpu.func" not in text or ".entry" in ptx_of(text)
        if is_defined(sample.module, sample.inputs):
            ran.append(check(sample.module, sample.inputs))

    for_each(programs(), each, examples=count)
    assert sum(ran) >= len(ran) / 2


def test_an_op_without_a_form_is_named() -> None:
    text = """vyre.kernel @k() workgroup_size [1, 1, 1] generator "k" {
      %yes = arith.constant true
      %no = math.ipowi %yes, %yes : i1
    }"""
    with pytest.raises(DiagnosticException, match=r"^'math.ipowi' has no form in MLIR's gpu"):
        print_module(parse_module(text, CONTEXT))


def test_a_decoder_is_told_to_be_expanded() -> None:
    module = load_module(EXAMPLES[0], CONTEXT)
    with pytest.raises(DiagnosticException, match=r"run 'vyre-expand' first$"):
        print_module(module)
