"""The cost that a pass promises not to raise, by its family."""

from __future__ import annotations

from vyre_dialect.analysis.program_facts import ProgramFacts
from vyre_dialect.ir.scheduling import Family

COSTS: dict[Family, tuple[str, ...]] = {
    Family.SCALAR: ("work",),
    Family.LOOP: ("work",),
    Family.MEMORY: ("memory_op_count", "static_storage_bytes"),
    Family.FUSION: ("top_level_regions",),
    Family.SYNC: ("barrier_count",),
    Family.DATAFLOW: ("shape_predicate_violations", "work"),
    Family.MEGAKERNEL: ("top_level_regions",),
    Family.UNKNOWN: (),
}
"""The facts of which none may go up by a pass of a family."""


def cost_increase(family: Family, before: ProgramFacts, after: ProgramFacts) -> str | None:
    """
    Which cost went up, with the numbers, or None. Work does not count where it rests on fewer
    assumptions than before: a loop whose iterations come to be known may have more of them.
    """
    for name in COSTS[family]:
        if name == "work" and after.assumed_trip_counts < before.assumed_trip_counts:
            continue
        if (now := after.count(name)) > (then := before.count(name)):
            return f"{name} from {then} to {now}"
    return None
