"""However early isl gives up, a program comes out fused, or as it went in with a refusal."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i32

import vyre_dialect.passes.analysis.access_relations as access_relations
from vyre_dialect.builder import program
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import Outcome, fuse_program
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy
from vyre_dialect.passes.fusion.tiling.refusal import Reason
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.types import Access


def _overlapping() -> ModuleOp:
    """Two arms, the second of which reads beyond what one of its tiles takes in."""
    with program("overlapping") as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        n = source.length
        pairs = p.buffer("pairs", i32, n * 2)
        sums = p.buffer("sums", i32, n, live_out=True)
        with p.arm("produce", n) as i:
            pairs[i * 2] = source[i]
            pairs[i * 2 + 1] = source[i] + 1
        with p.arm("consume", n) as i:
            sums[i] = pairs[i * 2] + pairs[i * 2 + 3]
    return p.module


def _in_one_arm() -> ModuleOp:
    """One arm that keeps what it reads again."""
    with program("in_one_arm") as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        n = source.length
        kept = p.buffer("kept", i32, n)
        sums = p.buffer("sums", i32, n, live_out=True)
        with p.arm("both", n) as i:
            kept[i] = source[i] + 1
            sums[i] = kept[i] + kept[i]
    return p.module


def _fused(module: ModuleOp, options: Options) -> tuple[ModuleOp, Outcome]:
    copy = module.clone()
    op = copy.body.block.first_op
    assert isinstance(op, ProgramOp)
    outcome = fuse_program(op, options)
    copy.verify()
    return copy, outcome


@pytest.mark.parametrize("strategy", ["workgroup", "private"])
@pytest.mark.parametrize(
    ("module", "handoff"),
    [(_overlapping(), "pairs"), (_in_one_arm(), "kept")],
    ids=["two arms", "one arm"],
)
def test_fused_or_unchanged(
    module: ModuleOp, handoff: str, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = {"source": np.arange(333, dtype=np.int32)}
    expected = interpret(module, source).outputs["sums"]
    seen = set[bool]()
    for operations in (*range(1, 400, 37), *range(400, 20000, 397), 10**7):
        monkeypatch.setattr(access_relations, "MAX_OPERATIONS", operations)
        fused, outcome = _fused(module, Options(strategy=strategy))
        is_fused = handoff in outcome.promoted
        seen.add(is_fused)
        if is_fused:
            np.testing.assert_array_equal(interpret(fused, source).outputs["sums"], expected)
            continue
        assert str(fused) == str(module)
        refusals = {each.handoff.sym_name.data: each for each in outcome.refusals}
        assert refusals[handoff].reason == Reason.GAVE_UP
        assert refusals[handoff].detail.startswith("isl gave up")
    assert seen == {False, True}


def test_an_error_of_the_planner_itself_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr("vyre_dialect.passes.fusion.tiling.plan.uncovered", broken)
    with pytest.raises(TypeError, match="a bug"):
        _fused(_overlapping(), Options())
