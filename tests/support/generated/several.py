"""Drawn programs of more than a pair: chains, fan-outs, several handoffs and producers."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from support.generated.arms import Arm, Effect, Handoff, SideEffect
from support.generated.cases import Case
from support.generated.drawing import any_of, sometimes
from support.generated.pairs import covered_pairs, pairs, producers
from support.generated.places import Index, Size, Touch, Twist
from vyre_dialect.ir.types import Initial


@st.composite
def chains(draw: st.DrawFn) -> Case:
    """Decode, change, scan: each but the last hands on to the next; sometimes longer."""
    pair = draw(pairs())
    producer = replace(pair.arms[0], effect=SideEffect(draw(any_of(*list(Effect)[:2]))))
    arms, handoffs = [producer], [replace(pair.handoffs[0], bytes=1)]
    for number in range(draw(any_of(1, 1, 1, 2, 4))):
        changed = Handoff(f"changed{number}", Size(), initial=draw(any_of(*Initial)))
        arms.append(draw(_middles(handoffs[-1], changed)))
        handoffs.append(changed)
    last = handoffs[-1]
    reads = tuple((last.name, touch) for _, touch in pair.arms[1].reads)
    scan = replace(pair.arms[1], reads=_inside(last, reads), effect=SideEffect())
    return replace(pair, arms=(*arms, scan), handoffs=tuple(handoffs))


@st.composite
def _middles(draw: st.DrawFn, source: Handoff, target: Handoff) -> Arm:
    """An arm that reads one handoff, and writes the next."""
    step = draw(any_of(1, 1, 2))
    reads = tuple(
        (source.name, Touch(Index(step, offset=draw(any_of(0, 0, 0, 1, 2, -1))), width=width))
        for width in draw(any_of((1,), (step, 1)))
    )
    return Arm(
        f"to_{target.name}",
        Size(divide=step),
        writes=((target.name, Touch(Index(step), width=step)),),
        reads=_inside(source, reads),
    )


def _inside(source: Handoff, reads: tuple[tuple[str, Touch], ...]) -> tuple[tuple[str, Touch], ...]:
    """The reads, but only inside of a handoff that holds nothing before."""
    if source.initial != Initial.UNDEFINED:
        return reads
    return tuple(
        (name, replace(touch, unless_outside=True, otherwise=False)) for name, touch in reads
    )


@st.composite
def fan_outs(draw: st.DrawFn) -> Case:
    """One producer, and up to six consumers of what it hands on."""
    pair = draw(covered_pairs())
    producer, *consumers = pair.arms
    first = replace(consumers[0], effect=SideEffect())
    others = [
        replace(
            first,
            name=f"also{number}",
            reads=(draw(st.sampled_from(first.reads)),),
            workgroup=draw(any_of(first.workgroup, first.workgroup, 4)),
        )
        for number in range(draw(st.integers(1, 5)))
    ]
    return replace(pair, arms=(producer, *consumers, *others))


@st.composite
def two_handoffs(draw: st.DrawFn) -> Case:
    """One producer, two handoffs, one consumer of both."""
    pair = draw(pairs())
    producer, consumer = pair.arms[0], pair.arms[1]
    touch = replace(draw(st.sampled_from(producer.writes))[1], width=1)
    producer = replace(producer, writes=(*producer.writes, ("flags", touch)))
    _, read = draw(st.sampled_from(consumer.reads))
    consumer = replace(consumer, reads=(*consumer.reads, ("flags", read)))
    flags = Handoff("flags", pair.handoffs[0].size, pair.handoffs[0].bytes)
    return replace(pair, arms=(producer, consumer), handoffs=(*pair.handoffs, flags))


@st.composite
def two_producers(draw: st.DrawFn) -> Case:
    """Two producers with a handoff each, and one consumer of both."""
    pair = draw(pairs())
    first, consumer = pair.arms[0], pair.arms[1]
    other = draw(producers())
    second = replace(
        other, name="tokenise", writes=tuple(("tokens", touch) for _, touch in other.writes)
    )
    _, read = draw(st.sampled_from(consumer.reads))
    reads = (*consumer.reads, ("tokens", replace(read, width=1)))
    tokens = Handoff("tokens", pair.handoffs[0].size, pair.handoffs[0].bytes)
    return replace(
        pair,
        arms=(first, second, replace(consumer, reads=reads)),
        handoffs=(*pair.handoffs, tokens),
    )


@st.composite
def two_ways(draw: st.DrawFn) -> Case:
    """One producer, two handoffs, and a consumer for each, of which one may read both."""
    pair = draw(covered_pairs())
    producer, first = pair.arms[0], pair.arms[1]
    writes = tuple(("flags", touch) for _, touch in producer.writes)
    producer = replace(producer, writes=(*producer.writes, *writes))
    other = draw(any_of(first, pair.arms[-1]))
    reads = tuple(("flags", touch) for _, touch in other.reads)
    if draw(sometimes(20)):
        reads = (*reads, draw(st.sampled_from(other.reads)))
    second = replace(other, name="scan_flags", reads=reads, effect=SideEffect())
    if draw(sometimes(30)):
        second = as_cooperative(second)
    consumers = draw(any_of((first, second), (second, first)))
    flags = replace(pair.handoffs[0], name="flags")
    return replace(pair, arms=(producer, *consumers), handoffs=(*pair.handoffs, flags))


def as_cooperative(arm: Arm) -> Arm:
    """The arm, working in whole workgroups."""
    whole = replace(arm.invocations, whole=arm.workgroup)
    return replace(arm, cooperative=True, invocations=whole)


@st.composite
def dependent_consumers(draw: st.DrawFn) -> Case:
    """Two consumers, of which one reads what the other logs."""
    pair = draw(pairs())
    producer, first = pair.arms[0], pair.arms[1]
    logged = Index(
        offset=draw(any_of(0, 0, 0, 1)),
        twist=draw(any_of(Twist.NONE, Twist.REVERSE, Twist.ROTATE)),
    )
    return replace(
        pair,
        arms=(
            replace(producer, effect=SideEffect()),
            replace(first, effect=SideEffect(Effect.LOG, Index())),
            replace(first, name="scan1", effect=SideEffect(Effect.READ_LOG, logged)),
        ),
    )


@st.composite
def arms_between(draw: st.DrawFn) -> Case:
    """An arm between the producer and its consumers, which may be in the way."""
    pair = draw(pairs())
    kind = draw(any_of(Effect.LOG, Effect.CLEAR_INPUT, Effect.FIRST_BAD))
    between = Arm("between", Size(), effect=SideEffect(kind))
    return replace(pair, arms=(pair.arms[0], between, *pair.arms[1:]))
