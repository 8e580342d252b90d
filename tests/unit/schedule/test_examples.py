"""The standard schedule on the examples: it settles, and its output is a function of its input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from functools import cache

import pytest
import support.optimized_examples as elsewhere
from support.optimized_examples import DEVICES, NAMES, OptimizedExample
from support.tiers import crossed
from xdsl.dialects import scf
from xdsl.ir import Operation

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.memory import AtomicRMWOp

_optimized = cache(OptimizedExample)

each_kind = pytest.mark.parametrize("kind", DEVICES)


def _start(kind: str) -> subprocess.Popen[str]:
    """A process with other hashes that compiles the examples, too, in another order."""
    environment = os.environ | {"PYTHONHASHSEED": "12345", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(elsewhere.__file__), kind]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.mark.slow
@each_kind
def test_output_and_report_are_the_same_in_every_process(kind: str) -> None:
    with _start(kind) as process:
        here = {name: asdict(_optimized(name, kind).made) for name in NAMES}
        printed, _ = process.communicate()
    assert process.returncode == 0
    there = json.loads(printed)
    parts = [(name, part) for name in NAMES for part in here[name]]
    assert [(name, part) for name, part in parts if there[name][part] != here[name][part]] == []


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("kind", "name"), crossed(DEVICES, NAMES))
def test_what_is_optimized_stays(kind: str, name: str) -> None:
    example = _optimized(name, kind)
    again = example.again()
    assert [run.name for run in again.report.runs if run.changed] == []
    assert str(example.module) == example.made.module


@pytest.mark.slow
def test_counters_have_copies_beside_a_tile_in_a_cache() -> None:
    module = _optimized("base64_patterns", "cpu").module
    updates = [op for op in module.walk() if isinstance(op, AtomicRMWOp)]
    counted = [op for op in updates if op.kind.data is AtomicKind.ADDI]
    assert counted
    assert [op for op in counted if _loops_around(op) > 1] == []


def _loops_around(op: Operation) -> int:
    parent = op.parent_op()
    return 0 if parent is None else isinstance(parent, scf.ForOp) + _loops_around(parent)
