"""Every counterexample, replayed by the interpreter, shows the dependence that it names."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
import pytest
from support.fusion import fused
from support.generated.cases import Case
from support.generated.drawing import for_each
from support.generated.one_arm import OneArm
from support.generated.places import CONVERTED, HOST_VALUE
from support.generated.programs import STRATEGIES, Sample, programs
from support.tiers import first_quick
from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.ir import Operation

from vyre_dialect.builder import if_, program
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy
from vyre_dialect.passes.fusion.tiling.refusal import (
    Counterexample,
    Reason,
    RefusedHandoff,
    UnevenTiles,
)
from vyre_dialect.runtime.interpreter import ObservedAccess, interpret

PROGRAMS = 24
"""In each shard."""
SHARDS = 4
LENGTH = "length of '@text'"
MOST_INPUTS = 4096
RUN_AT_SIZES = programs(library=False).filter(lambda each: isinstance(each.plan, Case | OneArm))
"""Programs that can be run with the sizes that a counterexample names."""


class _Touches:
    """Who touches which element of which buffer, by arm."""

    def __init__(self) -> None:
        self.readers: dict[tuple[str, int, int], set[int]] = defaultdict(set)
        self.writers: dict[tuple[str, int, int], set[int]] = defaultdict(set)
        self.arms: list[Operation] = []

    def begin_arm(self, arm: int, op: Operation) -> None:
        assert arm == len(self.arms)
        self.arms.append(op)

    def access(self, access: ObservedAccess) -> None:
        kinds = [self.readers] if access.kind == AccessKind.READ else [self.writers]
        if access.kind == AccessKind.UPDATE:
            kinds = [self.readers, self.writers]
        for element, invocation in zip(
            access.elements[access.in_bounds], access.invocations[access.in_bounds], strict=True
        ):
            for kind in kinds:
                kind[access.name, access.arm, int(element)].add(int(invocation))

    def end_run(self) -> None:
        """Everything has been seen."""

    def touch(self, example: Counterexample, arm: int) -> set[int]:
        key = (example.buffer, arm, example.element)
        return self.readers[key] | self.writers[key]

    def anybody_writes(self, example: Counterexample) -> bool:
        return any(
            self.writers[example.buffer, arm, example.element] for arm in range(len(self.arms))
        )


@dataclass(frozen=True)
class _Refused:
    """A program out of which fusion makes nothing more, and why."""

    case: Case | OneArm
    module: ModuleOp
    refusals: list[RefusedHandoff]

    @classmethod
    def of(cls, case: Case | OneArm, options: Options) -> _Refused:
        """What is left of a case: after a fusion, the refusals are those of the new arms."""
        module, outcome = fused(case.module(), options)
        while outcome.promoted:
            module, outcome = fused(module, options)
        return cls(case, module, outcome.refusals)

    def replay(self, example: Counterexample) -> _Touches:
        """What happens with the sizes, and the value of the host, that the example names."""
        n = example.sizes.get(LENGTH, self.case.n)
        # Arms compute with the index; what it was converted from may be named with any value.
        host = example.sizes.get(CONVERTED, example.sizes.get(HOST_VALUE))
        assert set(example.sizes) <= {LENGTH, HOST_VALUE, CONVERTED}
        touches = _Touches()
        interpret(self.module, self.case.at(n, host).inputs(), observer=touches)
        return touches


def _check(refusal: RefusedHandoff, example: Counterexample, touches: _Touches) -> None:
    assert refusal.consumer is not None
    assert refusal.producer is not None
    consumer = touches.arms.index(refusal.consumer)
    assert example.later in touches.touch(example, consumer)
    if example.earlier is None:
        assert not touches.anybody_writes(example)
        return
    earlier = touches.arms[:consumer] or touches.arms
    others = (touches.arms.index(arm) for arm in earlier)
    assert any(example.earlier in touches.touch(example, arm) for arm in others)
    assert touches.anybody_writes(example)
    if refusal.reason == Reason.MISSING_BARRIER:
        assert example.later != example.earlier
        assert example.later_tile == example.earlier_tile
        return
    if refusal.reason != Reason.CROSS_WORKGROUP:
        assert example.later == example.earlier  # which writes only after it has read
        return
    # Without a workgroup, the later invocation is its own tile.
    own = example.later if example.later_tile is None else example.later_tile
    assert own != example.earlier_tile


@pytest.mark.slow
@pytest.mark.parametrize("shard", first_quick(range(SHARDS)))
def test_counterexamples_are_what_happens(shard: int) -> None:
    programs_seen, seen = 0, Counter[str]()

    def check(sample: Sample) -> None:
        nonlocal programs_seen
        programs_seen += 1
        assert isinstance(sample.plan, Case | OneArm)
        left = _Refused.of(sample.plan, sample.options)
        for refusal in left.refusals:
            if not isinstance(example := refusal.counterexample, Counterexample):
                continue
            if example.sizes.get(LENGTH, 0) > MOST_INPUTS:
                continue  # an index of 16 bits, say, that wraps where no smaller input shows it
            if not example.certain:
                continue  # the data decide whether it happens, and the example names none
            _check(refusal, example, left.replay(example))
            seen[refusal.reason] += 1

    for_each(RUN_AT_SIZES, check, examples=PROGRAMS, seed=shard)
    assert seen[Reason.READS_INITIAL_CONTENTS] > 0, seen
    assert seen.total() >= programs_seen // 8, seen


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("block", [1, 3])
def test_uneven_tiles_are_written_from_where_they_say(block: int, strategy: Strategy) -> None:
    module = _ends_with_its_first(block, ahead=block)
    (refusal,) = fused(module, Options(strategy))[1].refusals
    example = refusal.counterexample
    assert isinstance(example, UnevenTiles)
    spans = set[int]()
    for share in example.shares:
        source = np.zeros(share.sizes["length of '@source'"], np.int8)
        touches = _Touches()
        interpret(module, {"source": source}, observer=touches)
        first, last = share.elements
        tile = range(first, last + 1)
        writers = set[int]().union(*(touches.writers["handoff", 0, each] for each in tile))
        assert (min(writers), max(writers)) == share.invocations
        spans.add(share.invocations[1] - share.invocations[0])
    assert len(spans) == 2


def test_a_tile_whose_one_writer_is_elsewhere_is_not_told_as_of_many() -> None:
    module = _ends_with_its_first(3, ahead=1)
    (refusal,) = fused(module, Options("private"))[1].refusals
    assert refusal.counterexample is None
    assert refusal.detail.endswith("do not move along with the tiles")


def _ends_with_its_first(block: int, *, ahead: int) -> ModuleOp:
    """
    Invocations write `block` elements each; the first writes the one after the last, too. They are
    read from the first of each block on, and `ahead` of it.
    """
    with program("ends", workgroup_size=[4]) as p:
        source = p.buffer("source", i8, access=Access.READ_ONLY)
        length = source.length
        handoff = p.buffer("handoff", i8, length * block + 1, initial=Initial.UNDEFINED)
        out = p.buffer("out", i8, length, live_out=True)
        with p.arm("produce", length) as i:
            for k in range(block):
                handoff[i * block + k] = source[i]
            with if_(i.eq(0)):
                handoff[length * block] = 7
        with p.arm("consume", length) as i:
            out[i] = handoff[i * block + ahead] + handoff[i * block]
    return p.module
