"""How often ops are run, as a sample says, is how often they are run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import i8, i32

from vyre_dialect.analysis.likelihood import RARE
from vyre_dialect.builder import (
    Buffer,
    Value,
    constant,
    for_,
    if_,
    index,
    local_id,
    program,
    while_,
)
from vyre_dialect.ir.interfaces import accesses_of
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.memory import StoreOp
from vyre_dialect.passes.program.outline_kernels import OutlineKernelsPass
from vyre_dialect.runtime.interpreter.sampled_runs import SampledRuns
from vyre_dialect.runtime.program.loading import make_context

GROUP = 64


def kernel_of(build: Callable[[Buffer, Buffer, Value], None], invocations: int) -> KernelOp:
    """The kernel of an arm that has a buffer of bytes, `data`, and one of words, `out`."""
    with program("sampled", workgroup_size=[GROUP]) as p:
        data = p.buffer("data", i8, 1 << 16)
        out = p.buffer("out", i32, 1 << 16, live_out=True)
        with p.arm("arm", invocations) as i:
            build(data, out, i)
    module = p.module
    OutlineKernelsPass().apply(make_context(), module)
    (kernel,) = (op for op in module.body.block.ops if isinstance(op, KernelOp))
    return kernel


def runs_of(
    kernel: KernelOp, invocations: int, sizes: Sequence[int | None] = (), taken: float | None = None
) -> SampledRuns:
    sizes = sizes or [None] * len(kernel.body.block.args)
    return SampledRuns(kernel, [-(-invocations // GROUP)], sizes, taken)


def stores(sampled: SampledRuns) -> float:
    return sum(runs.count for op, runs in sampled.runs.items() if isinstance(op, StoreOp))


def count(
    build: Callable[[Buffer, Buffer, Value], None], invocations: int, taken: float | None = None
) -> float:
    return stores(runs_of(kernel_of(build, invocations), invocations, taken=taken))


@given(st.integers(1, 2000))
def test_a_guard_at_the_end_of_the_domain_is_off_in_the_last_workgroup_alone(invocations: int):
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        del data
        out[i] = 1

    assert abs(count(build, invocations) - invocations) < GROUP
    whole = invocations * GROUP
    assert count(build, whole) == pytest.approx(whole)


def test_the_first_invocation_of_each_workgroup_is_counted_exactly():
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        del data
        with if_(local_id().eq(0)):
            out[i] = 1

    assert count(build, 1 << 16) == pytest.approx((1 << 16) / GROUP)


@pytest.mark.parametrize("trips", [0, 1, 7, 100])
def test_loops_of_one_length_are_exact(trips: int):
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        del data
        with for_(0, trips) as loop:
            out[i + loop.counter] = 1

    assert count(build, 80 * GROUP) == pytest.approx(80 * GROUP * trips)


def test_a_triangle_is_a_half_of_a_square():
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        del data
        with for_(0, i) as loop:
            out[loop.counter] = 1

    size = 10_000
    assert count(build, size) == pytest.approx(size * (size - 1) / 2, rel=0.05)


def test_a_condition_on_a_counter_is_met_in_its_share_of_iterations():
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        del data
        with for_(0, 100) as loop:
            with if_(loop.counter < 30):
                out[i] = 1

    assert count(build, 10_000) == pytest.approx(10_000 * 30, rel=0.1)


def test_results_of_branches_are_followed():
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        del data
        with if_(i < 1024) as branch:
            branch.yields(constant(3, index))
        with branch.else_():
            branch.yields(constant(5, index))
        with for_(0, branch.results[0]) as loop:
            out[loop.counter] = 1

    assert count(build, 4096) == pytest.approx(1024 * 3 + 3072 * 5, rel=0.1)


def test_equal_data_is_rare_and_taken_where_all_is_asked_for():
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        with if_(data[i].eq(data[i + 1])):
            out[i] = 1

    assert count(build, 4096) == pytest.approx(4096 * RARE)
    assert count(build, 4096, taken=1.0) == 4096


def test_other_data_is_as_likely_as_not():
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        with if_(data[i] < data[i + 1]) as branch:
            out[i] = 1
        with branch.else_():
            out[i] = 2
            out[i + 1] = 2

    assert count(build, 4096) == pytest.approx(4096 * 1.5)
    assert count(build, 4096, taken=1.0) == pytest.approx(4096 * 3)


def test_loops_until_something_holds_are_open():
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        out[i] = 1
        with while_(lambda at: data[at].ne(0), carry=[i]) as loop:
            loop.yields(loop.carried[0] + 1)

    assert runs_of(kernel_of(build, 64), 64).has_open_loops
    assert not runs_of(kernel_of(lambda _, out, i: out.store(1, i), 64), 64).has_open_loops


def test_an_index_that_is_data_is_gathered():
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        out[i] = 1
        out[data[i].to(index)] = 2

    sampled = runs_of(kernel_of(build, 512), 512)
    straight, gathered = (runs for op, runs in sampled.runs.items() if isinstance(op, StoreOp))
    assert (straight.gathered, gathered.gathered) == (0, pytest.approx(512))


@pytest.mark.parametrize("apart", [0, 1, 5])
def test_how_far_neighbours_are_apart(apart: int):
    def build(data: Buffer, out: Buffer, i: Value) -> None:
        del data
        out[i * apart] = 1

    sampled = runs_of(kernel_of(build, 512), 512)
    (runs,) = (runs for op, runs in sampled.runs.items() if accesses_of(op))
    assert runs.stride == apart
