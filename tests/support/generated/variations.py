"""Drawn pairs with something that a rewrite must not overlook: barriers, effects, odd indices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from support.generated.arms import Arm, Effect, SideEffect, Steering
from support.generated.cases import Case
from support.generated.drawing import any_of, sometimes
from support.generated.pairs import covered_pairs, pairs, twists
from support.generated.places import Branches, HostValue, Index, Touch
from support.generated.several import as_cooperative


@st.composite
def cooperative(draw: st.DrawFn) -> Case:
    """A consumer that works in whole workgroups, and sometimes another that does not."""
    pair = draw(pairs())
    arms = list(pair.arms)
    chosen = draw(st.integers(1, len(arms) - 1))
    arms[chosen] = as_cooperative(arms[chosen])
    return replace(pair, arms=tuple(arms))


@st.composite
def steered(draw: st.DrawFn) -> Case:
    """A cooperative consumer whose barrier depends on an element that its workgroup reads."""
    pair = draw(covered_pairs())
    arm = pair.arms[1]
    first = arm.reads[0][1].index
    steered_by = Index(
        int(abs(first.slope) * arm.workgroup),
        offset=first.offset + draw(any_of(0, 0, 0, 1, -1)),
        from_end=first.from_end,
    )
    arm = replace(
        as_cooperative(arm),
        steering=draw(any_of(Steering.IF, Steering.FOR, Steering.WHILE)),
        steered_by=Index(0, offset=first.offset) if draw(sometimes(10)) else steered_by,
    )
    return replace(pair, arms=(pair.arms[0], arm, *pair.arms[2:]))


@st.composite
def log_again(draw: st.DrawFn) -> Case:
    """A producer that stores to an element of its log several times, mostly repeated by halos."""
    pair = draw(covered_pairs())
    count, share = draw(any_of((2, 1), (2, 2), (2, 2), (3, 3), (4, 2), (3, 2)))
    log = SideEffect(
        Effect.LOG,
        Index(draw(any_of(1, 2, 2)), offset=draw(any_of(0, 0, 1)), twist=draw(twists())),
        count,
        share,
        unrolled=draw(st.booleans()),
    )
    consumers = [replace(arm, effect=SideEffect()) for arm in pair.arms[1:]]
    if draw(sometimes(70)):
        consumers[0] = _reading_further(consumers[0])
    return replace(pair, arms=(replace(pair.arms[0], effect=log), *consumers))


def _reading_further(consumer: Arm) -> Arm:
    """The consumer with a read of the next element, too."""
    name, touch = consumer.reads[0]
    further = replace(touch, index=replace(touch.index, offset=touch.index.offset + 1))
    return replace(consumer, reads=(*consumer.reads, (name, further)))


@st.composite
def colliding(draw: st.DrawFn) -> Case:
    """A producer of which several invocations store to one element past the end."""
    pair = draw(covered_pairs())
    producer = replace(pair.arms[0], effect=SideEffect())
    collide = draw(any_of(_with_stores_outside, _with_clamped_stores))
    producer = draw(collide(producer))
    beyond = producer.invocations.offset + draw(st.integers(0, 3)) * producer.invocations.divide
    producer = replace(producer, invocations=replace(producer.invocations, offset=beyond))
    consumer = pair.arms[1]
    if draw(sometimes(70)):
        consumer = _reading_further(consumer)
    return replace(pair, arms=(producer, consumer, *pair.arms[2:]))


@st.composite
def _with_stores_outside(draw: st.DrawFn, producer: Arm) -> Arm:
    """The producer with one more store, done only past the ends, of what others do not store."""
    name, touch = producer.writes[0]
    index = replace(touch.index, offset=touch.index.offset + draw(any_of(0, 1, 1, 2, -1)))
    outside = Touch(index, touch.width, unless_outside=True, otherwise=True, marked=True)
    return replace(producer, writes=(*producer.writes, (name, outside)))


@st.composite
def _with_clamped_stores(draw: st.DrawFn, producer: Arm) -> Arm:
    """The producer with stores of which those past the end all go to the first element there."""
    marked = len(producer.writes) == 1 and draw(sometimes(80))
    return replace(
        producer,
        writes=tuple(
            (name, replace(touch, index=replace(touch.index, clamped=True), marked=marked))
            for name, touch in producer.writes
        ),
    )


@st.composite
def clamped_halos(draw: st.DrawFn) -> Case:
    """Consumers that read beyond their own element, at the ends the last or first one again."""
    pair = draw(covered_pairs())
    arms = [pair.arms[0]]
    for arm in pair.arms[1:]:
        widened = _reading_further(arm) if draw(sometimes(70)) else arm
        arms.append(_touching(widened, _to_edges) if draw(sometimes(80)) else widened)
    return replace(pair, arms=tuple(arms))


def _to_edges(touch: Touch) -> Touch:
    return replace(touch, index=replace(touch.index, to_edges=True))


@st.composite
def branching(draw: st.DrawFn) -> Case:
    """Accesses inside of branches that data decides about: in both, or in one of them."""
    pair = draw(covered_pairs())
    arms = list(pair.arms)
    for place in draw(any_of((0,), (0, 1), (1,))):
        branches = draw(any_of(Branches.BOTH, Branches.BOTH, Branches.ONE))
        arms[place] = _touching(arms[place], _in_branches(branches))
    return replace(pair, arms=tuple(arms))


def _in_branches(branches: Branches) -> Callable[[Touch], Touch]:
    return lambda touch: replace(touch, branches=branches)


@st.composite
def wrapping(draw: st.DrawFn) -> Case:
    """Indices that are computed in few bits, and wrap around for some invocations or for none."""
    pair = draw(covered_pairs())
    bits = draw(any_of(8, 8, 16, 32))
    start = draw(any_of(0, 0, 0, 1 << bits, (1 << bits) - 3))
    chosen = draw(any_of(range(len(pair.arms)), range(1), range(1, 2)))

    def wrapped(touch: Touch) -> Touch:
        offset = touch.index.offset + start
        return replace(touch, index=replace(touch.index, offset=offset, bits=bits))

    arms = [
        _touching(arm, wrapped) if place in chosen else arm for place, arm in enumerate(pair.arms)
    ]
    return replace(pair, arms=tuple(arms))


_HUGE = (1 << 32, 1 << 31, 1 << 60, 1 << 61, 1 << 62, 1 << 62, (1 << 63) - 1, -(1 << 62))
"""Numbers of which small multiples do not fit into 64, 32 or 31 bits."""


@st.composite
def _host_values(draw: st.DrawFn) -> HostValue:
    return HostValue(
        draw(any_of(0, 1, 3, 40, -1) | st.sampled_from(_HUGE)),
        bits=draw(any_of(64, 64, 64, 64, 32, 1)),
        signed=draw(st.booleans()),
        scale=draw(any_of(1, 1, 1, 1, 4)),
    )


@st.composite
def with_host_value(draw: st.DrawFn) -> Case:
    """A pair whose indices, or guards, depend on a number that the host loads."""
    pair = draw(covered_pairs())
    change = draw(any_of(_moved_by_host, _guarded_by_host, _guarded_by_host, _logged_by_host))
    return replace(draw(change(pair)), host=draw(_host_values()))


@st.composite
def _moved_by_host(draw: st.DrawFn, pair: Case) -> Case:
    """The pair with so many times the host's value in its indices: of all arms, or of one."""
    times = draw(any_of(1, 1, 2, 4, 8, -1))

    def moved(touch: Touch) -> Touch:
        return replace(touch, index=replace(touch.index, hosts=times))

    if draw(sometimes(20)):
        arms = list(pair.arms)
        place = draw(st.integers(0, len(arms) - 1))
        arms[place] = _touching(arms[place], moved)
        return replace(pair, arms=tuple(arms))
    producer, *consumers = (_touching(arm, moved) for arm in pair.arms)
    size = producer.invocations
    # So many that what lies past the end, and need not be written, may lie inside.
    more = replace(size, offset=size.offset + 8 * size.divide)
    return replace(pair, arms=(replace(producer, invocations=more), *consumers))


