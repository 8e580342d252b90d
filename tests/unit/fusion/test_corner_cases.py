"""Programs whose fusion was once wrong: each fuses rightly now, or is refused with its reason."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.fusion import fused, require_same_meaning
from support.generated.programs import STRATEGIES
from xdsl.dialects.builtin import ComplexType, IndexType, ModuleOp, f32, i8, i16, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import (
    Buffer,
    Value,
    async_copy,
    async_wait,
    barrier,
    for_,
    if_,
    invocation_id,
    local_id,
    program,
    workgroup_id,
)
from vyre_dialect.ir.types import Access, AtomicKind, Axis, Initial, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import BarrierOp
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy
from vyre_dialect.passes.fusion.tiling.outcome import Outcome
from vyre_dialect.passes.fusion.tiling.refusal import Counterexample, Reason
from vyre_dialect.runtime.interpreter import Observers, RaceChecker, UndefinedReadChecker, interpret

N = 64
Produce = Callable[[Buffer, Buffer, Value], object]
Consume = Callable[[Buffer, Value], Value]
ProduceWithLog = Callable[[Buffer, Buffer, Buffer, Value], None]


def _decode(source: Buffer, handoff: Buffer, i: Value) -> None:
    handoff[i] = source[i]


def _pair(consume: Consume, produce: Produce = _decode, element: Attribute = i8) -> ModuleOp:
    """Two arms of workgroups of 4 that hand N elements on."""
    with program("pair", workgroup_size=[4]) as p:
        source = p.buffer("source", element, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", element, N)
        out = p.buffer("out", element, N, live_out=True)
        with p.arm("produce", N) as i:
            produce(source, handoff, i)
        with p.arm("consume", N) as i:
            out[i] = consume(handoff, i)
    return p.module


def _other_axis(handoff: Buffer, i: Value) -> Value:
    return handoff[i] + invocation_id(Axis.Y).to(i8)


def _shifted_too_far(handoff: Buffer, i: Value) -> Value:
    return handoff[i + (i.to(i32) << 34).to(i64, signed=True).to(i.type)]


def _summed_by_the_workgroup(handoff: Buffer, i: Value) -> Value:
    barrier()
    return handoff[i]


def _at_a_large_counter(source: Buffer, handoff: Buffer, i: Value) -> None:
    handoff[i] = source[i]
    with for_(1 << 62, (1 << 62) + 1) as loop:
        handoff[loop.counter * 4 + i - 3] = source[i - 3]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "module",
    [
        pytest.param(_pair(_other_axis), id="an axis that the arm does not have"),
        pytest.param(
            _pair(lambda handoff, i: handoff[i], _at_a_large_counter), id="a large loop counter"
        ),
    ],
)
def test_the_meaning_is_kept(module: ModuleOp, strategy: Strategy) -> None:
    after, _ = fused(module, Options(strategy))
    inputs = {"source": np.arange(100, 100 + N, dtype=np.uint8)}
    checkers = Observers(RaceChecker(), UndefinedReadChecker())
    expected = interpret(module, inputs).outputs["out"]
    got = interpret(after, inputs, observer=checkers).outputs["out"]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_shifts_by_more_than_the_width_are_unknown(strategy: Strategy) -> None:
    _, outcome = fused(_pair(_shifted_too_far), Options(strategy))
    (refusal,) = outcome.refusals
    assert refusal.reason == Reason.NON_AFFINE
    assert refusal.cause is not None and "arith.shli" in refusal.cause.text


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_elements_without_a_zero_are_refused(strategy: Strategy) -> None:
    module = _pair(lambda handoff, i: handoff[i + 2], element=ComplexType(f32))
    _, outcome = fused(module, Options(strategy))
    (refusal,) = outcome.refusals
    assert refusal.reason == Reason.UNSUPPORTED_ELEMENT


def _with_log(produce: ProduceWithLog, strategy: Strategy) -> Outcome:
    """What becomes of a producer that also writes a log, and of a consumer with a halo."""
    with program("logging", workgroup_size=[4]) as p:
        source = p.buffer("source", i8, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i8, N)
        log = p.buffer("log", i8, 4 * N, live_out=True)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("produce", N) as i:
            produce(source, handoff, log, i)
        with p.arm("consume", N) as i:
            out[i] = handoff[i] + handoff[i + 1]
    return fused(p.module, Options(strategy))[1]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_elements_stored_twice_are_not_stored_again_by_others(strategy: Strategy) -> None:
    def produce(source: Buffer, handoff: Buffer, log: Buffer, i: Value) -> None:
        log[i] = 77
        log[i] = source[i]
        handoff[i] = source[i]

    (refusal,) = _with_log(produce, strategy).refusals
    assert refusal.reason == Reason.SIDE_EFFECTS
    assert "overwrite what is stored to '@log'" in refusal.detail


def test_what_stood_in_the_way_of_another_is_out_of_it() -> None:
    with program("twice", workgroup_size=[4]) as p:
        source = p.buffer("source", i8, N, access=Access.READ_ONLY)
        scratch = p.buffer("scratch", i8, N)
        handoff = p.buffer("handoff", i8, N)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("produce", N) as i:
            scratch[i] = source[i]
            handoff[i] = scratch[i]
        with p.arm("consume", N) as i:
            out[i] = handoff[i] + handoff[i + 1]
    after, outcome = fused(p.module, Options())
    assert set(outcome.promoted) == {"scratch", "handoff"}
    assert not outcome.refusals
    assert not fused(after, Options())[1].promoted


def _one_workgroup(*, n: int, guarded: bool) -> ModuleOp:
    """Four invocations that store to a buffer of `n` elements, and read it backwards."""
    with program("one_workgroup", workgroup_size=[4]) as p:
        sizes = p.buffer("sizes", i64, n, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i8, sizes.length.max(1))
        out = p.buffer("out", i8, 4, live_out=True)
        with p.arm("both", 4) as i:
            if guarded:
                with if_(i < sizes.length):
                    handoff[i] = 7
            else:
                handoff[i] = 7
            barrier()
            out[i] = handoff[3 - i]
    return p.module


@pytest.mark.parametrize("guarded", [False, True])
def test_one_workgroup_and_a_shorter_buffer(guarded: bool) -> None:
    module = _one_workgroup(n=2, guarded=guarded)
    after, _ = fused(module, Options())
    inputs = {"sizes": np.zeros(2, np.int64)}
    got = interpret(after, inputs, observer=UndefinedReadChecker()).outputs["out"]
    np.testing.assert_array_equal(got, interpret(module, inputs).outputs["out"])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_elements_stored_in_a_loop_are_not_stored_again_by_others(strategy: Strategy) -> None:
    def produce(source: Buffer, handoff: Buffer, log: Buffer, i: Value) -> None:
        with for_(0, 4) as loop:
            log[i] = loop.counter.to(i8)
        handoff[i] = source[i]

    (refusal,) = _with_log(produce, strategy).refusals
    assert refusal.reason == Reason.SIDE_EFFECTS


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_elements_stored_once_in_a_loop_may_be_stored_again(strategy: Strategy) -> None:
    def produce(source: Buffer, handoff: Buffer, log: Buffer, i: Value) -> None:
        with for_(0, 4) as loop:
            log[i * 4 + loop.counter] = source[i]
        handoff[i] = source[i]

    assert not _with_log(produce, strategy).refusals


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_a_producer_stores_besides_is_stored_where_nobody_reads_its_tiles(
    strategy: Strategy,
) -> None:
    with program("longer", workgroup_size=[4]) as p:
        source = p.buffer("source", i8, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i8, N)
        log = p.buffer("log", i8, N, live_out=True)
        out = p.buffer("out", i8, N // 2, live_out=True)
        with p.arm("produce", N) as i:
            log[i] = source[i]
            handoff[i] = source[i]
        with p.arm("consume", N // 2) as i:
            out[i] = handoff[i] + 1
    after, outcome = fused(p.module, Options(strategy))
    assert "handoff" in outcome.promoted
    inputs = {"source": np.arange(N, dtype=np.uint8)}
    assert require_same_meaning(p.module, after, inputs) is not None


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_large_host_values_may_wrap(strategy: Strategy) -> None:
    with program("large", workgroup_size=[4]) as p:
        number = p.buffer("number", i64, 1, access=Access.READ_ONLY)
        source = p.buffer("source", i8, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i8, N)
        other = p.buffer("other", i8, N, live_out=True)
        large = number[0].to(IndexType())
        with p.arm("produce", N) as i:
            handoff[i] = source[i] + other[i]
        with p.arm("consume", N) as i, if_(large > 1000):
            other[N - 1 - i + large * 4] = handoff[i]
    _, outcome = fused(p.module, Options(strategy))
    assert not outcome.promoted


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_barriers_keep_depending_on_what_a_workgroup_reads_together(strategy: Strategy) -> None:
    with program("together", workgroup_size=[4]) as p:
        source = p.buffer("source", i8, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i8, N)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("produce", N) as i:
            handoff[i] = source[i]
        with p.arm("consume", N) as i:
            with if_(handoff[workgroup_id() * 4].ne(0)):
                barrier()
            out[i] = handoff[i]
    _, outcome = fused(p.module, Options(strategy))
    reasons = [refusal.reason for refusal in outcome.refusals]
    assert reasons == ([Reason.NON_UNIFORM] if strategy == "private" else [])


def _storing_past_the_end(stored: Attribute) -> ModuleOp:
    """The last two invocations store values of a type to one place past the end."""
    with program("past_the_end", workgroup_size=[4]) as p:
        source = p.buffer("source", i8, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i8, N - 2)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("produce", N) as i:
            handoff[i] = source[i]
            with if_(i >= N - 2):
                handoff.store(source.load(i, stored), i // 2 * 2)
        with p.arm("consume", N) as i:
            out[i] = handoff[i]
    return p.module


def test_stores_past_the_end_do_not_meet_in_a_tile() -> None:
    module = _storing_past_the_end(i8)
    after, outcome = fused(module, Options("workgroup"))
    inputs = {"source": np.arange(N, dtype=np.uint8)}
    races = RaceChecker()
    got = interpret(after, inputs, observer=races).outputs["out"]
    races.verify()
    assert set(outcome.promoted) == {"handoff"}
    np.testing.assert_array_equal(got, interpret(module, inputs).outputs["out"])


def test_words_past_the_end_that_would_meet_in_a_tile_are_refused() -> None:
    (refusal,) = fused(_storing_past_the_end(i16), Options("workgroup"))[1].refusals
    assert refusal.reason == Reason.COLLIDING_STORES
    assert refusal.cause is not None and refusal.cause.text.startswith("vyre.store")


def test_a_missing_barrier_is_what_is_missing() -> None:
    with program("no_barrier", workgroup_size=[4]) as p:
        handoff = p.buffer("handoff", i8, N)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("both", N) as i:
            handoff[i] = 7
            out[i] = handoff[workgroup_id() * 4]
    (refusal,) = fused(p.module, Options())[1].refusals
    assert refusal.reason == Reason.MISSING_BARRIER
    assert isinstance(refusal.counterexample, Counterexample)
    assert refusal.counterexample.later != refusal.counterexample.earlier


def test_each_handoff_is_refused_for_its_own_reason() -> None:
    with program("two", workgroup_size=[4]) as p:
        source = p.buffer("source", i8, N, access=Access.READ_ONLY)
        backwards, past = p.buffer("backwards", i8, N), p.buffer("past", i8, N)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("produce", N - 1) as i:
            backwards[i] = source[i]
            past[i] = source[i]
        with p.arm("consume", N // 2) as i:
            out[i] = backwards[N - 2 - i] + past[i * 2 + 1]
    refusals = fused(p.module, Options())[1].refusals
    assert [refusal.reason for refusal in refusals if refusal.counterexample] == [
        Reason.READS_INITIAL_CONTENTS
    ]
    assert all(
        refusal.counterexample is None
        or refusal.counterexample.buffer == refusal.handoff.sym_name.data
        for refusal in refusals
    )


def test_a_tile_size_is_kept() -> None:
    module = _pair(lambda handoff, i: handoff[i])
    after, outcome = fused(module, Options(tile=16))
    tiles = [op for op in after.walk() if isinstance(op, BufferOp) and "handoff" in str(op)]
    assert outcome.promoted
    assert [op.type.static_count for op in tiles] == [16]


def test_a_tile_size_that_a_consumer_cannot_have_is_refused() -> None:
    module = _pair(_summed_by_the_workgroup)
    assert fused(module, Options(tile=4))[1].promoted
    (refusal,) = fused(module, Options(tile=16))[1].refusals
    assert refusal.reason == Reason.MISMATCHED_TILES
    assert "read 4 elements each, not the 16 asked for" in refusal.detail


@pytest.mark.parametrize(("budget", "tile"), [(0, 0), (-1, 0), (64, -1)])
def test_options_without_sense(budget: int, tile: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        Options(budget=budget, tile=tile)
    with pytest.raises(ValueError, match="every invocation has its own"):
        Options("private", tile=4)


def test_barriers_that_ordered_the_handoff_order_its_tile() -> None:
    with program("fences", workgroup_size=[4]) as p:
        handoff = p.buffer("handoff", i8, N)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("both", N) as i:
            handoff[i] = 1
            barrier(MemorySpace.GLOBAL)
            out[i] = handoff[workgroup_id() * 4]
    after, outcome = fused(p.module, Options())
    assert set(outcome.promoted) == {"handoff"}
    (kept,) = (op for op in after.walk() if isinstance(op, BarrierOp))
    assert kept.memory_space is None


def test_barriers_of_other_memory_order_no_handoff() -> None:
    with program("fences", workgroup_size=[4]) as p:
        handoff = p.buffer("handoff", i8, N)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("both", N) as i:
            handoff[i] = 1
            barrier(MemorySpace.WORKGROUP)
            out[i] = handoff[workgroup_id() * 4]
    (refusal,) = fused(p.module, Options())[1].refusals
    assert refusal.reason == Reason.MISSING_BARRIER


def test_a_consumer_is_not_moved_past_an_arm_that_needs_it() -> None:
    with program("between") as p:
        source = p.buffer("source", i32, 64, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i32, 64, initial=Initial.UNDEFINED)
        first = p.buffer("first", i32, 64, live_out=True)
        copy = p.buffer("copy", i32, 64, live_out=True)
        second = p.buffer("second", i32, 64, live_out=True)
        with p.arm("produce", 64) as i:
            handoff[i] = source[i] + 1
        with p.arm("consume", 64) as i:
            first[i] = handoff[i]
        with p.arm("needs", 64) as i:
            copy[i] = first[63 - i]
        with p.arm("consume again", 64) as i:
            second[i] = handoff[i]
    given = {"source": np.arange(64, dtype=np.int32)}
    expected = interpret(p.module, given).outputs
    for strategy in ("auto", "workgroup", "private"):
        after, outcome = fused(p.module, Options(strategy))
        refusals = {each.handoff.sym_name.data: each.reason for each in outcome.refusals}
        assert refusals["handoff"] == Reason.INTERVENING_ARM
        for name, array in interpret(after, given).outputs.items():
            np.testing.assert_array_equal(array, expected[name], err_msg=name)


def test_a_copy_between_memories_keeps_its_handoff() -> None:
    with program("staged") as p:
        source = p.buffer("source", i32, 128, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i32, 128, initial=Initial.UNDEFINED)
        tile = p.buffer("tile", i32, 64, memory_space=MemorySpace.WORKGROUP)
        out = p.buffer("out", i32, 128, live_out=True)
        with p.arm("produce", 128) as i:
            handoff[i] = source[i] + 1
        with p.arm("stage", 128) as i:
            async_wait(async_copy(handoff, workgroup_id() * 64, tile, 0, 64))
            out[i] = tile[local_id()]
    after, outcome = fused(p.module, Options())
    after.verify()
    (refusal,) = outcome.refusals
    assert refusal.reason == Reason.FIXED_ACCESS


def _reading_the_same(source: Buffer, count: Buffer, i: Value) -> Value:
    del count
    return source[N - 1 - i]


def _counting_the_same(source: Buffer, count: Buffer, i: Value) -> Value:
    return count.atomic(AtomicKind.ADDI, source[i])


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("also", [_reading_the_same, _counting_the_same])
def test_tiles_may_read_or_update_the_same_in_any_order(
    also: Callable[[Buffer, Buffer, Value], Value], strategy: Strategy
) -> None:
    with program("overwritten", workgroup_size=[4]) as p:
        source = p.buffer("source", i32, N, live_out=True)
        count = p.buffer("count", i32, 1, live_out=True)
        handoff = p.buffer("handoff", i32, N)
        out = p.buffer("out", i32, N, live_out=True)
        with p.arm("produce", N) as i:
            also(source, count, i)
            handoff[i] = source[i]
            out[i] = source[i]
        with p.arm("consume", N) as i:
            also(source, count, i)
            out[i] = handoff[i] + 1
    _, outcome = fused(p.module, Options(strategy))
    assert set(outcome.promoted) == {"handoff"}
