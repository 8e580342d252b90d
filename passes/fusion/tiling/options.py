"""What users may ask of fusion, and how much memory its tiles may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal

DEFAULT_BUDGET = 16384
"""Bytes of workgroup memory for all promoted buffers of an arm together."""
PRIVATE_BUDGET = 1024
"""Bytes of private values: they are to stay in registers."""
MOST_STEPS = 1 << 16
"""Tiles that one invocation does, as many as coarsening may give it items."""

Strategy: TypeAlias = Literal["auto", "workgroup", "private"]
LocalMemory: TypeAlias = Literal["dedicated", "global"]


@dataclass(frozen=True)
class Options:
    """
    How to fuse. `tile` is the elements of the handoff per tile of a workgroup, 0 for the
    planner's choice. `local_memory` says what workgroup memory is on the device: memory of its
    own, or, as on CPUs, a part of global memory. `steps` is how many consecutive tiles in private
    values an invocation does, if they share what producers do. `private_budget` is the bytes of
    private memory for all promoted buffers of an invocation together.
    """

    strategy: Strategy = "auto"
    budget: int = DEFAULT_BUDGET
    tile: int = 0
    local_memory: LocalMemory = "dedicated"
    steps: int = 1
    private_budget: int = PRIVATE_BUDGET

    def __post_init__(self) -> None:
        """Raise ValueError for what makes no sense."""
        if self.budget <= 0:
            raise ValueError(f"expected a positive budget, got {self.budget}")
        if self.tile < 0:
            raise ValueError(f"expected no negative tile, got {self.tile}")
        if self.tile and self.strategy == "private":
            raise ValueError("expected no tile with strategy=private: every invocation has its own")
        if not 1 <= self.steps <= MOST_STEPS:
            raise ValueError(f"expected 1 to {MOST_STEPS} steps, got {self.steps}")
        if self.steps > 1 and self.strategy == "workgroup":
            raise ValueError("expected one step with strategy=workgroup: only private tiles slide")

    def over_budget(self, total: int, space: MemorySpace) -> Refusal | None:
        """The refusal with `total` bytes, if a workgroup or an invocation may not have them."""
        if space == MemorySpace.PRIVATE and total > self.private_budget:
            return Refusal(
                Reason.OVER_BUDGET,
                f"tiles of {total} bytes exceed the {self.private_budget} bytes of private memory "
                "that an invocation may have",
            )
        if total <= self.budget:
            return None
        return Refusal(
            Reason.OVER_BUDGET, f"tiles of {total} bytes exceed the budget of {self.budget} bytes"
        )
