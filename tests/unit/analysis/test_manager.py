"""Facts are computed once, shared by passes, and forgotten with what they rest on."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar, Self

import pytest
from support.generated.drawing import Draws, for_each
from support.generated.programs import Sample, programs
from support.schedules import CONTEXT, PLAIN, install, schedule_of
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnregisteredOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.escape import Escapes
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.ir.scheduling import Profile
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Escape
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.memory import StoreOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.schedule import PassOp, ScheduleOp
from vyre_dialect.passes.memory.forward_stores import ForwardStoresPass
from vyre_dialect.passes.memory.prove_accesses import ProveAccessesPass
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of
from vyre_dialect.passes.scalar.optimize_integers import OptimizeIntegersPass
from vyre_dialect.passes.schedule import scheduler
from vyre_dialect.passes.schedule.instrumentation import Instrumentation
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.program.compilation import apply_pipeline, parse_module

ARM = """
  vyre.region "{name}" invocations [16] {{
    %i = vyre.invocation_id x
    %c = arith.constant 3 : index
    %j = arith.andi %i, %c : index
    %x = vyre.load %in[%j] : !vyre.buffer<16xi32, read_only> -> i32
    vyre.store %x, %out[%i] : i32, !vyre.buffer<16xi32, read_write>
  }}
