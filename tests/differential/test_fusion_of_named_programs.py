"""Programs that fusion once refused, or changed: what they hand on, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from support.example_data import encoded_text, matching_text
from support.fusion import fused, require_equal
from xdsl.dialects.builtin import ModuleOp

from examples.encodings import Array, as_bytes
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.fusion.tiling.outcome import Outcome
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter import (
    Observers,
    RaceChecker,
    UndefinedReadChecker,
    interpret,
)
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, make_context

FOLDER = Path(__file__).parent / "fusion"
WIDE = 'vyre-expand{defaults="lanes=16","places=64"}'
"""As for CPUs."""
SIZES = (0, 1, 7, 9, 130, 1025)
"""Bytes at the end of a chain, or of the input where nothing is decoded."""
MASKED = frozenset({"window_by_ids"})
"""Programs whose tiles have words partly beyond the buffer: that is masked once they are read."""


@dataclass(frozen=True)
class Named:
    """A program as it stands in its file, as arms, and fused."""

    written: ModuleOp
    before: ModuleOp
    after: ModuleOp
    outcome: Outcome


@cache
def load(name: str) -> Named:
    """The program of a file, fused once for all tests."""
    context = make_context()
    written = load_module(FOLDER / f"{name}.mlir", context)
    before = written.clone()
    apply_pipeline(before, "vyre-expand", context)
    return Named(written, before, *fused(before, Options()))


def inputs(module: ModuleOp, size: int) -> dict[str, Array]:
    """What the program decodes to `size` bytes, or so many bytes where it decodes nothing."""
    text = matching_text(size, seed=size)
    if any(isinstance(op, DecodeOp) for op in module.walk()):
        return {"b0": encoded_text(module, text)}
    return {"src": as_bytes(text)}


@pytest.mark.parametrize(
    ("name", "handoffs"),
    [
        ("base64_twice_literals", {"b1", "b2"}),
        ("chain_of_four_decoders", {"b1", "b2", "b3", "w"}),
        ("hex_base64_literal", {"b1", "b2"}),
        ("hex_delta_filter", {"b1", "w"}),
        ("hex_padded_base64_literal", {"b1", "b2"}),
        ("hex_xor_base64_literal", {"b1", "b2", "b3"}),
        ("xor_base64_literal", {"b1", "b2"}),
        ("xor_delta_filter", {"b1", "w"}),
        ("xor_hex_literals", {"b1", "b2"}),
        ("clamp_to_last", {"h"}),
        ("clamp_to_first", {"h"}),
        ("store_in_both_branches", {"h"}),
        ("window_by_ids", {"h"}),
        ("clamped_window", {"h"}),
        ("rows_by_ids", {"h"}),
    ],
)
def test_the_handoffs_fuse(name: str, handoffs: set[str]) -> None:
    outcome = load(name).outcome
    assert set(outcome.promoted) == handoffs, list(map(str, outcome.refusals))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name", ["hex_base64_literal", "hex_padded_base64_literal", "xor_base64_literal"]
)
def test_every_decoder_of_a_chain_slides_as_it_would_alone(name: str) -> None:
    module = load(name).written.clone()
    apply_pipeline(module, WIDE, make_context())
    _, outcome = fused(module, Options(local_memory="global", steps=64))
    assert outcome.promoted.keys() == {"b1", "b2"}
    assert not outcome.recomputed


def test_no_proof_of_a_chain_takes_too_long() -> None:
    outcome = load("chain_of_four_decoders").outcome
    assert not any("isl" in refusal.detail for refusal in outcome.refusals)


@pytest.mark.one_in(15)
@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.mlir")))
def test_results_are_those_of_the_unfused_program(name: str) -> None:
    program = load(name)
    for size in SIZES if name != "incomplete_workgroup" else (0, 8, 64):
        given = inputs(program.written, size)
        races, undefined = RaceChecker(), UndefinedReadChecker()
        expected = interpret(program.before, given).outputs
        got = interpret(program.after, given, observer=Observers(races, undefined)).outputs
        races.verify()
        if name not in MASKED:
            undefined.verify()
        require_equal(got, expected)
        assert any(output.any() for output in expected.values()) or size < 1000


def test_an_incomplete_workgroup_stays_an_error() -> None:
    program = load("incomplete_workgroup")
    given = inputs(program.written, 13)
    with pytest.raises(VyreError, match="workgroup") as before:
        interpret(program.before, given)
    with pytest.raises(VyreError) as after:
        interpret(program.after, given)
    assert str(after.value) == str(before.value)
