"""
Drawn pairs: a producer and one or two consumers of one handoff, legal to fuse or not.

All their accesses are quasi-affine, all reads of a consumer have one slope, and so do all
writes of the producer: the class in which brute force knows the verdict.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from hypothesis import strategies as st

from support.generated.arms import HANDOFF, Arm, Effect, Handoff, SideEffect
from support.generated.cases import Case
from support.generated.drawing import any_of, sometimes
from support.generated.places import Index, Size, Touch, Twist

MAX_BYTES = 8
"""Of one access."""


@cache
def pairs() -> st.SearchStrategy[Case]:
    """Pairs of the class."""
    return _pairs().filter(is_possible)


def is_possible(case: Case) -> bool:
    """Whether it can be a program of accesses that the dialect has."""
    touches = [touch for arm in case.arms for _, touch in (*arm.writes, *arm.reads)]
    widest = max((touch.width for touch in touches), default=0)
    return case.is_possible and widest * case.handoffs[0].bytes <= MAX_BYTES


@cache
def covered_pairs() -> st.SearchStrategy[Case]:
    """Pairs of which few are refused for what their consumers read and nobody writes."""
    covered = pairs().filter(_is_covered)
    return sometimes(10).flatmap(lambda some: pairs() if some else covered)


def _is_covered(pair: Case) -> bool:
    """Whether all that is read of the handoff is written, for this number of inputs."""
    length = pair.length(HANDOFF)
    written, read = set[int](), set[int]()
    for arm in pair.arms:
        for i in range(arm.invocations.of(pair.n)):
            written.update(*(touch.elements(i, length) for _, touch in arm.writes))
            read.update(*(touch.elements(i, length) for _, touch in arm.reads))
    return read & set(range(length)) <= written


@st.composite
def _pairs(draw: st.DrawFn) -> Case:
    producer = draw(producers())
    consumers = [draw(_consumers(f"scan{k}")) for k in range(draw(any_of(1, 1, 1, 2)))]
    if len(consumers) == 2 and draw(st.booleans()):
        consumers = draw(_in_proportion(consumers))
    slope = consumers[0].reads[0][1].index.slope
    producer, consumers[0] = draw(_with_effects(producer, consumers[0]))
    tile = max(1, int(abs(consumers[0].workgroup * slope)))
    return Case(
        (producer, *consumers),
        (draw(_handoffs()),),
        n=draw(any_of(0, 1, tile - 1, tile, tile + 1, 2 * tile + 3, 3 * tile)),
        run_time=draw(sometimes(40)),
    )


@st.composite
def _handoffs(draw: st.DrawFn) -> Handoff:
    return Handoff(HANDOFF, Size(least=draw(any_of(0, 0, 1))), draw(any_of(1, 1, 1, 2, 4)))


@st.composite
def producers(draw: st.DrawFn) -> Arm:
    """Arms that write the handoff: so many elements each, in runs, with gaps or permuted."""
    step = draw(any_of(1, 1, 1, 2, 3, 4))
    divide = 2 if step == 1 and draw(sometimes(10)) else 1
    base = Index(
        step,
        offset=draw(any_of(0, 0, 0, 0, 0, 1, -1)),
        divide=divide,
        twist=draw(twists()),
        block=draw(any_of(2, 4)),
        from_end=draw(sometimes(15)),
    )
    touches = draw(_guarded(draw(_runs(base, step))))
    invocations = Size(
        scale=divide, offset=draw(any_of(0, 0, 0, 0, 1, 5, -1)), divide=step, least=0
    )
    return Arm("decode", invocations, tuple((HANDOFF, touch) for touch in touches))


@st.composite
def _guarded(draw: st.DrawFn, touches: list[Touch]) -> list[Touch]:
    """The touches, sometimes under an affine condition."""
    if draw(sometimes(10)):
        parity, otherwise = draw(any_of(0, 1)), draw(st.booleans())
        touches = [
            replace(touch, modulus=2, remainder=parity, otherwise=otherwise) for touch in touches
        ]
    if draw(sometimes(10)):
        limit = draw(st.integers(1, 11))
        return [replace(touch, limit=limit) for touch in touches]
    if draw(sometimes(10)):
        return [replace(touch, unless_outside=True) for touch in touches]
    return touches


@cache
def twists() -> st.SearchStrategy[Twist]:
    """How places are permuted, mostly not at all."""
    return any_of(*[Twist.NONE] * 14, *Twist)


@st.composite
def _runs(draw: st.DrawFn, base: Index, step: int) -> list[Touch]:
    """`step` elements from `base` on: one by one, in a loop, in one access, or with a gap."""
    form = draw(any_of("unrolled", "loop", "wide", "gap"))
    if base.from_end:
        # Counted backwards, so that the first element is the last of the run.
        base = replace(base, offset=base.offset + step - 1)
    if form == "wide" and step in (2, 4):
        return [Touch(base, width=step)]
    if form == "loop" and step > 1:
        return [Touch(base, count=step)]
    towards = -1 if base.from_end else 1
    offsets = [base.offset + towards * k for k in range(step)]
    if form == "gap" and step > 1 and draw(sometimes(30)):
        offsets.pop(draw(st.integers(0, step - 1)))
    return [Touch(replace(base, offset=offset)) for offset in offsets]


@st.composite
def _consumers(draw: st.DrawFn, name: str) -> Arm:
    step = draw(any_of(1, 1, 1, 1, 2, 3))
    divide = 2 if draw(sometimes(10)) else 1
    base = Index(
        step,
        divide=divide,
        twist=draw(twists()),
        block=draw(any_of(2, 4)),
        from_end=draw(sometimes(15)),
    )
    touches = [
        Touch(
            replace(base, offset=offset),
            width=draw(any_of(1, 1, 1, 2, 4)),
            count=draw(any_of(1, 1, 1, 2)),
        )
        for offset in draw(_offsets())
    ]
    if draw(sometimes(10)):
        touches[0] = replace(
            touches[0], modulus=2, remainder=draw(any_of(0, 1)), otherwise=draw(st.booleans())
        )
    if draw(sometimes(20)):
        touches = [replace(touch, unless_outside=not touch.otherwise) for touch in touches]
    return Arm(
        name,
        Size(scale=divide, offset=draw(any_of(0, 0, 0, 0, -2, 3)), divide=step),
        reads=tuple((HANDOFF, touch) for touch in touches),
        workgroup=draw(any_of(4, 4, 8)),
    )


@st.composite
def _offsets(draw: st.DrawFn) -> list[int]:
    """Where a consumer reads, relative to its own place."""
    if draw(sometimes(30)):
        return [0]
    count = draw(any_of(1, 1, 2, 3))
    offsets = draw(
        st.lists(any_of(0, 1, 2, 3, -1, -2), min_size=count, max_size=count, unique=True)
    )
    return [abs(offset) for offset in offsets] if draw(st.booleans()) else offsets


@st.composite
def _in_proportion(draw: st.DrawFn, consumers: list[Arm]) -> list[Arm]:
    """The consumers with reads whose steps are multiples of each other's."""
    steps = draw(any_of((1, 1), (2, 1), (3, 1), (1, 2)))
    return [_of_step(arm, step) for arm, step in zip(consumers, steps, strict=True)]


