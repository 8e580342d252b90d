"""
What is said to be the same is never seen to differ: every value that generated arms and kernels
compute is looked at as the reference interpreter runs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from support.generated.bound_program import BoundProgram
from support.generated.cooperative_arms import cooperative_arms
from support.generated.drawing import Draws, for_each
from support.generated.programs import Sample, programs
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.divergence import Divergence, DivergenceAnalysis, Scope
from vyre_dialect.ir.interfaces import HasInvocationsInterface, arm_of
from vyre_dialect.ir.types import BufferType, TokenType
from vyre_dialect.runtime.interpreter import Interpreter
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.batch import (
    LINEAR_INVOCATION,
    LINEAR_WORKGROUP,
    LOCAL_POSITION,
)
from vyre_dialect.runtime.interpreter.formats import spread
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame, Step
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context, parse_module

CONTEXT = make_context()
PROGRAMS = 48
COOPERATIVE = 40
SUBGROUPS = """
vyre.program @p workgroup_size [16] {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] subgroup_size 4 {
    %i = vyre.invocation_id x
    %lane = vyre.subgroup_lane
    %number = vyre.subgroup_id
    %group = vyre.workgroup_id x
    %word = arith.index_cast %i : index to i32
    %sum = vyre.subgroup_reduce addi %word : i32
    %lanes = arith.index_cast %lane : index to i32
    %most = vyre.subgroup_reduce maxu %lanes : i32
    %other = vyre.subgroup_shuffle %word, %lane : i32
    %first = vyre.subgroup_shuffle %word, %number : i32
    %c3 = arith.constant 3 : index
    %mixed = arith.muli %group, %c3 : index
    %all = arith.addi %sum, %most : i32
    vyre.store %all, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
"""
PATHS = """
vyre.program @p workgroup_size [4] {
  %out = vyre.buffer @out live_out : !vyre.buffer<8xi64, read_write>
  vyre.region "arm" invocations [8] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %g = vyre.workgroup_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %leader = arith.cmpi eq, %l, %c0 : index
    %first = arith.cmpi eq, %g, %c0 : index
    %a = scf.if %leader -> (index) { scf.yield %c0 : index } else { scf.yield %c1 : index }
    %b = scf.if %first -> (index) { scf.yield %c0 : index } else { scf.yield %c1 : index }
    %c = scf.index_switch %l -> index
    case 0 { scf.yield %c0 : index }
    default { scf.yield %c1 : index }
    %d = scf.for %j = %c0 to %l step %c1 iter_args(%p = %c0) -> (index) {
      %next = arith.addi %p, %c1 : index
      scf.yield %next : index
    }
    %e = scf.while (%p = %c0) : (index) -> (index) {
      %go = arith.cmpi slt, %p, %i : index
      scf.condition(%go) %p : index
    } do {
    ^bb0(%r : index):
      %next = arith.addi %r, %c1 : index
      scf.yield %next : index
    }
    %ab = arith.addi %a, %b : index
    %cd = arith.addi %c, %d : index
    %abcd = arith.addi %ab, %cd : index
    %all = arith.addi %abcd, %e : index
    %word = arith.index_cast %all : index to i64
    vyre.store %word, %out[%i] : i64, !vyre.buffer<8xi64, read_write>
  }
}
"""


@dataclass
class Witness:
    """Compares what is computed with what was said of it."""

    analyses: dict[HasInvocationsInterface, DivergenceAnalysis] = field(default_factory=dict)
    seen: dict[tuple[SSAValue, int], object] = field(default_factory=dict)
    """What an invocation has computed before."""
    counts: Counter[str] = field(default_factory=Counter[str])

    def look(
        self, arm: HasInvocationsInterface, values: Mapping[SSAValue, int], frame: Frame
    ) -> None:
        """Look at values, of which the keys are given, of the invocations that run together."""
        analysis = self.analyses.setdefault(arm, DivergenceAnalysis(arm))
        for value, key in values.items():
            self._check(analysis.of(value), value, spread(frame.get(key), frame.size), arm, frame)

    def _check(
        self,
        said: Divergence,
        value: SSAValue,
        array: Array,
        arm: HasInvocationsInterface,
        frame: Frame,
    ) -> None:
        self.counts[said.scope.name] += 1
        groups = self._groups(said.scope, arm, frame)
        for group in np.unique(groups):
            members = array[groups == group]
            assert _bits(members).count(_bits(members)[0]) == len(members), (said, value)
        if said.is_invariant:
            self.counts["invariant"] += 1
            ids = spread(frame.get(LINEAR_INVOCATION), frame.size)
            for invocation, bits in zip(ids.tolist(), _bits(array), strict=True):
                assert self.seen.setdefault((value, invocation), bits) == bits, (said, value)

    def _groups(self, scope: Scope, arm: HasInvocationsInterface, frame: Frame) -> Array:
        """A number for each invocation of a frame, equal in those that are to agree."""
        if scope == Scope.PROGRAM:
            return np.zeros(frame.size, np.int64)
        workgroups = spread(frame.get(LINEAR_WORKGROUP), frame.size)
        if scope == Scope.WORKGROUP:
            return workgroups
        if scope == Scope.SUBGROUP:
            subgroups = spread(frame.get(LOCAL_POSITION), frame.size) // arm.lanes
            return workgroups * 65536 + subgroups
        return np.arange(frame.size)


def _bits(array: Array) -> list[bytes]:
    return [np.ascontiguousarray(each).tobytes() for each in array]


@pytest.fixture
def witness(monkeypatch: pytest.MonkeyPatch) -> Witness:
    """Looks at whatever the interpreter computes from now on."""
    watching, compiled = Witness(), Compiler.step

    def step(compiler: Compiler, op: Operation) -> Step:
        run, arm = compiled(compiler, op), arm_of(op)
        if arm is None:
            return run
        for derived in (LINEAR_INVOCATION, LINEAR_WORKGROUP, LOCAL_POSITION):
            compiler.needs.add(derived)
        before = {value: compiler.key(value) for value in op.operands if _is_kept(value)}
        after: dict[SSAValue, int] = {
            value: compiler.key(value) for value in op.results if _is_kept(value)
        }

        def watched(frame: Frame) -> None:
            watching.look(arm, before, frame)
            run(frame)
            watching.look(arm, after, frame)

        return watched

    monkeypatch.setattr(Compiler, "step", step)
    return watching


def _is_kept(value: SSAValue) -> bool:
    """Whether frames hold a value: a number that something needs."""
    return value.first_use is not None and not isinstance(value.type, BufferType | TokenType)


def run(module: ModuleOp, inputs: Mapping[str, Array], pipeline: str = "") -> None:
    """Run a program, after a pipeline."""
    if pipeline:
        module = module.clone()
        apply_pipeline(module, pipeline, CONTEXT)
    Interpreter(module).run(inputs)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("pipeline", ["", "vyre-expand,vyre-coarsen{items=2},vyre-outline-kernels"])
def test_any_programs(witness: Witness, draws: Draws, pipeline: str) -> None:
    def check(sample: Sample) -> None:
        run(sample.module, sample.inputs, pipeline)

    for_each(programs(library=False), check, examples=draws(PROGRAMS))
    assert all(witness.counts[kind] for kind in ("PROGRAM", "INVOCATION", "invariant"))


def test_arms_whose_workgroups_cooperate(witness: Witness, draws: Draws) -> None:
    def check(sample: BoundProgram) -> None:
        run(sample.module, sample.inputs)

    for_each(cooperative_arms(), check, examples=draws(COOPERATIVE))
    assert all(witness.counts[kind] for kind in ("PROGRAM", "WORKGROUP", "INVOCATION", "invariant"))


def test_paths_that_invocations_take_differently(witness: Witness) -> None:
    run(parse_module(PATHS, CONTEXT), {})
    assert all(witness.counts[kind] for kind in ("WORKGROUP", "INVOCATION", "invariant"))


def test_subgroups(witness: Witness) -> None:
    run(parse_module(SUBGROUPS, CONTEXT), {})
    assert all(witness.counts[scope.name] for scope in Scope)
