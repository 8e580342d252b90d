"""What users may ask of fusion, where tiles may live, and how much memory they take there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal

DEFAULT_BUDGET = 16384
"""Bytes of workgroup memory for all promoted buffers of an arm together."""
REGISTER_BUDGET = 1024
"""Bytes of private values: they are to stay in registers."""
CACHE_BUDGET = 32768
"""Bytes of all tiles in a cache: as much as the smallest of today's first caches of a core hold."""
MOST_STEPS = 1 << 16
"""Tiles that one invocation does, as many as coarsening may give it items."""

Strategy: TypeAlias = Literal["auto", "workgroup", "private"]
LocalMemory: TypeAlias = Literal["dedicated", "global"]


class Home(StrEnum):
    """Where the tiles of a plan live, and who fills and reads them."""

    REGISTERS = "registers"
    """Values of an invocation, which is unrolled."""
    CACHE = "cache"
    """Private memory of an invocation, which fills a tile in a loop and reads it in a loop."""
    WORKGROUP = "workgroup"
    """Workgroup memory: a workgroup fills a tile together and reads it together."""

    @property
    def space(self) -> MemorySpace:
        """The memory space of a tile."""
        return MemorySpace.WORKGROUP if self is Home.WORKGROUP else MemorySpace.PRIVATE


@dataclass(frozen=True)
class Options:
    """
    How to fuse. `tile` is the elements of the handoff per tile of a workgroup, 0 for the
    planner's choice. `local_memory` says what workgroup memory is on the device: memory of its
    own, or, as on CPUs, a part of global memory. `steps` is how many consecutive tiles in private
    values an invocation does, if they share what producers do. `budget` is the bytes of workgroup
    memory for all promoted buffers of an arm together, `cache_budget` the bytes of all its tiles in
    the cache of a core; tiles in registers have `REGISTER_BUDGET` bytes.
    """

    strategy: Strategy = "auto"
    budget: int = DEFAULT_BUDGET
    tile: int = 0
    local_memory: LocalMemory = "dedicated"
    steps: int = 1
    cache_budget: int = CACHE_BUDGET

    def __post_init__(self) -> None:
        """Raise ValueError for what makes no sense."""
        if self.budget <= 0:
            raise ValueError(f"expected a positive budget, got {self.budget}")
        if self.cache_budget <= 0:
            raise ValueError(f"expected a positive cache_budget, got {self.cache_budget}")
        if self.tile < 0:
            raise ValueError(f"expected no negative tile, got {self.tile}")
        if self.tile and self.strategy == "private":
            raise ValueError("expected no tile with strategy=private: every invocation has its own")
        if not 1 <= self.steps <= MOST_STEPS:
            raise ValueError(f"expected 1 to {MOST_STEPS} steps, got {self.steps}")
        if self.steps > 1 and self.strategy == "workgroup":
            raise ValueError("expected one step with strategy=workgroup: only private tiles slide")

    def over_budget(self, total: int, home: Home) -> Refusal | None:
        """The refusal with `total` bytes of tiles, if their home has not so many for them."""
        match home:
            case Home.REGISTERS:
                allowed, limit = REGISTER_BUDGET, "of private memory that an invocation may have"
            case Home.CACHE:
                allowed, limit = self.cache_budget, "that tiles in a cache may have"
            case Home.WORKGROUP:
                allowed, limit = self.budget, ""
        if total <= allowed:
            return None
        exceeded = f"the {allowed} bytes {limit}" if limit else f"the budget of {allowed} bytes"
        return Refusal(Reason.OVER_BUDGET, f"tiles of {total} bytes exceed {exceeded}")