def _of_step(arm: Arm, step: int) -> Arm:
    reads = tuple(
        (name, replace(touch, index=replace(touch.index, step=step, divide=1, from_end=False)))
        for name, touch in arm.reads
    )
    return replace(arm, invocations=Size(divide=step), reads=reads)


@st.composite
def _with_effects(draw: st.DrawFn, producer: Arm, consumer: Arm) -> tuple[Arm, Arm]:
    """Sometimes, other effects: harmless ones, ones that must not be repeated, dependences."""
    kind = draw(any_of(*[Effect.NONE] * 6, *Effect))
    shift = Index(offset=draw(any_of(0, 0, 1, -1)), twist=draw(twists()))
    if kind in (Effect.FIRST_BAD, Effect.COUNT, Effect.LOG, Effect.BUMP):
        producer = replace(producer, effect=SideEffect(kind, Index()))
    elif kind == Effect.READ_LOG:
        producer = replace(producer, effect=SideEffect(Effect.LOG, Index()))
        consumer = replace(consumer, effect=SideEffect(Effect.READ_LOG, shift))
    elif kind == Effect.CLEAR_INPUT:
        consumer = replace(consumer, effect=SideEffect(kind, shift))
    elif kind == Effect.LAST_BAD:
        producer = replace(producer, effect=SideEffect(Effect.FIRST_BAD))
        consumer = replace(consumer, effect=SideEffect(kind))
    if draw(sometimes(10)):
        consumer = replace(consumer, effect=SideEffect(Effect.COUNT))
    return producer, consumer
