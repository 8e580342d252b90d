"""Every counterexample, replayed by the interpreter, shows the dependence that it names."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pytest
from support.fusion import fused, random_options
from support.pairs import Case
from support.random_pairs import random_program
from xdsl.ir import Operation

from vyre_dialect.passes.fusion.refusal import Counterexample, Reason, Refusal
from vyre_dialect.runtime.interpreter import Access, AccessKind, interpret

PROGRAMS = 400
SHARDS = 8
MOST_INPUTS = 4096


class _Touches:
    """Who touches which element of which buffer, by arm."""

    def __init__(self) -> None:
        self.readers: dict[tuple[str, int, int], set[int]] = defaultdict(set)
        self.writers: dict[tuple[str, int, int], set[int]] = defaultdict(set)
        self.arms: list[Operation] = []

    def begin_arm(self, arm: int, op: Operation) -> None:
        assert arm == len(self.arms)
        self.arms.append(op)

    def access(self, access: Access) -> None:
        kinds = [self.readers] if access.kind == AccessKind.READ else [self.writers]
        if access.kind == AccessKind.ATOMIC:
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


def _sized(case: Case, example: Counterexample) -> Case | None:
    """The case with the sizes that the example names; None where they are too large to run."""
    if not example.sizes:
        return case
    assert set(example.sizes) == {"length of '@text'"}
    n = example.sizes["length of '@text'"]
    return case.at(n) if n <= MOST_INPUTS else None


def _replay(case: Case) -> _Touches:
    touches = _Touches()
    interpret(case.module(), case.inputs(), observer=touches)
    return touches


def _generators(op: Operation) -> list[str]:
    generator = op.properties["generator"]
    return str(generator).strip('"').split("+")


def _arms(case: Case, names: list[str]) -> list[int]:
    return [place for place, arm in enumerate(case.arms) if arm.name in names]


def _check(case: Case, refusal: Refusal, example: Counterexample) -> None:
    touches = _replay(case)
    assert refusal.consumer is not None
    assert refusal.producer is not None
    readers = _arms(case, _generators(refusal.consumer))
    assert any(example.reader in touches.touch(example, arm) for arm in readers)
    if example.writer is None:
        assert not touches.anybody_writes(example)
        return
    others = [arm for arm in range(len(case.arms)) if arm != readers[-1]]
    assert any(example.writer in touches.touch(example, arm) for arm in others)
    assert touches.anybody_writes(example)
    # Without a workgroup, the reader's tile is its own.
    own = example.reader if example.reader_tile is None else example.reader_tile
    assert own != example.writer_tile


@pytest.mark.parametrize("shard", range(SHARDS))
def test_counterexamples_are_what_happens(shard: int) -> None:
    seen = Counter[str]()
    for seed in range(shard, PROGRAMS, SHARDS):
        random = Random(seed)
        case, options = random_program(random), random_options(random)
        _, outcome = fused(case.module(), options)
        if outcome.promoted:
            continue  # Arms that are fused by then have other invocations.
        for refusal in outcome.refusals:
            example = refusal.counterexample
            if example is None:
                continue
            sized = _sized(case, example)
            assert sized is not None, f"seed {seed}: {refusal}"
            try:
                _check(sized, refusal, example)
            except AssertionError as error:
                error.add_note(f"seed {seed}: {refusal}")
                raise
            seen[refusal.reason] += 1
    assert seen[Reason.READS_INITIAL_CONTENTS] > 0
    assert seen.total() >= PROGRAMS // SHARDS // 4
