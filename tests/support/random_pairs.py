"""
Generated programs of arms that hand a buffer on, legal to fuse and illegal.

The same source of random numbers gives the same program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from support.pairs import (
    HANDOFF,
    Arm,
    Case,
    Effect,
    Handoff,
    HostValue,
    Index,
    SideEffect,
    Size,
    Steering,
    Touch,
    Twist,
)
from support.random_arms import OneArm, random_arm
from vyre_dialect.types import Initial

MAX_BYTES = 8
"""Of one access."""


def random_pair(random: Random) -> Case:
    """
    A producer and one or two consumers of one handoff, legal to fuse or not: all their
    accesses are quasi-affine, all reads of a consumer have one slope, and so do all writes.
    """
    while True:
        producer = _producer(random)
        consumers = [_consumer(random, f"scan{k}") for k in range(random.choice((1, 1, 1, 2)))]
        if len(consumers) == 2 and random.random() < 0.5:
            consumers = _in_proportion(random, consumers)
        slope = consumers[0].reads[0][1].index.slope
        producer, consumers[0] = _with_effects(random, producer, consumers[0])
        tile = max(1, int(abs(consumers[0].workgroup * slope)))
        case = Case(
            (producer, *consumers),
            (_handoff(random),),
            n=random.choice((0, 1, tile - 1, tile, tile + 1, 2 * tile + 3, 3 * tile)),
            run_time=random.random() < 0.4,
        )
        if case.is_possible and _is_narrow(case):
            return case


def _handoff(random: Random) -> Handoff:
    bytes = random.choice((1, 1, 1, 2, 4))
    return Handoff(HANDOFF, Size(least=random.choice((0, 0, 1))), bytes)


def _is_narrow(case: Case) -> bool:
    touches = [touch for arm in case.arms for _, touch in (*arm.writes, *arm.reads)]
    return all(touch.width * case.handoffs[0].bytes <= MAX_BYTES for touch in touches)


def _producer(random: Random) -> Arm:
    step = random.choice((1, 1, 1, 2, 3, 4))
    divide = 2 if step == 1 and random.random() < 0.1 else 1
    base = Index(
        step,
        offset=random.choice((0, 0, 0, 0, 0, 1, -1)),
        divide=divide,
        twist=_twist(random),
        block=random.choice((2, 4)),
        from_end=random.random() < 0.15,
    )
    touches = _run(random, base, step)
    if random.random() < 0.1:
        parity, otherwise = random.randrange(2), random.random() < 0.5
        touches = [
            replace(touch, modulus=2, remainder=parity, otherwise=otherwise) for touch in touches
        ]
    if random.random() < 0.1:
        touches = [replace(touch, limit=random.randrange(1, 12)) for touch in touches]
    elif random.random() < 0.1:
        touches = [replace(touch, unless_outside=True) for touch in touches]
    invocations = Size(
        scale=divide, offset=random.choice((0, 0, 0, 0, 1, 5, -1)), divide=step, least=0
    )
    return Arm("decode", invocations, tuple((HANDOFF, touch) for touch in touches))


def _twist(random: Random) -> Twist:
    return random.choice(list(Twist)) if random.random() < 0.3 else Twist.NONE


def _run(random: Random, base: Index, step: int) -> list[Touch]:
    """`step` elements from `base` on: in a loop, one by one, in one access, or with a gap."""
    form = random.choice(("loop", "unrolled", "wide", "gap"))
    if base.from_end:
        # Counted backwards, so that the first element is the last of the run.
        base = replace(base, offset=base.offset + step - 1)
    if form == "wide" and step in (2, 4):
        return [Touch(base, width=step)]
    if form == "loop" and step > 1:
        return [Touch(base, count=step)]
    towards = -1 if base.from_end else 1
    offsets = [base.offset + towards * k for k in range(step)]
    if form == "gap" and step > 1 and random.random() < 0.3:
        offsets.pop(random.randrange(step))
    return [Touch(replace(base, offset=offset)) for offset in offsets]


def _consumer(random: Random, name: str) -> Arm:
    step = random.choice((1, 1, 1, 1, 2, 3))
    divide = 2 if random.random() < 0.1 else 1
    base = Index(
        step,
        divide=divide,
        twist=_twist(random),
        block=random.choice((2, 4)),
        from_end=random.random() < 0.15,
    )
    offsets = random.sample(range(-2, 4), random.choice((1, 1, 2, 3)))
    if random.random() < 0.5:
        offsets = [abs(offset) for offset in offsets]
    if random.random() < 0.3:
        offsets = [0]
    touches = [
        Touch(
            replace(base, offset=offset),
            width=random.choice((1, 1, 1, 2, 4)),
            count=random.choice((1, 1, 1, 2)),
        )
        for offset in offsets
    ]
    if random.random() < 0.1:
        otherwise = random.random() < 0.5
        touches[0] = replace(touches[0], modulus=2, remainder=random.randrange(2))
        touches[0] = replace(touches[0], otherwise=otherwise)
    if random.random() < 0.2:
        touches = [replace(touch, unless_outside=not touch.otherwise) for touch in touches]
    return Arm(
        name,
        Size(scale=divide, offset=random.choice((0, 0, 0, 0, -2, 3)), divide=step),
        reads=tuple((HANDOFF, touch) for touch in touches),
        workgroup=random.choice((4, 4, 8)),
    )


def _in_proportion(random: Random, consumers: list[Arm]) -> list[Arm]:
    """The consumers with reads whose steps are multiples of each other's."""
    steps = random.choice(((2, 1), (3, 1), (1, 1), (1, 2)))
    return [
        replace(
            arm,
            invocations=Size(divide=step),
            reads=tuple(
                (
                    name,
                    replace(touch, index=replace(touch.index, step=step, divide=1, from_end=False)),
                )
                for name, touch in arm.reads
            ),
        )
        for arm, step in zip(consumers, steps, strict=True)
    ]


