"""A program cut to shards that run apart, as tasks carry them: its text, and ranges of files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.passes.program.cut_stream import PieceName
from vyre_dialect.runtime.distributed.contents import Contents
from vyre_dialect.runtime.distributed.held_programs import HeldPrograms
from vyre_dialect.runtime.distributed.parts import Part, Trapped
from vyre_dialect.runtime.interpreter.arrays import Array, element_size
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.streams.cutting import Window
from vyre_dialect.runtime.streams.pieces import Pieces
from vyre_dialect.runtime.streams.sizes import own_units

SHARDS_PER_SLOT = 4
"""Shards for each that may run at once, so that a slow worker holds up little."""
LEAST_BYTES = 1 << 20
"""Of a shard: smaller ones take less time than it takes to hand them out."""


class PieceText(NamedTuple):
    """The program on shards of a kind."""

    text: str
    place: str | None
    """The input by which it learns where a shard lies."""


@dataclass(frozen=True)
class ShardedProgram:
    """What all shards of a program have in common; each worker gets it once."""

    name: str
    texts: Mapping[PieceName | None, PieceText]
    fixed: Mapping[str, Contents]
    """Inputs that every shard takes whole."""
    begun: Mapping[str, Contents]
    """Those that the first shard alone takes, as all others add to them."""
    kept: Mapping[str, AtomicKind]
    """How the parts of each output combine that all shards add to."""


@dataclass(frozen=True)
class Shard:
    """What a task has to do: a piece of the input, and where its results belong."""

    number: int
    piece: PieceName | None
    inputs: Mapping[str, Contents]
    """The parts of inputs that are cut, halos included."""
    first: int
    """The first unit that it takes."""
    own: Mapping[str, tuple[int, int | None]]
    """Its own elements of outputs of which each shard has some."""


class ShardPlan:
    """
    A program that is to run apart on shards of its input, with that. Raises a RefusedStreamError
    where an op forbids it.
    """

    def __init__(self, pieces: Pieces, inputs: Mapping[str, Contents]):
        pieces.check_apart()
        self._pieces, self._inputs = pieces, inputs
        self.needs_all_others = pieces.ends_on_all
        """Whether the last shard takes what all others have come to."""

    def windows(self, slots: int, memory: int) -> list[Window]:
        """
        The shards, as units of the input: some for each of `slots` that run at once, and none that
        needs more than `memory` bytes. They are no smaller than that, as each takes the scheduler
        some time.
        """
        pieces, cutting = self._pieces, self._pieces.cutting
        element = element_size(pieces.inputs.types[pieces.main])
        elements = self._inputs[pieces.main].size // element
        units, unit_bytes = elements // cutting.unit, cutting.unit * element
        most = own_units(pieces, element, memory, memory)
        fair = -(-units // (slots * SHARDS_PER_SLOT))
        own = max(cutting.least_own, min(most, max(fair, -(-LEAST_BYTES // unit_bytes))))
        return list(cutting.windows(elements, range(own, units, own)))

    def program(self, windows: list[Window]) -> ShardedProgram:
        """What the shards have in common."""
        pieces = self._pieces
        needed = pieces.kept if self.needs_all_others else pieces.outputs
        kept = {
            name: kind for name, kind in pieces.kept.items() if kind is not None and name in needed
        }
        texts = dict[PieceName | None, PieceText]()
        kinds: set[PieceName | None] = {window.piece for window in windows}
        for piece in kinds:
            is_apart = not (piece == "last" and self.needs_all_others)
            module = pieces.module(piece, apart=is_apart)
            texts[piece] = PieceText(str(module), pieces.place_input(find_program(module)))
        uncut = {name: each for name, each in self._inputs.items() if name not in pieces.cut_inputs}
        fixed = {name: each for name, each in uncut.items() if name not in pieces.kept}
        begun = {name: each for name, each in uncut.items() if name in pieces.kept}
        return ShardedProgram(pieces.name, texts, fixed, begun, kept)

    def shards(self, windows: list[Window]) -> Iterator[Shard]:
        """What each task has to do."""
        pieces = self._pieces
        for number, window in enumerate(windows):
            own = {name: pieces.own_part(name, window) for name in pieces.joined}
            yield Shard(
                number,
                window.piece,
                {
                    name: self._part(name, window)
                    for name in pieces.cut_inputs
                    if name in self._inputs
                },
                window.first,
                {name: (part.start, part.stop) for name, part in own.items()},
            )

    def _part(self, name: str, window: Window) -> Contents:
        contents = self._inputs[name]
        size = element_size(self._pieces.inputs.types[name])
        taken = self._pieces.slice_of(name, window)
        end = contents.size if taken.stop is None else min(contents.size, taken.stop * size)
        return contents.part(min(taken.start * size, end), end)


def run_shard(
    program: ShardedProgram,
    shard: Shard,
    programs: HeldPrograms,
    handed_on: Part | None = None,
) -> Part | Trapped:
    """
    Run a program on one shard; `handed_on` is what all others have come to, where it takes that.
    Raises a VyreError where a file cannot be read or the device fails.
    """
    given = inputs_of(program, shard)
    if handed_on is not None:
        given |= handed_on.kept
    try:
        run = programs.run(program.texts[shard.piece].text, given)
    except TrapError as error:
        return Trapped.of(shard.number, program.name, error)
    is_apart = shard.piece is not None and handed_on is None
    return _part_of(shard, program.kept if is_apart else (), run)


def inputs_of(program: ShardedProgram, shard: Shard) -> dict[str, Array]:
    """What a shard is run on, read now. Raises a VyreError where a file cannot be read."""
    contents = {**program.fixed, **shard.inputs}
    if shard.number == 0:
        contents |= program.begun
    given = {name: each.read() for name, each in contents.items()}
    if (place := program.texts[shard.piece].place) is not None:
        given[place] = np.array([shard.first], np.int64)
    return given


def _part_of(shard: Shard, kept: Collection[str], run: RunResult) -> Part:
    joined = {name: run.outputs[name][slice(*own)] for name, own in shard.own.items()}
    known = {*joined, *kept}
    return Part(
        shard.number,
        shard.number + 1,
        {name: run.outputs[name] for name in kept},
        joined,
        {name: array for name, array in run.outputs.items() if name not in known},
        tuple(run.arms),
        run.device,
    )
