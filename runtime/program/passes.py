"""Which passes a program is compiled by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vyre_dialect.passes.schedule.instrumentation import Edits
from vyre_dialect.runtime.program.observers import Observer

if TYPE_CHECKING:
    from vyre_dialect.passes.schedule.optimize import OptimizePass


@dataclass(frozen=True)
class Passes:
    """What turns programs into kernels: a schedule, unless a pipeline names passes, with edits."""

    pipeline: str | None = None
    optimize: OptimizePass | None = None
    """Chooses the schedule."""
    edits: Edits = field(default_factory=Edits)
    observers: Sequence[Observer] = ()

    @property
    def are_scheduled(self) -> bool:
        """Whether a schedule alone decides which passes run."""
        return self.pipeline is None and not self.edits
