"""What is known of the values of an arm while it is decided how its invocations become lanes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from xdsl.ir import Block, Region, SSAValue

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.ir.types import BufferType, accessed_elements
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.loop.refusal import Refusal
from vyre_dialect.passes.loop.vectorization.body import BlockRecipe
from vyre_dialect.passes.loop.vectorization.lane_values import wide_type, wrapped_step
from vyre_dialect.passes.loop.vectorization.steps import Offsets, Steps, equal_step

RUNS_OF_WIDE_LOOP = 8
"""
How often a loop is taken to run all of whose ops are of all lanes at once. One with others counts
as if it ran once: `zone_map` and `record_checksums` of the gate took twice as long in lanes.
"""


@dataclass
class Planning:
    """What values will be in the lanes, as far as that is decided, and what this will cost."""

    lanes: int
    written: AbstractSet[SSAValue]
    """The buffers that the arm writes: what is loaded from them depends on the moment."""
    steps: Steps
    divergence: DivergenceAnalysis
    plan: Callable[[Planning, Block], BlockRecipe | Refusal]
    """Decides how the lanes do what a block does."""
    is_masked: bool = False
    """Whether lanes compute, too, what does not matter in them."""
    wide_ops: int = 0
    """Accesses and ops that will serve all lanes at once."""
    scalar_ops: int = 0
    """Accesses and ops that will be done for each lane."""
    strided_loads: int = 0
    """Loads of elements that lie apart, which will be shuffled from those of whole vectors."""
    wrapped_loads: int = 0
    """Loads of one row after another, which will be done one by one where a row ends."""
    turns_in_loops: int = 0
    """What lanes will take turns in again and again: those of them in loops, and loops of masks."""
    _step_of: dict[SSAValue, int | None] = field(default_factory=dict[SSAValue, int | None])
    _offsets_of: dict[SSAValue, Offsets] = field(default_factory=dict[SSAValue, Offsets])
    """Of what grows by no equal steps."""
    _wrapped: set[SSAValue] = field(default_factory=set[SSAValue])
    """What grows by one up to the end of a row, and then from 0."""

    def step_of(self, value: SSAValue) -> int | None:
        """
        By how much a value will grow from lane to lane, modulo two to the power of its width: by 0
        if it is the same for all, as those of the host are; None if there are others in each lane.
        """
        return self._step_of.get(value, 0)

    def offsets_of(self, value: SSAValue) -> Offsets | None:
        """How much larger a value will be in each lane than in the first, modulo as steps are."""
        step = self.step_of(value)
        if step is None:
            return self._offsets_of.get(value)
        return tuple(lane * step for lane in range(self.lanes))

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether a value will be the same for all lanes."""
        return self.step_of(value) == 0

    def varies(self, value: SSAValue) -> bool:
        """Whether lanes may differ in a value."""
        return self.divergence.differs_along_x(value)

    def note(self, step: int | None, *values: SSAValue) -> None:
        """Note by how much values of the arm will grow from lane to lane."""
        for value in values:
            self._step_of[value] = wrapped_step(step, value.type) if step else step

    def note_offsets(self, offsets: Offsets, value: SSAValue) -> None:
        """Note how much larger a value of the arm will be in each lane than in the first."""
        step = equal_step(offsets)
        self.note(step, value)
        if step is None:
            self._offsets_of[value] = tuple(wrapped_step(each, value.type) for each in offsets)

    def note_wrapped(self, value: SSAValue) -> None:
        """Note that a value grows by one from lane to lane, and is 0 behind the end of a row."""
        self._wrapped.add(value)

    @property
    def is_all_wide(self) -> bool:
        """Whether every access and op will serve all lanes at once, as it is."""
        return not (self.scalar_ops or self.wrapped_loads)

    def is_wrapped(self, value: SSAValue) -> bool:
        """Whether that was noted of a value."""
        return value in self._wrapped

    def note_each(self, values: Sequence[SSAValue], varies: Iterable[bool]) -> None:
        """Note which values of the arm will be others in each lane, and which the same for all."""
        for value, is_other in zip(values, varies, strict=True):
            self.note(None if is_other else 0, value)

    def can_be_wide(self, op: LoadOp | StoreOp) -> bool:
        """Whether one access can cover the elements of neighbouring items."""
        buffer = op.buffer.type
        assert isinstance(buffer, BufferType)
        elements = accessed_elements(buffer, wide_type(op.value.type, self.lanes))
        return elements == op.elements * self.lanes

    @contextmanager
    def masked(self) -> Generator[None]:
        """Let what is decided inside be computed, too, in lanes in which it does not matter."""
        outer, self.is_masked = self.is_masked, True
        yield
        self.is_masked = outer

    def loop_body(self, region: Region, *, masked: bool = False) -> BlockRecipe | Refusal:
        """How the lanes do what stands in a loop, which some may leave before others (`masked`)."""
        wide, scalar = self.wide_ops, self.scalar_ops
        with self.masked() if masked else nullcontext():
            body = self.region(region)
        self.turns_in_loops += self.scalar_ops - scalar + masked
        if self.scalar_ops == scalar:
            self.wide_ops += (RUNS_OF_WIDE_LOOP - 1) * (self.wide_ops - wide)
        return body

    def region(self, region: Region) -> BlockRecipe | Refusal:
        """How the lanes do what stands in a region, if anything does."""
        return self.plan(self, region.block) if region.blocks else BlockRecipe()
