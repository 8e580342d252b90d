"""What makes a handoff fuse that does not: other options of fusion, tried on the same program."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass, fuse_program
from vyre_dialect.passes.schedule.options import joined, options_text, parse_options
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.program.pipelines import pipeline_with_options

ALTERNATIVES: tuple[Mapping[str, str | int], ...] = (
    {"strategy": "private", "tile": 0},
    {"strategy": "workgroup", "steps": 1},
    {"strategy": "workgroup", "steps": 1, "tile": 0},
)
"""Options to ask for; what costs too much for `auto` may be worth it, as only measuring shows."""


@dataclass(frozen=True)
class Advice:
    """Options by which a handoff fuses that does not without them."""

    options: Mapping[str, str | int]
    """Those of `vyre-decode-scan-fuse`, as far as they differ from what it ran with."""
    tile: BufferOp
    """What the handoff becomes."""

    @property
    def spec(self) -> str:
        """The pass with these options, as pipelines and schedules name it."""
        options = " ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{DecodeScanFusePass.name}{{{options}}}"

    def arguments(self, passes: Passes, *, has_schedule: bool) -> list[str] | None:
        """
        What to add to a command that compiles by `passes`; None where these stand in a schedule
        that somebody wrote, and so do the options.
        """
        if passes.pipeline is not None:
            return ["-p", pipeline_with_options(passes.pipeline, self.spec)]
        if has_schedule:
            return None
        given = passes.optimize and passes.optimize.options
        options = joined(parse_options(given), parse_options(self.spec))
        return ["--options", options_text(options)]


def advice_for(
    program: ProgramOp, fusion: DecodeScanFusePass, refused: Collection[str]
) -> Mapping[str, list[Advice]]:
    """
    How handoffs that `fusion` has refused in `program` fuse all the same: by the first alternative
    for each memory space.
    """
    found: dict[str, dict[MemorySpace, Advice]] = {name: {} for name in refused}
    for alternative in ALTERNATIVES:
        other = replace(fusion, **alternative)
        options = {
            name: value for name, value in alternative.items() if getattr(fusion, name) != value
        }
        tiles = _tiles(program, other) if options else {}
        for name in tiles.keys() & found.keys():
            found[name].setdefault(tiles[name].type.space, Advice(options, tiles[name]))
    return {name: list(by_space.values()) for name, by_space in found.items()}


def _tiles(program: ProgramOp, fusion: DecodeScanFusePass) -> dict[str, BufferOp]:
    """What handoffs become by `fusion`, which leaves `program` as it is."""
    module = ModuleOp([program.clone()])
    copy = module.body.block.first_op
    assert isinstance(copy, ProgramOp)
    promoted = fuse_program(copy, fusion.options).promoted
    return {each.sym_name.data: each for each in copy.buffers() if each.sym_name.data in promoted}
