"""Generated programs on shards that run apart, merged in any tree, come to the same as on all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from support.generated.drawing import for_each
from support.generated.streamed import Streamed, streamed

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.runtime.distributed.contents import contents_of
from vyre_dialect.runtime.distributed.held_programs import HeldPrograms
from vyre_dialect.runtime.distributed.parts import Part, Trapped, merged
from vyre_dialect.runtime.distributed.shards import ShardPlan, run_shard
from vyre_dialect.runtime.errors import RefusedStreamError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.program.compilation import make_context
from vyre_dialect.runtime.streams.pieces import Pieces

CONTEXT = make_context()


def planned(sample: Streamed) -> tuple[Pieces, ShardPlan] | None:
    try:
        pieces = Pieces(sample.module, CONTEXT)
        types = pieces.inputs.types
        contents = {
            name: contents_of(name, types[name], each) for name, each in sample.inputs.items()
        }
        return pieces, ShardPlan(pieces, contents)
    except RefusedStreamError:
        return None


def on_shards(sample: Streamed, pieces: Pieces, plan: ShardPlan, seen: Counter[str]) -> Part | None:
    """What all shards come to, run from the last to the first; None where one traps."""
    cutting, elements = pieces.cutting, len(sample.inputs["text"])
    cuts = [elements // cutting.unit * each // 1000 for each in sample.cuts]
    windows = list(cutting.windows(elements, cuts))
    seen["cut" if len(windows) > 1 else "whole"] += 1
    program, shards = plan.program(windows), list(plan.shards(windows))
    programs = HeldPrograms("reference")
    waits = plan.needs_all_others and len(shards) > 1
    seen["waits"] += waits
    at_once = shards[:-1] if waits else shards
    parts = [run_shard(program, shard, programs) for shard in reversed(at_once)][::-1]
    whole = in_some_tree(program.kept, parts, sample.seed)
    if waits and isinstance(whole, Part):
        whole = merged({}, whole, run_shard(program, shards[-1], programs, whole))
    return whole if isinstance(whole, Part) else None


def in_some_tree(
    kept: Mapping[str, AtomicKind], parts: list[Part | Trapped], seed: int
) -> Part | Trapped:
    random = np.random.default_rng(seed)
    while len(parts) > 1:
        at = int(random.integers(len(parts) - 1))
        parts[at : at + 2] = [merged(kept, parts[at], parts[at + 1])]
    return parts[0]


def whole(sample: Streamed) -> dict[str, Array] | None:
    try:
        return dict(interpret(sample.module, sample.inputs).outputs)
    except TrapError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("examples", "equal"), [(24, 3), pytest.param(250, 45, marks=pytest.mark.slow)]
)
def test_shards_apart_give_the_same_as_all_at_once(examples: int, equal: int) -> None:
    seen = Counter[str]()

    def check(sample: Streamed) -> None:
        if (found := planned(sample)) is None:
            seen["refused"] += 1
            return
        expected, got = whole(sample), on_shards(sample, *found, seen)
        if expected is None or got is None:
            seen["trap"] += 1
            assert got is expected, "both trap"
            return
        outputs = {**got.others, **got.joined, **got.kept}
        for name, array in expected.items():
            np.testing.assert_array_equal(outputs[name], array)

    for_each(streamed(), check, examples=examples)
    assert seen["cut"] - seen["trap"] >= equal, seen
    assert seen["refused"] >= equal // 20, seen
