"""What is known of a program as a whole, and that finding out is linear."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.counting import function_calls
from support.schedules import CONTEXT
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.analysis.program_facts import (
    NUMBERS,
    ORDERS,
    READS,
    UPDATES,
    WRITES,
    ProgramFacts,
)
from vyre_dialect.runtime.program.compilation import apply_pipeline, parse_module

EVERYTHING = """
vyre.program @p workgroup_size [4] {
  %in = vyre.buffer @in : !vyre.buffer<16xi32, read_only>
  %mid = vyre.buffer @mid initial undefined : !vyre.buffer<16xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xf64, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, workgroup>
  vyre.region "a" invocations [16] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %x = vyre.load %in[%i] in_bounds true : !vyre.buffer<16xi32, read_only> -> i32
    vyre.store %x, %tile[%l] : i32, !vyre.buffer<4xi32, read_write, workgroup>
    vyre.barrier
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %5 = arith.constant 5 : index
    scf.for %k = %0 to %5 step %1 {
      %y = arith.divsi %x, %x : i32
      vyre.store %y, %mid[%i] : i32, !vyre.buffer<16xi32, read_write>
    }
  }
  vyre.region "b" invocations [16] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %x = vyre.load %mid[%i] : !vyre.buffer<16xi32, read_write> -> i32
    %w = arith.extui %x : i32 to i64
    %old = vyre.atomic_rmw addi %w, %sum[%0] : i64, !vyre.buffer<1xi64, read_write>
    %d = arith.uitofp %w : i64 to f64
    vyre.store %d, %out[%i] : f64, !vyre.buffer<?xf64, read_write>
  }
}
"""


def facts_of(text: str) -> ProgramFacts:
    return ProgramFacts.of(parse_module(text.replace("in_bounds true", "in_bounds"), CONTEXT))


def test_every_fact_of_a_program() -> None:
    facts = facts_of(EVERYTHING)
    sizes = replace(facts, ir_heap_allocations=0, ir_heap_bytes=0)
    assert sizes == ProgramFacts(
        nodes=26,
        top_level_regions=2,
        instruction_count=14,
        memory_op_count=5,
        atomic_op_count=1,
        control_flow_count=1,
        barrier_count=1,
        static_storage_bytes=64 + 64 + 8 + 16,
        peak_bytes=64 + 8 + 8 * 65536,
        register_pressure=facts.register_pressure,
        work=facts.work,
        effect_bits=READS | WRITES | UPDATES | ORDERS,
        shape_predicate_violations=5,
        capabilities=frozenset({"fp64", "int64_atomics"}),
    )
    assert facts.ir_heap_allocations > facts.nodes
    assert facts.ir_heap_bytes > facts.ir_heap_allocations


def test_work_counts_how_often_a_loop_runs() -> None:
    five = facts_of(EVERYTHING)
    ten = facts_of(EVERYTHING.replace("constant 5", "constant 10"))
    unknown = facts_of(EVERYTHING.replace("to %5 step", "to %i step"))
    iteration = 20 + 4  # a division and a store
    assert ten.work - five.work == 5 * iteration
    assert unknown.work - five.work == 3 * iteration
    assert (five.assumed_trip_counts, unknown.assumed_trip_counts) == (0, 1)


def test_pressure_is_of_values_that_live_at_once() -> None:
    chain = "\n".join(f"%v{k + 1} = arith.addi %v{k}, %v{k} : i32" for k in range(20))
    many = "\n".join(f"%v{k + 1} = arith.addi %v0, %v0 : i32" for k in range(20))
    used = "\n".join(f"%u{k + 1} = arith.addi %u{k}, %v{k + 1} : i32" for k in range(20))
    load = "%i = arith.constant 0 : index\n"
    load += "%v0 = vyre.load %b[%i] : !vyre.buffer<1xi32, read_write> -> i32\n"
    template = "vyre.program @p {{ %b = vyre.buffer @b : !vyre.buffer<1xi32, read_write>\n"
    template += 'vyre.region "r" invocations [1] {{ {load} {body}\n'
    template += "vyre.store %{last}, %b[%i] : i32, !vyre.buffer<1xi32, read_write> }} }}"
    many += f"\n%u0 = arith.addi %v0, %v0 : i32\n{used}"
    low = facts_of(template.format(load=load, body=chain, last="v20"))
    high = facts_of(template.format(load=load, body=many, last="u20"))
    assert low.register_pressure == 2
    assert high.register_pressure == 22


def test_kernels_count_like_arms() -> None:
    module = parse_module(EVERYTHING.replace("in_bounds true", "in_bounds"), CONTEXT)
    arms = ProgramFacts.of(module)
    apply_pipeline(module, "vyre-outline-kernels", CONTEXT)
    kernels = ProgramFacts.of(module)
    for name in ("top_level_regions", "memory_op_count", "atomic_op_count", "barrier_count"):
        assert kernels.count(name) == arms.count(name), name
    assert kernels.capabilities == arms.capabilities


def test_an_empty_module_and_names_of_facts() -> None:
    assert ProgramFacts.of(ModuleOp([])) == ProgramFacts()
    assert {ProgramFacts().count(name) for name in NUMBERS} == {0}
    for name in ("capabilities", "no_such"):
        with pytest.raises(KeyError):
            ProgramFacts().count(name)


def long_arm(ops: int, depth: int = 0) -> ModuleOp:
    """An arm of so many additions, or of so many conditions around one another."""
    body = "\n".join(f"%v{k + 1} = arith.addi %v{k}, %v{k} : i32" for k in range(ops))
    inner = "scf.if %c {" * depth + "}" * depth
    return parse_module(
        f'vyre.program @p {{ vyre.region "r" invocations [1] {{ %c = arith.constant true\n'
        f"%v0 = arith.constant 1 : i32\n{body}\n{inner} }} }}",
        CONTEXT,
    )


def test_finding_out_is_linear() -> None:
    small, large = long_arm(200), long_arm(2000)
    for module in (small, large):
        ProgramFacts.of(module)  # what is found out once of a class of ops
    few = function_calls(lambda: ProgramFacts.of(small))
    many = function_calls(lambda: ProgramFacts.of(large))
    assert many < 11 * few


def test_deep_nesting_is_no_recursion() -> None:
    assert ProgramFacts.of(long_arm(0, depth=60)).control_flow_count == 60
