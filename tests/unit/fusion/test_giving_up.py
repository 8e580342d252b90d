"""However early isl gives up, a program comes out fused, or as it went in with a refusal."""

from __future__ import annotations

import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from support.fusion import program_of
from support.tiers import first_quick
from xdsl.dialects.builtin import ModuleOp, i32

import vyre_dialect.analysis.bounded_effort as bounded_effort
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy
from vyre_dialect.passes.fusion.tiling.outcome import Outcome
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.runtime.interpreter import interpret


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


def _shuffled() -> ModuleOp:
    """Groups of four, mirrored at offsets that wrap: isl would need a quantifier's elimination."""
    with program("shuffled") as p:
        source = p.buffer("source", i32, access=Access.READ_ONLY)
        n = source.length
        mixed = p.buffer("mixed", i32, n)
        sums = p.buffer("sums", i32, n, live_out=True)
        with p.arm("shuffle", n) as i:
            mirrored = i // 4 * 4 + 3 - i % 4
            for offset in (65533, 65534, 65535):
                mixed[(mirrored * 3 + offset) & 0xFFFF] = source[i]
        with p.arm("read", n) as i:
            sums[i] = mixed[i]
    return p.module


def _fused(module: ModuleOp, options: Options) -> tuple[ModuleOp, Outcome]:
    copy = module.clone()
    op = copy.body.block.first_op
    assert isinstance(op, ProgramOp)
    outcome = fuse_program(op, options)
    copy.verify()
    return copy, outcome


@pytest.mark.one_in(4)
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
        monkeypatch.setattr(bounded_effort, "MAX_OPERATIONS", operations)
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

    monkeypatch.setattr("vyre_dialect.passes.fusion.tiling.request.uncovered", broken)
    with pytest.raises(TypeError, match="a bug"):
        _fused(_overlapping(), Options())


def _spent(analysis: ProgramAnalysis) -> None:
    """Spend all that isl may, and take no notice of its saying so."""
    with suppress(isl.Error):
        isl.Set.read_from_str(analysis.context, "{ [i] : exists a : i = 3 a and 0 <= i < 9 }")


def test_what_isl_left_undone_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_effort, "MAX_OPERATIONS", 1)
    analysis = AnalysisManager().get(ProgramAnalysis, program_of(_overlapping()))
    answer = analysis.ask(lambda: _spent(analysis))
    assert isinstance(answer, Refusal)
    assert answer.reason == Reason.GAVE_UP
    assert "maximal number of operations exceeded" in answer.detail


def test_a_number_that_isl_cannot_print_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def unprinted() -> None:
        _spent(analysis)
        raise TypeError("int() argument must be a string")

    monkeypatch.setattr(bounded_effort, "MAX_OPERATIONS", 1)
    analysis = AnalysisManager().get(ProgramAnalysis, program_of(_overlapping()))
    answer = analysis.ask(unprinted)
    assert isinstance(answer, Refusal)
    assert answer.reason == Reason.GAVE_UP


@pytest.mark.slow
@pytest.mark.parametrize("strategy", first_quick(["workgroup", "private"]))
def test_a_question_beyond_isl_takes_little_memory(strategy: Strategy) -> None:
    fuse = f"vyre-decode-scan-fuse{{strategy={strategy} annotate=true}}"
    done = subprocess.run(
        [Path(sys.executable).with_name("xdsl-opt"), "-p", fuse],
        input=str(_shuffled()),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        preexec_fn=_limit_memory,
    )
    assert done.returncode == 0, done.stderr
    assert "gave-up" in done.stdout
    assert "maximal number of operations exceeded" in done.stdout


def _limit_memory() -> None:
    """So that a regression fails before it takes the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