def _with_effects(random: Random, producer: Arm, consumer: Arm) -> tuple[Arm, Arm]:
    """Sometimes, other effects: harmless ones, ones that must not be repeated, dependences."""
    kind = random.choice((*[Effect.NONE] * 6, *Effect))
    shift = Index(offset=random.choice((0, 0, 1, -1)), twist=_twist(random))
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
    if random.random() < 0.1:
        consumer = replace(consumer, effect=SideEffect(Effect.COUNT))
    return producer, consumer


def random_program(random: Random) -> Case | OneArm:
    """
    Any program: a pair, a chain, several consumers, several handoffs, cooperative arms, one arm
    that hands on to itself.
    """
    return random_program_of(random, random.choice((*MAKERS, "pair", "one arm")))


def random_program_of(random: Random, maker: str) -> Case | OneArm:
    """A program of the kind that one of the `MAKERS` makes."""
    while True:
        case = MAKERS[maker](random)
        if case.is_possible and (isinstance(case, OneArm) or _is_narrow(case)):
            return case


def _chain(random: Random) -> Case:
    """Decode, change, scan: each of the first two hands on to the next."""
    pair = random_pair(random)
    step = random.choice((1, 1, 2))
    middle = Arm(
        "change",
        Size(divide=step),
        writes=(("changed", Touch(Index(step), width=step)),),
        reads=tuple(
            ("decoded", Touch(Index(step, offset=offset), width=random.choice((1, step))))
            for offset in random.sample((0, 0, 0, 1, 2, -1), random.choice((1, 2)))
        ),
    )
    scan = pair.arms[1]
    reads = tuple(("changed", touch) for _, touch in scan.reads)
    changed = Handoff("changed", Size(), initial=random.choice(list(Initial)))
    if changed.initial == Initial.UNDEFINED:
        reads = tuple(
            ("changed", replace(touch, unless_outside=True, otherwise=False)) for _, touch in reads
        )
    scan = replace(scan, reads=reads, effect=SideEffect())
    producer = replace(pair.arms[0], effect=SideEffect(random.choice(list(Effect)[:2])))
    return replace(
        pair,
        arms=(producer, middle, scan),
        handoffs=(replace(pair.handoffs[0], bytes=1), changed),
    )


def _two_handoffs(random: Random) -> Case:
    """One producer, two handoffs, one consumer of both."""
    pair = random_pair(random)
    producer, consumer = pair.arms[0], pair.arms[1]
    touch = replace(random.choice(producer.writes)[1], width=1)
    producer = replace(producer, writes=(*producer.writes, ("flags", touch)))
    _, read = random.choice(consumer.reads)
    consumer = replace(consumer, reads=(*consumer.reads, ("flags", read)))
    flags = Handoff("flags", pair.handoffs[0].size, pair.handoffs[0].bytes)
    return replace(pair, arms=(producer, consumer), handoffs=(*pair.handoffs, flags))


def _two_producers(random: Random) -> Case:
    """Two producers with a handoff each, and one consumer of both."""
    pair = random_pair(random)
    first, consumer = pair.arms[0], pair.arms[1]
    other = _producer(random)
    second = replace(
        other, name="tokenise", writes=tuple(("tokens", touch) for _, touch in other.writes)
    )
    _, read = random.choice(consumer.reads)
    reads = (*consumer.reads, ("tokens", replace(read, width=1)))
    tokens = Handoff("tokens", pair.handoffs[0].size, pair.handoffs[0].bytes)
    return replace(
        pair,
        arms=(first, second, replace(consumer, reads=reads)),
        handoffs=(*pair.handoffs, tokens),
    )


