"""The programs by which passes are shown to do what they do mean the same before and after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.fusion import require_same_meaning
from support.schedules import CONTEXT
from xdsl.dialects.builtin import IntegerType, ModuleOp

from vyre_dialect.ir.types import Initial
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.program.compilation import apply_pipeline, parse_module

FILES = Path(__file__).parents[1] / "filecheck" / "passes"
PIPELINES = {
    **{
        name: f"vyre-{name.replace('_', '-')}"
        for name in (
            *("drop_dead_arms", "forward_stores", "hoist_loads", "optimize_integers"),
            *("simplify_comparisons", "tighten_bounds", "transpose_handoffs", "flatten_domains"),
        )
    },
    "fuse_horizontally/readers": "vyre-fuse-horizontally",
    "fuse_horizontally/small": "vyre-fuse-horizontally{small=65536}",
}
"""What each file, or folder of files, shows."""
UNSIZED = 8
"""Elements that a run-time sized input gets."""


def inputs_of(module: ModuleOp) -> dict[str, Array]:
    """Small numbers for every buffer that the host supplies: what wraps needs a test of its own."""
    inputs = dict[str, Array]()
    random = np.random.default_rng(3)
    for op in module.walk():
        if not isinstance(op, BufferOp) or op.initial_contents != Initial.HOST:
            continue
        if not op.type.readable or op.fill is not None:
            continue
        element = op.type.element_type
        assert isinstance(element, IntegerType)
        count = UNSIZED if op.type.static_count is None else op.type.static_count
        numbers = random.integers(0, 9, count)
        inputs[op.sym_name.data] = numbers.astype(f"uint{element.width.data}")
    return inputs


def programs() -> Iterator[tuple[str, str]]:
    for name in PIPELINES:
        path = FILES / name
        files = [path.with_suffix(".mlir")] if not path.is_dir() else sorted(path.glob("*.mlir"))
        parts = (part for file in files for part in file.read_text().split("// -----"))
        yield from ((name, part) for part in parts if "vyre.region" in part)


@pytest.mark.parametrize(("name", "text"), list(programs()), ids=lambda text: text.split()[0])
def test_a_pass_changes_no_meaning(name: str, text: str) -> None:
    before = parse_module(text, CONTEXT)
    after = before.clone()
    apply_pipeline(after, PIPELINES[name], CONTEXT)
    require_same_meaning(before, after, inputs_of(before))


@pytest.mark.slow
def test_most_of_these_programs_have_a_meaning() -> None:
    modules = [parse_module(text, CONTEXT) for _, text in programs()]
    meanings = [require_same_meaning(each, each, inputs_of(each)) for each in modules]
    assert sum(each is not None for each in meanings) > len(meanings) / 2
