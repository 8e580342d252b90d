"""Threads compile, build and interpret at the same time as if each were alone."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Operation
from xdsl.passes import PassPipeline

from vyre_dialect.builder import program
from vyre_dialect.passes.program.expand import ExpandPass
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.program.compilation import compile_module, make_context, parse_module

THREADS = 8


def text(number: int) -> str:
    read, written = "!vyre.buffer<?xi8, read_only>", "!vyre.buffer<?xi8, read_write>"
    return f"""
vyre.program @p{number} {{
  %e = vyre.buffer @e : {read}
  %d = vyre.buffer @d live_out : {written}
  vyre.decode.xor %e to %d key "key{number}" : {read}, {written}
}}
"""


@pytest.fixture(autouse=True)
def impatient_threads() -> Iterator[None]:
    """Let threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def all_at_once(*works: Callable[[], None]) -> None:
    """Let each function be run by a thread of its own, all starting together."""
    barrier = Barrier(len(works))

    def start(work: Callable[[], None]) -> None:
        barrier.wait()
        work()

    with ThreadPoolExecutor(len(works)) as pool:
        for each in [pool.submit(start, work) for work in works]:
            each.result()


def compiled(number: int) -> str:
    context = make_context()
    return compile_module(parse_module(text(number), context), context=context).source


def compiles(number: int, times: int) -> Callable[[], None]:
    alone = compiled(number)

    def work() -> None:
        for _ in range(times):
            assert compiled(number) == alone

    return work


def builds(times: int) -> None:
    """What the Python builder does in a thread."""
    for number in range(times):
        with program(f"p{number}") as p:
            out = p.buffer("out", i32, 16, live_out=True)
            with p.arm("fill", 16) as i:
                out[i] = number
        run = run_module(p.module, {}, device="reference")
        assert np.array_equal(run.outputs["out"], np.full(16, number))


def expands(times: int) -> None:
    """What an expansion of another package does, as xDSL's own tools run it."""
    for _ in range(times):
        block = Block()
        with ImplicitBuilder(block):
            for number in range(20):
                arith.ConstantOp.from_int_and_width(number, 32)
        assert [type(op) for op in block.ops] == [arith.ConstantOp] * 20


@pytest.mark.slow
def test_eight_threads_compile_fifty_times() -> None:
    all_at_once(*(compiles(number, 50) for number in range(THREADS)))


@pytest.mark.slow
def test_threads_compile_while_others_build() -> None:
    all_at_once(
        *(compiles(number, 3) for number in range(3)),
        lambda: builds(3),
        lambda: builds(3),
        lambda: expands(200),
        lambda: expands(200),
    )
    assert_nothing_is_left()


def test_passes_that_are_applied_by_themselves_do_not_meet() -> None:
    def work(number: int) -> Callable[[], None]:
        context = make_context()
        module = parse_module(text(number), context)
        alone = module.clone()
        expand(alone, context)

        def expands() -> None:
            for _ in range(10):
                copy = module.clone()
                expand(copy, context)
                assert str(copy) == str(alone)

        return expands

    all_at_once(*(work(number) for number in range(THREADS)))
    assert_nothing_is_left()


def expand(module: ModuleOp, context: Context) -> None:
    PassPipeline((ExpandPass(),)).apply(context, module)


def test_a_builder_that_is_open_in_one_thread_takes_no_op_of_another() -> None:
    block = Block()

    def builds_elsewhere() -> None:
        assert test.TestOp().parent is None
        inner = Block()
        with ImplicitBuilder(inner):
            test.TestOp()
        assert len(inner.ops) == 1

    with ImplicitBuilder(block), ThreadPoolExecutor(1) as pool:
        first = test.TestOp()
        pool.submit(builds_elsewhere).result()
        last = test.TestOp()
    assert list(block.ops) == [first, last]
    assert_nothing_is_left()


def assert_nothing_is_left() -> None:
    """An op that is made outside of builders stands nowhere."""
    op: Operation = test.TestOp()
    assert op.parent is None