def _cooperative(random: Random) -> Case:
    """A consumer that works in whole workgroups, and sometimes another that does not."""
    pair = random_pair(random)
    chosen = random.randrange(1, len(pair.arms))
    arms = list(pair.arms)
    arm = arms[chosen]
    arms[chosen] = replace(
        arm, cooperative=True, invocations=replace(arm.invocations, whole=arm.workgroup)
    )
    return replace(pair, arms=tuple(arms))


def _dependent_consumers(random: Random) -> Case:
    """Two consumers, of which one reads what the other logs."""
    pair = random_pair(random)
    producer, first = pair.arms[0], pair.arms[1]
    logged = Index(twist=random.choice((Twist.NONE, Twist.REVERSE, Twist.ROTATE)))
    writer = SideEffect(Effect.LOG, Index())
    reader = SideEffect(Effect.READ_LOG, replace(logged, offset=random.choice((0, 0, 0, 1))))
    second = replace(first, name="scan1", effect=reader)
    return replace(
        pair,
        arms=(
            replace(producer, effect=SideEffect()),
            replace(first, effect=writer),
            second,
        ),
    )


def _arm_between(random: Random) -> Case:
    """An arm between the producer and its consumers, which may be in the way."""
    pair = random_pair(random)
    kind = random.choice((Effect.LOG, Effect.CLEAR_INPUT, Effect.FIRST_BAD))
    between = Arm("between", Size(), effect=SideEffect(kind))
    return replace(pair, arms=(pair.arms[0], between, *pair.arms[1:]))


def _covered_pair(random: Random) -> Case:
    """A pair that is mostly not refused for what its consumers read and nobody writes."""
    pair = random_pair(random)
    while not _is_covered(pair) and random.random() < 0.9:
        pair = random_pair(random)
    return pair


def _is_covered(pair: Case) -> bool:
    """Whether all that is read of the handoff is written, for this number of inputs."""
    length = pair.length(HANDOFF)
    written, read = set[int](), set[int]()
    for arm in pair.arms:
        for i in range(arm.invocations.of(pair.n)):
            written.update(*(touch.elements(i, length) for _, touch in arm.writes))
            read.update(*(touch.elements(i, length) for _, touch in arm.reads))
    return read & set(range(length)) <= written


def _log_again(random: Random) -> Case:
    """A producer that stores to an element of its log several times, mostly repeated by halos."""
    pair = _covered_pair(random)
    count, share = random.choice(((2, 1), (2, 2), (2, 2), (3, 3), (4, 2), (3, 2)))
    log = SideEffect(
        Effect.LOG,
        Index(random.choice((1, 2, 2)), offset=random.choice((0, 0, 1)), twist=_twist(random)),
        count,
        share,
        unrolled=random.random() < 0.5,
    )
    consumers = [replace(arm, effect=SideEffect()) for arm in pair.arms[1:]]
    if random.random() < 0.7:
        consumers[0] = _reading_further(consumers[0])
    return replace(pair, arms=(replace(pair.arms[0], effect=log), *consumers))


def _reading_further(consumer: Arm) -> Arm:
    """The consumer with a read of the next element, too."""
    name, touch = consumer.reads[0]
    further = replace(touch, index=replace(touch.index, offset=touch.index.offset + 1))
    return replace(consumer, reads=(*consumer.reads, (name, further)))


def _colliding(random: Random) -> Case:
    """A producer of which several invocations store to one element past the end."""
    pair = _covered_pair(random)
    producer = pair.arms[0]
    collide = random.choice((_with_stores_outside, _with_clamped_stores))
    producer = collide(random, replace(producer, effect=SideEffect()))
    beyond = producer.invocations.offset + random.randrange(4) * producer.invocations.divide
    producer = replace(producer, invocations=replace(producer.invocations, offset=beyond))
    consumer = pair.arms[1]
    if random.random() < 0.7:
        consumer = _reading_further(consumer)
    return replace(pair, arms=(producer, consumer, *pair.arms[2:]))


def _with_stores_outside(random: Random, producer: Arm) -> Arm:
    """The producer with one more store, done only past the ends, of what others do not store."""
    name, touch = producer.writes[0]
    index = replace(touch.index, offset=touch.index.offset + random.choice((0, 1, 1, 2, -1)))
    outside = Touch(index, touch.width, unless_outside=True, otherwise=True, marked=True)
    return replace(producer, writes=(*producer.writes, (name, outside)))


def _with_clamped_stores(random: Random, producer: Arm) -> Arm:
    """The producer with stores of which those past the end all go to the first element there."""
    marked = len(producer.writes) == 1 and random.random() < 0.8
    return replace(
        producer,
        writes=tuple(
            (name, replace(touch, index=replace(touch.index, clamped=True), marked=marked))
            for name, touch in producer.writes
        ),
    )


_HUGE = (1 << 60, 1 << 61, 1 << 62, 1 << 62, (1 << 63) - 1, -(1 << 62), 1 << 32, 1 << 31)
"""Numbers of which small multiples do not fit into 64, 32 or 31 bits."""


