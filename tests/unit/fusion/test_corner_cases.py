"""Programs whose fusion was once wrong: each fuses rightly now, or is refused with its reason."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.fusion import STRATEGIES, fused
from xdsl.dialects.builtin import ComplexType, ModuleOp, f32, i8, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Value, for_, invocation_id, program
from vyre_dialect.passes.fusion.options import Options, Strategy
from vyre_dialect.passes.fusion.refusal import Reason
from vyre_dialect.runtime.interpreter import Observers, RaceChecker, UndefinedReadChecker, interpret
from vyre_dialect.types import Access, Axis

N = 64
Produce = Callable[[Buffer, Buffer, Value], object]
Consume = Callable[[Buffer, Value], Value]


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


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_elements_stored_twice_are_not_stored_again_by_others(strategy: Strategy) -> None:
    with program("twice", workgroup_size=[4]) as p:
        source = p.buffer("source", i8, N, access=Access.READ_ONLY)
        handoff = p.buffer("handoff", i8, N)
        log = p.buffer("log", i8, N, live_out=True)
        out = p.buffer("out", i8, N, live_out=True)
        with p.arm("produce", N) as i:
            log[i] = 77
            log[i] = source[i]
            handoff[i] = source[i]
        with p.arm("consume", N) as i:
            out[i] = handoff[i] + handoff[i + 1]
    _, outcome = fused(p.module, Options(strategy))
    (refusal,) = outcome.refusals
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
