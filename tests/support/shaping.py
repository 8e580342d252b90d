"""Programs and pipelines of passes that shape kernels, and what is the same with and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from support.batches import prefixed
from support.fusion import (
    UnmaskedReads,
    is_defined,
    program_of,
    require_equal,
    run_with_any_garbage,
)
from support.generated.bound_program import BoundProgram
from support.generated.drawing import ShownAsText, any_of
from support.generated.programs import Sample, programs, programs_of
from support.generated.updates import updates
from vyre_dialect.runtime.interpreter import (
    Interpreter,
    Observers,
    RaceChecker,
    interpret,
)
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.inputs import remaining_inputs
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
AGGREGATE = (
    "vyre-privatize-reductions{scope=workgroup}",
    "vyre-privatize-reductions{scope=workgroup copies=4}",
    "vyre-privatize-reductions{scope=invocation}",
    "vyre-privatize-reductions{scope=invocation copies=4}",
    "vyre-coarsen{groups=1},vyre-privatize-reductions{scope=invocation copies=2}",
    "vyre-privatize-reductions{scope=workgroup budget=64}",
    "vyre-coarsen{groups=2},vyre-privatize-reductions{scope=invocation lanes=true}",
)
COARSEN = (
    "vyre-coarsen{items=3}",
    "vyre-coarsen{items=2 order=blocked}",
    "vyre-coarsen{groups=2}",
    "vyre-coarsen{items=2 groups=3}",
    "vyre-coarsen{order=blocked groups=3}",
    "vyre-coarsen{items=4 order=blocked groups=1}",
    "vyre-coarsen{items=3 workgroup=1}",
)
UNROLL = (
    "vyre-unroll",
    "vyre-unroll{loops=all}",
    "vyre-unroll{limit=2 loops=all}",
)
PROMOTE = (
    "vyre-sroa",
    "vyre-unroll,vyre-sroa",
    "vyre-decode-scan-fuse{strategy=private},vyre-unroll,vyre-sroa",
)
CANCEL = (
    "vyre-reassociate",
    "vyre-unroll{loops=all},canonicalize,vyre-reassociate",
)
PERMUTE = ("vyre-form-byte-permutes",)
MERGE = (
    "vyre-vectorize{lanes=8 tail=each},canonicalize,vyre-cse,vyre-merge-branches,canonicalize",
    "vyre-decode-scan-fuse{strategy=private},vyre-unroll,vyre-sroa,vyre-split-index-sets,"
    "canonicalize,vyre-cse,vyre-merge-branches,canonicalize",
)
PACK = (
    "vyre-vectorize{lanes=8},canonicalize,vyre-pack-bytes,canonicalize,vyre-cse",
    "vyre-vectorize{lanes=16 tail=each},vyre-decode-scan-fuse{strategy=private},canonicalize,"
    "vyre-sroa,vyre-cse,vyre-merge-branches,vyre-pack-bytes,vyre-form-byte-permutes,canonicalize,"
    "vyre-cse",
)
VECTORIZE = (
    "vyre-vectorize{lanes=4}",
    "vyre-vectorize{lanes=16}",
)
WORK_ITEM_LOOPS = (
    "vyre-form-work-item-loops",
    "vyre-form-work-item-loops{limit=4}",
)
SPLIT = (
    "vyre-split-index-sets",
    "vyre-decode-scan-fuse{strategy=private},vyre-unroll,vyre-sroa,vyre-split-index-sets",
)
PEEL_PASSES = "licm,vyre-prove-accesses,vyre-split-index-sets{loops=true},licm"
"""With what tells where loops end, and what the test of the interior is needed for before."""
PEEL = (
    f"vyre-coarsen{{items=3}},vyre-split-index-sets,{PEEL_PASSES}",
    f"vyre-coarsen{{items=5 order=blocked}},vyre-split-index-sets,{PEEL_PASSES}",
)
PIPELINE = (
    "vyre-pipeline-loops",
    "vyre-coarsen{groups=1},vyre-privatize-reductions{scope=invocation copies=2}"
    ",vyre-pipeline-loops",
)
FUSE = (
    "vyre-decode-scan-fuse",
    "vyre-decode-scan-fuse{strategy=private}",
    "vyre-decode-scan-fuse{strategy=workgroup}",
)
STAGE = (
    "vyre-stage-tables{budget=16384}",
    "vyre-stage-tables{budget=256}",
)
CLEAN = ("canonicalize,vyre-cse",)
PERSISTENT = (
    "vyre-decode-scan-fuse{strategy=private},vyre-coarsen{groups=2},vyre-unroll{limit=32},"
    "vyre-reassociate,vyre-sroa,canonicalize,vyre-split-index-sets,vyre-form-byte-permutes",
    "vyre-decode-scan-fuse{strategy=private},vyre-coarsen{groups=3},vyre-unroll{limit=32},"
    f"vyre-reassociate,vyre-sroa,canonicalize,vyre-split-index-sets,{PEEL_PASSES},"
    "vyre-pipeline-loops",
)
"""All together, as devices with memory of their own run it; canonicalizing unrolls more."""
SLIDING = (
    "vyre-decode-scan-fuse{strategy=private steps=3},vyre-coarsen{items=3 workgroup=1}",
    "vyre-decode-scan-fuse{strategy=private steps=2},vyre-coarsen{groups=2},"
    "vyre-privatize-reductions{scope=invocation},vyre-unroll{limit=32},canonicalize,"
    "vyre-reassociate,vyre-sroa,canonicalize,vyre-split-index-sets",
    "vyre-decode-scan-fuse{strategy=private steps=3},vyre-coarsen{groups=2 order=blocked},"
    "vyre-unroll{limit=32},canonicalize,vyre-reassociate,vyre-sroa,canonicalize,"
    f"vyre-split-index-sets,{PEEL_PASSES}",
)
"""Several tiles an invocation, in memory and as values."""
SHAPING = (
    *(
        AGGREGATE,
        COARSEN,
        UNROLL,
        CANCEL,
        PERMUTE,
        MERGE,
        PACK,
        PROMOTE,
        WORK_ITEM_LOOPS,
        SPLIT,
        PEEL,
        PIPELINE,
        STAGE,
        VECTORIZE,
    ),
)
"""Forms of each pass that shapes kernels."""


@dataclass(frozen=True)
class Shaped(ShownAsText):
    """A program before and after a pipeline, with its inputs; shows itself as text."""

    before: ModuleOp
    inputs: Mapping[str, Array]
    pipeline: str
    after: ModuleOp

    @property
    def inputs_after(self) -> Mapping[str, Array]:
        """The inputs that are left: one that nobody reads may become a tile."""
        return remaining_inputs(program_of(self.after), self.inputs)

    @property
    def is_changed(self) -> bool:
        """Whether the pipeline did anything."""
        return not self.after.is_structurally_equivalent(self.before)

    def __repr__(self) -> str:
        given = "\n".join(f"// {name} = {array.tolist()}" for name, array in self.inputs.items())
        return f"\n// {self.pipeline}\n{given}\n{self.before}\n// after:\n{self.after}\n"


def pipelines() -> st.SearchStrategy[str]:
    """One to four passes that shape kernels, at times with fusion or cleaning in between."""
    shaping = st.sampled_from(SHAPING).flatmap(st.sampled_from)
    others = st.sampled_from((FUSE, CLEAN, PERSISTENT, SLIDING)).flatmap(st.sampled_from)
    passes = any_of(0, 0, 1).flatmap(lambda other: others if other else shaping)
    return st.lists(passes, min_size=1, max_size=4).map(",".join)


def _sample(draw: st.DrawFn, kind: str | None) -> Sample | BoundProgram:
    if kind is not None:
        return draw(programs_of(kind))
    return draw(updates() if draw(any_of(True, True, False)) else programs())


@st.composite
def to_shape(draw: st.DrawFn, kind: str | None = None) -> Sample | BoundProgram:
    """What `shaped` draws, before any pass."""
    sample = _sample(draw, kind)
    assume(is_defined(sample.module, sample.inputs))
    return sample


@st.composite
def shaped(draw: st.DrawFn, kind: str | None = None) -> Shaped:
    """
    Programs, of one kind if so asked, that race with nobody and read nothing undefined, shaped by
    any pipeline.
    """
    sample = _sample(draw, kind)
    pipeline = draw(pipelines())
    assume(is_defined(sample.module, sample.inputs))
    return Shaped(sample.module, sample.inputs, pipeline, shape(sample.module, pipeline))


def shape(module: ModuleOp, pipeline: str) -> ModuleOp:
    """A verified copy of a module that went through a pipeline."""
    after = module.clone()
    apply_pipeline(after, pipeline, CONTEXT)
    return after


def with_equal_meaning(module: ModuleOp, inputs: Mapping[str, Array], pipeline: str) -> ModuleOp:
    """What a pipeline makes of a module: it computes the same, and becomes nothing else again."""
    made = shape(module, pipeline)
    made.verify()
    require_equal(interpret(made, inputs).outputs, interpret(module, inputs).outputs)
    assert str(shape(made, pipeline)) == str(made)
    return made


def require_outputs(program: Shaped, outputs: Mapping[str, Array], *keys: str) -> None:
    """Fail unless a batch gave, under each of `keys`, what the interpreter gives before."""
    expected = interpret(program.before, program.inputs).outputs
    for key in keys:
        require_equal({name: outputs[prefixed(key, name)] for name in expected}, expected)


@dataclass
class Seen:
    """What the programs of a test showed."""

    programs: int = 0
    changed: int = 0

    def check(self, program: Shaped) -> None:
        """Fail unless a program means the same after the pipeline, and races with nobody."""
        expected = interpret(program.before, program.inputs).outputs
        races, undefined = RaceChecker(), UnmaskedReads()
        observer = Observers(races, undefined)
        after = Interpreter(program.after)
        got = run_with_any_garbage(after, program.inputs_after, observer=observer).outputs
        races.verify()
        undefined.verify()
        require_equal(got, expected)
        self.programs += 1
        self.changed += program.is_changed