def _host_value(random: Random) -> HostValue:
    return HostValue(
        random.choice((0, 1, 3, 40, -1, *random.sample(_HUGE, 6))),
        bits=random.choice((64, 64, 64, 64, 32, 1)),
        signed=random.random() < 0.5,
        scale=random.choice((1, 1, 1, 1, 4)),
    )


def _with_host_value(random: Random) -> Case:
    """A pair whose indices, or guards, depend on a number that the host loads."""
    pair = _covered_pair(random)
    changes = (_moved_by_host, _guarded_by_host, _guarded_by_host, _logged_by_host)
    change = random.choice(changes)
    return replace(change(random, pair), host=_host_value(random))


def _moved_by_host(random: Random, pair: Case) -> Case:
    """The pair with so many times the host's value in its indices: of all arms, or of one."""
    times = random.choice((1, 1, 2, 4, 8, -1))

    def moved(arm: Arm) -> Arm:
        return _touching(arm, lambda touch: replace(touch, index=replace(touch.index, hosts=times)))

    if random.random() < 0.2:
        place = random.randrange(len(pair.arms))
        arms = [moved(arm) if arm is pair.arms[place] else arm for arm in pair.arms]
        return replace(pair, arms=tuple(arms))
    producer, *consumers = map(moved, pair.arms)
    size = producer.invocations
    # So many that what lies past the end, and need not be written, may lie inside.
    more = replace(size, offset=size.offset + 8 * size.divide)
    return replace(pair, arms=(replace(producer, invocations=more), *consumers))


def _guarded_by_host(random: Random, pair: Case) -> Case:
    """The pair with invocations below so many times the host's value only, others in each arm."""
    least = random.choice((1, 1, 2))
    more = least * random.choice((1, 2, 4, 4, 8, 8))

    def guarded(arm: Arm, times: int) -> Arm:
        return _touching(arm, lambda touch: replace(touch, below=times))

    producer, *consumers = pair.arms
    if random.random() < 0.8:
        consumers = [guarded(arm, least) for arm in consumers]
    return replace(pair, arms=(guarded(producer, more), *consumers))


def _logged_by_host(random: Random, pair: Case) -> Case:
    """The pair with a log in which places depend on the host's value."""
    times = random.choice((1, 1, 2, 4, 8, -1))
    read = random.choice((times, times, 0, 1, 4))
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


def _steered(random: Random) -> Case:
    """A cooperative consumer whose barrier depends on an element that its workgroup reads."""
    pair = _covered_pair(random)
    arm = pair.arms[1]
    first = arm.reads[0][1].index
    steered_by = Index(
        int(abs(first.slope) * arm.workgroup),
        offset=first.offset + random.choice((0, 0, 0, 1, -1)),
        from_end=first.from_end,
    )
    arm = replace(
        arm,
        cooperative=True,
        invocations=replace(arm.invocations, whole=arm.workgroup),
        steering=random.choice((Steering.IF, Steering.FOR, Steering.WHILE)),
        steered_by=steered_by if random.random() < 0.9 else Index(0, offset=first.offset),
    )
    return replace(pair, arms=(pair.arms[0], arm, *pair.arms[2:]))


def _two_ways(random: Random) -> Case:
    """One producer, two handoffs, and a consumer for each, of which one may read both."""
    pair = _covered_pair(random)
    producer, first = pair.arms[0], pair.arms[1]
    writes = tuple(("flags", touch) for _, touch in producer.writes)
    producer = replace(producer, writes=(*producer.writes, *writes))
    other = pair.arms[-1] if random.random() < 0.5 else first
    reads = tuple(("flags", touch) for _, touch in other.reads)
    if random.random() < 0.2:
        reads = (*reads, random.choice(other.reads))
    second = replace(other, name="scan_flags", reads=reads, effect=SideEffect())
    if random.random() < 0.3:
        whole = replace(second.invocations, whole=second.workgroup)
        second = replace(second, cooperative=True, invocations=whole)
    consumers = [first, second]
    random.shuffle(consumers)
    flags = replace(pair.handoffs[0], name="flags")
    return replace(pair, arms=(producer, *consumers), handoffs=(*pair.handoffs, flags))


MAKERS: dict[str, Callable[[Random], Case | OneArm]] = {
    "pair": random_pair,
    "chain": _chain,
    "two handoffs": _two_handoffs,
    "two producers": _two_producers,
    "cooperative": _cooperative,
    "dependent consumers": _dependent_consumers,
    "arm between": _arm_between,
    "log again": _log_again,
    "colliding": _colliding,
    "host value": _with_host_value,
    "steered": _steered,
    "two ways": _two_ways,
    "one arm": random_arm,
}
"""What makes a program, by kind."""
