"""What fusion did to each handoff of a program, and why, as plain data for people and machines."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc, LocationAttr

from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.passes.fusion.tiling.refusal import Counterexample, Refusal, Site
from vyre_dialect.runtime.program.source_locations import lines_of

LONGEST_OP = 100
"""Characters of an op that are shown."""


class Explainer:
    """Says what fusion did to a program, beside the lines of its text that it is about."""

    def __init__(self, name: str, text: str):
        self.name = name
        self._lines = lines_of(text)

    def place(self, location: LocationAttr) -> dict[str, object]:
        """The number and text of a line of the program; None where it has no such line."""
        number = self._line_number(location)
        source = None if number is None else self._lines[number - 1].strip()
        return {"line": number, "source": source}

    def _line_number(self, location: LocationAttr) -> int | None:
        if not isinstance(location, FileLineColLoc) or location.filename.data != self.name:
            return None
        number = location.line.data
        return number if 0 < number <= len(self._lines) else None

    def fused(self, program: ProgramOp, name: str) -> dict[str, object]:
        """What became of a handoff that fused."""
        tile = program.buffer(name)
        assert tile is not None
        return {
            "name": name,
            **self.place(tile.location),
            "fused": True,
            "memory_space": str(tile.type.space),
            "elements": tile.type.static_count,
            "bytes": tile.type.static_bytes,
            "arm": _arm_of(program, tile),
        }

    def refused(self, refusal: Refusal) -> dict[str, object]:
        """Why a handoff did not fuse."""
        return {
            "name": refusal.handoff.sym_name.data,
            **self.place(refusal.handoff.location),
            "fused": False,
            "reason": str(refusal.reason),
            "detail": refusal.detail,
            "producer": None if refusal.producer is None else refusal.producer.generator.data,
            "consumer": None if refusal.consumer is None else refusal.consumer.generator.data,
            "cause": self._site(refusal.cause),
            "depends_on": self._site(refusal.earlier),
            "counterexample": _example(refusal.counterexample),
        }

    def _site(self, site: Site | None) -> dict[str, object] | None:
        return site and {"op": site.text[:LONGEST_OP], **self.place(site.location)}


def _arm_of(program: ProgramOp, tile: BufferOp) -> str | None:
    for arm in program.arms():
        if any(buffer is tile for _, buffer in arm.accesses()):
            return arm.generator.data
    return None


def _example(example: Counterexample | None) -> dict[str, object] | None:
    return example and {**example.as_dict(), "text": str(example)}