"""
PROGRAM = f"""
vyre.program @p workgroup_size [4] {{
  %in = vyre.buffer @in : !vyre.buffer<16xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<16xi32, read_write>
  {ARM.format(name="a")} {ARM.format(name="b")}
}}
"""


class Counted(Analysis):
    """An analysis that counts how often it is computed, by the name of what it is about."""

    computed: ClassVar = Counter[str]()

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        cls.computed[_name(scope)] += 1
        return cls()


class CountedWithKernels(Counted):
    """One that looks at kernels when it is asked about their program."""

    rests_on_kernels = True


def _name(scope: Operation) -> str:
    return scope.generator.data if isinstance(scope, KernelOp) else scope.name


@pytest.fixture(autouse=True)
def _none_is_computed() -> None:  # pyright: ignore[reportUnusedFunction]
    Counted.computed.clear()


def module_of_kernels() -> ModuleOp:
    module = parse_module(PROGRAM, CONTEXT)
    apply_pipeline(module, "vyre-outline-kernels", CONTEXT)
    return module


def kernels(module: ModuleOp) -> list[KernelOp]:
    return [op for op in module.ops if isinstance(op, KernelOp)]


def program_of(module: ModuleOp) -> ProgramOp:
    return next(op for op in module.ops if isinstance(op, ProgramOp))


def ask_for_all(facts: AnalysisManager, module: ModuleOp) -> None:
    for op in (program_of(module), *kernels(module)):
        facts.get(Counted, op)


def test_facts_are_computed_once() -> None:
    facts, module = AnalysisManager(), module_of_kernels()
    first, second = kernels(module)
    assert facts.get(Counted, first) is facts.get(Counted, first)
    assert facts.get(Counted, first) is not facts.get(Counted, second)
    assert Counted.computed == {"a": 1, "b": 1}


def test_arms_share_what_is_known_of_their_program() -> None:
    facts, module = AnalysisManager(), parse_module(PROGRAM, CONTEXT)
    first, second = program_of(module).arms()
    assert facts.get(Integers, first) is facts.get(Integers, second)
    assert facts.get(Integers, first) is facts.get(Integers, program_of(module))
    assert facts.get(LinearForms, first) is not facts.get(LinearForms, second)
    assert facts.get(LinearForms, first).integers is facts.get(Integers, second)


def test_a_change_in_a_kernel_leaves_the_facts_about_others() -> None:
    facts, module = AnalysisManager(), module_of_kernels()
    first, _ = kernels(module)
    ask_for_all(facts, module)
    assert first.body.block.last_op is not None
    facts.invalidate(first.body.block.last_op)
    ask_for_all(facts, module)
    assert Counted.computed == {"vyre.program": 1, "a": 2, "b": 1}


@pytest.mark.parametrize("tell", ["invalidate", "listener"])
def test_what_follows_from_kernels_goes_with_each(tell: str) -> None:
    facts, module = AnalysisManager(), module_of_kernels()
    program, (kernel, _) = program_of(module), kernels(module)
    kept = facts.get(Counted, program)
    facts.get(CountedWithKernels, program)
    if tell == "invalidate":
        facts.invalidate(kernel)
    else:
        PatternRewriteWalker(_MoreBits(in_place=True), listener=facts.listener()).rewrite_region(
            kernel.body
        )
    assert facts.get(Counted, program) is kept
    facts.get(CountedWithKernels, program)
    assert Counted.computed == {"vyre.program": 3}


def test_a_buffer_escapes_once_a_kernel_says_so() -> None:
    facts, module = AnalysisManager(), parse_module(PROGRAM.replace(" live_out", ""), CONTEXT)
    apply_pipeline(module, "vyre-outline-kernels", CONTEXT)
    program, (kernel, _) = program_of(module), kernels(module)
    buffer = program.buffer("out")
    assert buffer is not None
    assert facts.get(Escapes, program).cause(buffer) is None
    store = next(op for op in kernel.walk() if isinstance(op, StoreOp))
    rewriter = PatternRewriter(store)
    rewriter.operation_insertion_handler = facts.listener().operation_insertion_handler
    unknown = UnregisteredOp.with_name("test.unknown").create(operands=[store.buffer])
    rewriter.insert(unknown, InsertPoint.before(store))
    assert facts.get(Escapes, program).cause(buffer) == Escape.UNKNOWN_USER


def test_a_change_of_the_host_takes_all_facts() -> None:
    facts, module = AnalysisManager(), module_of_kernels()
    ask_for_all(facts, module)
    facts.invalidate(next(program_of(module).buffers()))
    ask_for_all(facts, module)
    assert Counted.computed == {"vyre.program": 2, "a": 2, "b": 2}


class _MoreBits(RewritePattern):
    """Changes the mask of one kernel in place, or by another op."""

    def __init__(self, *, in_place: bool):
        self.in_place = in_place

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, arith.AndIOp) or "seen" in op.attributes:
            return
        new = op if self.in_place else op.clone()
        new.attributes["seen"] = StringAttr("")
        if self.in_place:
            rewriter.notify_op_modified(op)
        else:
            rewriter.replace(op, new)


@pytest.mark.parametrize("in_place", [True, False])
def test_facts_do_not_outlive_what_a_rewriter_changes(in_place: bool) -> None:
    facts, module = AnalysisManager(), module_of_kernels()
    first, _ = kernels(module)
    ask_for_all(facts, module)
    walker = PatternRewriteWalker(_MoreBits(in_place=in_place), listener=facts.listener())
    assert walker.rewrite_region(first.body)
    ask_for_all(facts, module)
    assert Counted.computed == {"vyre.program": 1, "a": 2, "b": 1}


# In a schedule.


def asking(name: str) -> type[ModulePass]:
    class AskingPass(RewritePass):
        def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
            ask_for_all(facts, module)
            return False

    AskingPass.name = name
    AskingPass.metadata = PLAIN  # pyright: ignore[reportAttributeAccessIssue]
    return AskingPass


def exchange(
    module: ModuleOp, generator: str, facts: AnalysisManager | None, *, silently: bool = False
) -> None:
    """Put another op in the place of one, which the structure need not tell apart."""
    (kernel,) = (each for each in kernels(module) if each.generator.data == generator)
    old = next(op for op in kernel.walk() if isinstance(op, arith.AndIOp))
    new = old.clone()
    if not silently:
        new.attributes["changed"] = StringAttr("")
    rewriter_of(module, facts).replace(old, new)


def changing(name: str, generator: str, *, marks: bool = False) -> type[ModulePass]:
    """A pass that changes a kernel, and tells of it unless it only `marks`."""

    class ChangingPass(RewritePass):
        def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
            exchange(module, generator, None if marks else facts)
            return True

    ChangingPass.name = name
    ChangingPass.metadata = PLAIN  # pyright: ignore[reportAttributeAccessIssue]
    return ChangingPass


def foreign(name: str, generator: str, *, silently: bool) -> type[ModulePass]:
    """A pass that changes a kernel and says nothing, as those of xDSL."""

    class ForeignPass(ModulePass):
        def apply(self, ctx: Context, op: ModuleOp) -> None:
            exchange(op, generator, None, silently=silently)

    ForeignPass.name = name
    ForeignPass.metadata = PLAIN  # pyright: ignore[reportAttributeAccessIssue]
    return ForeignPass


def scheduled(monkeypatch: pytest.MonkeyPatch, *passes: type[ModulePass]) -> ModuleOp:
    install(monkeypatch, *passes)
    module = module_of_kernels()
    module.body.block.add_op(schedule_of(passes))
    OptimizePass().run(CONTEXT, module)
    return module


def test_passes_of_a_schedule_share_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduled(monkeypatch, *map(asking, ("one", "two", "three")))
    assert Counted.computed == {"vyre.program": 1, "a": 1, "b": 1}


CHANGING = {
    "told": changing("two", "a"),
    "foreign": foreign("two", "a", silently=False),
    "foreign and alike": foreign("two", "a", silently=True),
}


@pytest.mark.parametrize("changes", CHANGING.values(), ids=CHANGING)
def test_only_facts_about_changed_kernels_go(
    monkeypatch: pytest.MonkeyPatch, changes: type[ModulePass]
) -> None:
    scheduled(monkeypatch, asking("one"), changes, asking("three"))
    assert Counted.computed == {"vyre.program": 1, "a": 2, "b": 1}


def test_a_pass_that_only_marks_keeps_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = changing("two", "a", marks=True)
    scheduled(monkeypatch, asking("one"), marks, asking("three"))
    assert Counted.computed == {"vyre.program": 1, "a": 1, "b": 1}


def test_one_analysis_serves_the_passes_that_ask_for_integers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed = Counter[str]()
    compute = Integers.of_scope.__func__  # pyright: ignore[reportFunctionMemberAccess]

    def counted(cls: type[Integers], scope: Operation, facts: AnalysisManager) -> Integers:
        computed[_name(scope)] += scope.parent_op() is not None
        return compute(cls, scope, facts)

    monkeypatch.setattr(Integers, "of_scope", classmethod(counted))
    passes = [ProveAccessesPass, ForwardStoresPass, OptimizeIntegersPass]
    install(monkeypatch, *passes)
    module = module_of_kernels()
    module.body.block.add_op(
        ScheduleOp("made", Profile.RELEASE, [PassOp(each.name, PLAIN) for each in passes])
    )
    optimized = OptimizePass().run(CONTEXT, module)
    assert [run.name for run in optimized.report.runs if run.ran] == [each.name for each in passes]
    assert (computed["a"], computed["b"]) == (1, 1)


def test_a_pass_by_itself_computes_what_it_asks() -> None:
    module = module_of_kernels()
    for _ in range(2):
        asking("alone")().apply(CONTEXT, module)
    assert Counted.computed == {"vyre.program": 2, "a": 2, "b": 2}


def test_no_module_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = weakref.ref(scheduled(monkeypatch, asking("one"), asking("two")))
    gc.collect()
    assert kept() is None


class _Watched(AnalysisManager):
    """A manager that tests find again."""

    last: AnalysisManager

    def __init__(self) -> None:
        super().__init__()
        _Watched.last = self


def _scopes(module: ModuleOp) -> Iterator[Operation]:
    return (op for op in module.ops if isinstance(op, ProgramOp | KernelOp))


@pytest.mark.slow
def test_facts_between_passes_are_those_computed_afresh(
    monkeypatch: pytest.MonkeyPatch, draws: Draws
) -> None:
    compared = 0
    monkeypatch.setattr(scheduler, "AnalysisManager", _Watched)

    def compare(ran: ModulePass | None, module: ModuleOp, following: ModulePass | None) -> None:
        nonlocal compared
        if following is None:
            return  # what the pass has changed is found out after this
        facts, fresh = _Watched.last, AnalysisManager()
        for scope in _scopes(module):
            for op in ops_inside(scope):
                kept = facts.get(Integers, scope).ranges_of(op)
                assert kept == fresh.get(Integers, scope).ranges_of(op)
                compared += len(kept)

    def check(sample: Sample) -> None:
        module = sample.module.clone()
        OptimizePass().run(CONTEXT, module, Instrumentation(observers=[compare]))

    for_each(programs(), check, examples=draws(24))
    assert compared > 1000 * draws(24)