@st.composite
def _guarded_by_host(draw: st.DrawFn, pair: Case) -> Case:
    """The pair with invocations below so many times the host's value only, others in each arm."""
    least = draw(any_of(1, 1, 2))
    more = least * draw(any_of(1, 2, 4, 4, 8, 8))

    def guarded(arm: Arm, times: int) -> Arm:
        return _touching(arm, lambda touch: replace(touch, below=times))

    producer, *consumers = pair.arms
    if draw(sometimes(80)):
        consumers = [guarded(arm, least) for arm in consumers]
    return replace(pair, arms=(guarded(producer, more), *consumers))


@st.composite
def _logged_by_host(draw: st.DrawFn, pair: Case) -> Case:
    """The pair with a log in which places depend on the host's value."""
    times = draw(any_of(1, 1, 2, 4, 8, -1))
    read = draw(any_of(times, times, 0, 1, 4))
    producer, first = pair.arms[:2]
    producer = replace(producer, effect=SideEffect(Effect.LOG, Index(hosts=times)))
    first = replace(first, effect=SideEffect(Effect.READ_LOG, Index(hosts=read)))
    return replace(pair, arms=(producer, first, *pair.arms[2:]))


def _touching(arm: Arm, change: Callable[[Touch], Touch]) -> Arm:
    """The arm with other touches."""
    return replace(
        arm,
        writes=tuple((name, change(touch)) for name, touch in arm.writes),
        reads=tuple((name, change(touch)) for name, touch in arm.reads),
    )
