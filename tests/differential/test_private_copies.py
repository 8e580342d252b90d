"""
Counters whose elements the data choose mean the same in copies of each invocation's own: by the
reference interpreter, on every device, and under the Oclgrind checker without a report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.example_data import encoded_text, matching_text
from support.fusion import require_equal
from support.interpreting import interpreter
from support.oclgrind import CheckedRun
from xdsl.dialects.builtin import IntegerType, ModuleOp, i32, i64

from vyre_dialect.builder import constant, for_, if_, index, program
from vyre_dialect.ir.types import Access, AtomicKind, sizes_attr
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.interpreter import Interpreter, Observers, RaceChecker, interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    load_module,
    make_context,
)
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES, REFERENCE

EXAMPLES = Path(__file__).parents[2] / "examples"
EXPAND = 'vyre-expand{defaults="counting=bins","bytes=16","counters=state","chunk=48"}'
SHAPE = "vyre-unroll{limit=32},canonicalize,vyre-cse,vyre-sroa,vyre-split-index-sets"
FUSE = "vyre-decode-scan-fuse{strategy=private}"
FORMS = (
    (
        1,
        "vyre-coarsen{items=64 order=blocked groups=2},vyre-privatize-reductions{scope=invocation}",
    ),
    (4, "vyre-coarsen{groups=1},vyre-privatize-reductions{scope=invocation copies=4}"),
    (1, "vyre-coarsen{items=48},vyre-privatize-reductions{scope=workgroup copies=2}"),
)
"""With workgroup sizes; the last one is private in workgroups of one invocation alone."""
KINDS = tuple(kind for kind in AtomicKind if kind != AtomicKind.ASSIGN)
HALVES = (AtomicKind.ADDI, AtomicKind.ANDI, AtomicKind.ORI, AtomicKind.XORI)
"""What devices without 64-bit atomics do to elements of 64 bits."""
ELEMENTS = 11
COPIES = tuple((size, f"scope=invocation copies={n}") for size, n in ((1, 1), (3, 2), (6, 4)))
COUNTED: Mapping[IntegerType, Sequence[tuple[int, str]]] = {
    i32: COPIES,
    i64: (*COPIES, *((size, "scope=workgroup own_bytes=8192") for size in (3, 6))),
}
"""Workgroup sizes with options, for elements of each type."""


@dataclass(frozen=True)
class Case:
    """A program with private copies, and what it means without."""

    name: str
    after: ModuleOp
    inputs: Mapping[str, npt.NDArray[Any]]
    expected: Mapping[str, npt.NDArray[Any]]


def counters(kind: AtomicKind, type: IntegerType, workgroup: int) -> ModuleOp:
    """Two updates in each iteration, of which one in three or so lies outside of the buffer."""
    with program("counters", workgroup_size=[workgroup]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        found = p.buffer("found", type, ELEMENTS, live_out=True, fill=5)
        with p.arm("count", 6) as i, for_(i, data.length, 6) as loop:
            value = data[loop.counter].named("value")
            operand = value.to(type, signed=True)
            found.atomic(kind, operand, value.to(index))
            found.atomic(kind, operand + 7, data[loop.counter + 1].to(index) - 3)
    return p.module


def counter_cases() -> Iterator[Case]:
    random = np.random.default_rng(5)
    inputs = {"data": random.integers(-3, ELEMENTS + 3, 200).astype(np.int32)}
    types = [(kind, i32) for kind in KINDS] + [(kind, i64) for kind in HALVES]
    for kind, type in types:
        for workgroup, options in COUNTED[type]:
            module = counters(kind, type, workgroup)
            yield _privatized(f"{kind} {type} {workgroup}", module, inputs, options)


def small_sums(bits: int) -> ModuleOp:
    """Two updates of wide elements by few bits, one of them under a condition, in a long loop."""
    with program("small_sums", workgroup_size=[4]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        found = p.buffer("found", i64, ELEMENTS, live_out=True, fill=5)
        with p.arm("sum", 6) as i, for_(i, data.length, 6) as loop:
            value = data[loop.counter].named("value")
            operand = (value & (1 << bits) - 1).to(i64)
            found.atomic(AtomicKind.ADDI, operand, value.to(index) & 15)
            with if_(value > 0):
                found.atomic(AtomicKind.ADDI, operand, (value >> 8).to(index) & 7)
    return p.module


def small_sum_cases() -> Iterator[Case]:
    """Sums in 32 bits, of so few iterations that they are none, of one part and of several."""
    random = np.random.default_rng(6)
    ends = 6 * (1 << 14)
    for bits, lengths in ((17, (0, 5, 700, ends - 1, ends + 1, 2 * ends + 11)), (18, (700,))):
        for length in lengths:
            data = random.integers(-(2**31), 2**31, length) | (1 << bits) - 3
            inputs = {"data": data.astype(np.int32)}
            options = "scope=workgroup own_bytes=8192"
            yield _privatized(f"{bits} {length}", small_sums(bits), inputs, options)


def side_by_side(bits: int, types: Sequence[IntegerType], order: Sequence[int]) -> ModuleOp:
    """Updates of an element of several buffers, four times in each iteration, in some order."""
    with program("side_by_side", workgroup_size=[4]) as p:
        data = p.buffer("data", i32, access=Access.READ_ONLY)
        found = [
            p.buffer(f"found{place}", type, ELEMENTS, live_out=True, fill=5)
            for place, type in enumerate(types)
        ]
        with p.arm("sum", 6) as i, for_(i, data.length, 6) as loop:
            value = data[loop.counter].named("value")
            few = value & (1 << bits) - 1
            given = [few, value.to(i64, signed=True), constant(1, i32), value >> 7, few + 3]
            for shift in (0, 8, 16, 24):
                element = (value >> shift).to(index) & (15 if shift == 8 else 7)
                with if_(value.ne(12)):
                    for place in order:
                        found[place].atomic(AtomicKind.ADDI, given[place].to(types[place]), element)
    return p.module


ROWS = {
    "a small, a wide, a count": ((i64, i64, i32), (0, 1, 2)),
    "in another order": ((i64, i64, i32), (2, 0, 1)),
    "a wide and two small": ((i64, i64, i64), (1, 2, 0)),
    "two wide": ((i32, i64, i32, i64), (1, 3)),
    "small ones": ((i64, i64, i32, i32, i64), (0, 1, 2, 3, 4)),
}
"""Types of buffers, and the order in which they are updated."""


def row_cases() -> Iterator[Case]:
    random = np.random.default_rng(7)
    ends = 6 * (1 << 14)
    for name, (types, order) in ROWS.items():
        for length in (0, 5, 700, *((ends + 11,) if len(types) == 3 else ())):
            data = random.integers(-(2**31), 2**31, length) | (1 << 16) - 3
            inputs = {"data": data.astype(np.int32)}
            module = side_by_side(16, types, order)
            yield _privatized(f"{name} {length}", module, inputs, "scope=workgroup own_bytes=8192")


def _privatized(
    name: str, module: ModuleOp, inputs: Mapping[str, npt.NDArray[Any]], options: str
) -> Case:
    expected = interpret(module, inputs).outputs
    apply_pipeline(module, f"vyre-privatize-reductions{{{options}}}", make_context())
    return Case(name, module, inputs, expected)


def example_cases(name: str, lengths: Sequence[int], starts: Sequence[str]) -> Iterator[Case]:
    context = make_context()
    module = load_module(EXAMPLES / f"{name}.mlir", context)
    arms = module.clone()
    apply_pipeline(arms, REFERENCE, context)
    every = [{"encoded": encoded_text(module, matching_text(length, 3))} for length in lengths]
    reference = Interpreter(arms)
    expected = [reference.run(inputs).outputs for inputs in every]
    (p,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    for start in starts:
        for workgroup, form in FORMS:
            p.workgroup_size = sizes_attr([workgroup])
            after = module.clone()
            apply_pipeline(after, f"{start},{form},{SHAPE}", context)
            for inputs, outputs in zip(every, expected, strict=True):
                yield Case(f"{name} {start} {form}", after, inputs, outputs)


@cache
def all_cases(*lengths: int) -> Sequence[Case]:
    return [
        *counter_cases(),
        *example_cases("hex_histogram", lengths, (EXPAND, f"{EXPAND},{FUSE}")),
        *example_cases("base64_patterns", lengths, (EXPAND,)),
    ]


def require_private(case: Case) -> None:
    """Fail unless each invocation updates counters of its own."""
    text = str(case.after)
    assert "_of_invocation" in text or "vyre.store %found_4, %found_of_group" in text, case.name


def require_same(case: Case, found: Mapping[str, npt.NDArray[Any]]) -> None:
    require_equal({name: found[name] for name in case.expected}, case.expected)


@pytest.mark.slow
def test_copies_mean_what_updates_mean() -> None:
    for case in all_cases(0, 1, 49, 700):
        require_private(case)
        races = RaceChecker()
        found = interpreter(case.after).run(case.inputs, observer=Observers(races))
        require_same(case, found.outputs)
        races.verify()


def _outputs(case: Case, session: Session) -> Mapping[str, npt.NDArray[Any]]:
    compiled = compile_module(case.after, pipeline=KERNEL_PASSES, device=session.device.info)
    return Executor(compiled, session, cache=KernelCache(None)).run(case.inputs).outputs


@pytest.mark.slow
def test_sums_in_few_bits_mean_what_updates_mean() -> None:
    for case in small_sum_cases():
        is_small = case.name.startswith("17")
        assert ("i32, read_write, workgroup" in str(case.after)) == is_small, case.name
        races = RaceChecker()
        found = interpreter(case.after).run(case.inputs, observer=Observers(races))
        require_same(case, found.outputs)
        races.verify()


@pytest.mark.slow
def test_sums_side_by_side_mean_what_updates_mean() -> None:
    for case in row_cases():
        assert "vector<2xi64>" in str(case.after), case.name
        races = RaceChecker()
        found = interpreter(case.after).run(case.inputs, observer=Observers(races))
        require_same(case, found.outputs)
        races.verify()


@pytest.mark.slow
@pytest.mark.xdist_group("private copies on devices")
def test_devices_agree(device: Device) -> None:
    session = Session(device)
    for case in (*all_cases(5000), *small_sum_cases(), *row_cases()):
        require_same(case, _outputs(case, session))


@pytest.mark.slow
def test_the_checker_reports_nothing(oclgrind: Callable[..., CheckedRun]) -> None:
    run = oclgrind()
    for case in (*counter_cases(), *example_cases("hex_histogram", (300,), (EXPAND,))):
        require_same(case, _outputs(case, run.session))
    run.assert_clean()
