"""Which locations are told apart, in kernels too; what is not proven in time may be the same."""

from __future__ import annotations

import pytest
from support.schedules import CONTEXT

from vyre_dialect.analysis import alias_analysis, bounded_effort
from vyre_dialect.analysis.alias_analysis import AliasAnalysis, MemoryLocation
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.memory import StoreOp
from vyre_dialect.runtime.program.compilation import parse_module

KERNEL = """
vyre.kernel @k(%out: !vyre.buffer<?xi32, read_write>, %n: index)
    workgroup_size [64] generator "k" {{
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %6 = arith.constant 6 : index
  %8 = arith.constant 8 : index
  %x = arith.constant 7 : i32
  %i = vyre.invocation_id x
  {body}
}}
"""
BY_ISL = """
  %even = arith.andi %i, %6 : index
  %odd = arith.addi %even, %3 : index
  vyre.store %x, %out[%8] : i32, !vyre.buffer<?xi32, read_write>
  vyre.store %x, %out[%odd] : i32, !vyre.buffer<?xi32, read_write>
"""
TWICE = """
  %sum = arith.addi %i, %n : index
  %again = arith.addi %n, %i : index
  vyre.store %x, %out[%sum] : i32, !vyre.buffer<?xi32, read_write>
  vyre.store %x, %out[%again] : i32, !vyre.buffer<?xi32, read_write>
"""
BEHIND = """
  %past = arith.addi %n, %1 : index
  %end = arith.addi %i, {most} : index
  vyre.store %x, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  vyre.store %x, %out[%end] : i32, !vyre.buffer<?xi32, read_write>
"""


def stored(body: str) -> tuple[AliasAnalysis, MemoryLocation, MemoryLocation]:
    """The comparison of the two locations that a kernel stores to."""
    module = parse_module(KERNEL.format(body=body), CONTEXT)
    kernel = next(op for op in module.ops if isinstance(op, KernelOp))
    first, second = (MemoryLocation.of(op) for op in kernel.walk() if isinstance(op, StoreOp))
    return AliasAnalysis.of(kernel, AnalysisManager()), first, second


def test_isl_tells_locations_of_a_kernel_apart() -> None:
    comparison, first, second = stored(BY_ISL)
    assert not comparison.may_alias(first, second)


def test_without_questions_left_locations_may_alias(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alias_analysis, "MOST_QUESTIONS", 0)
    comparison, first, second = stored(BY_ISL)
    assert comparison.may_alias(first, second)


def test_what_was_asked_once_costs_another_run_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alias_analysis, "MOST_QUESTIONS", 1)
    module = parse_module(KERNEL.format(body=BY_ISL), CONTEXT)
    kernel = next(op for op in module.ops if isinstance(op, KernelOp))
    first, second = (MemoryLocation.of(op) for op in kernel.walk() if isinstance(op, StoreOp))
    facts = AnalysisManager()
    spent = AliasAnalysis.of(kernel, facts)
    assert not spent.may_alias(first, second)
    assert spent.may_alias(second, first)
    assert not AliasAnalysis.of(kernel, facts).may_alias(second, first)


def test_where_isl_gives_up_places_may_alias(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_effort, "MAX_OPERATIONS", 1)
    comparison, first, second = stored(BY_ISL)
    assert comparison.may_alias(first, second)
    assert not comparison.covers(first, second)


def test_a_length_may_be_nothing() -> None:
    comparison, first, second = stored(BEHIND.format(most="%n"))
    assert comparison.may_alias(first, second)
    comparison, first, second = stored(BEHIND.format(most="%past"))
    assert not comparison.may_alias(first, second)


def test_locations_with_equal_indices_of_two_values_cover_each_other() -> None:
    comparison, first, second = stored(TWICE)
    assert first.base is not second.base
    assert comparison.covers(first, second)
    assert comparison.covers(second, first)


SAME_BASE = """
  %next = arith.addi %i, %1 : index
  %pair = arith.constant dense<7> : vector<2xi32>
  vyre.store %pair, %out[%i] : vector<2xi32>, !vyre.buffer<?xi32, read_write>
  vyre.store {value}, %out[{at}] : {type}, !vyre.buffer<?xi32, read_write>
"""


@pytest.mark.parametrize("at", ["%i", "%next"])
def test_a_location_covers_each_part_of_it_from_its_first_to_its_last(at: str) -> None:
    comparison, pair, part = stored(SAME_BASE.format(value="%x", type="i32", at=at))
    assert comparison.covers(pair, part)
    assert not comparison.covers(part, pair)


def test_a_location_does_not_cover_what_reaches_beyond_it() -> None:
    body = SAME_BASE.format(value="%pair", type="vector<2xi32>", at="%next")
    comparison, first, second = stored(body)
    assert comparison.may_alias(first, second)
    assert not comparison.covers(first, second)
    assert not comparison.covers(second, first)
