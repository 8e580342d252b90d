"""The reference interpreter on pieces: what a program with `vyre.stream` means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.program.cut_stream import PieceName
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.run import Interpreter
from vyre_dialect.runtime.streams.cutting import Window
from vyre_dialect.runtime.streams.pieces import Pieces


class PieceInterpreter:
    """A program of arms on pieces of its input, of which each kind is made ready once."""

    def __init__(self, module: ModuleOp, context: Context, main: str = ""):
        self.pieces = Pieces(module, context, main)
        self._ready: dict[PieceName | None, tuple[Interpreter, str | None]] = {}

    def run(self, inputs: Mapping[str, Array | Bytes], cuts: Iterable[int]) -> dict[str, Array]:
        """
        The outputs of the program on `inputs`, cut before each of the units `cuts` as far as it
        may be. Raises what `interpret` does.
        """
        pieces = self.pieces
        pieces.check_names(inputs)
        bound = pieces.inputs.bind(inputs)
        windows = list(pieces.cutting.windows(len(bound[pieces.main]), cuts))
        found, handed_on = list[dict[str, Array]](), dict[str, Array]()
        for window in windows:
            found.append(self._run_on(window, bound, handed_on))
            handed_on = self._kept(found[-1])
        return self._joined(windows, found)

    def run_apart(
        self, inputs: Mapping[str, Array | Bytes], cuts: Iterable[int]
    ) -> dict[str, Array]:
        """
        As `run`, of pieces that are worked on apart, but for the last, which takes what all others
        come to. Raises a RefusedStreamError where they do not combine, too.
        """
        pieces = self.pieces
        pieces.check_names(inputs)
        bound, merges = pieces.inputs.bind(inputs), pieces.merges
        *apart, last = pieces.cutting.windows(len(bound[pieces.main]), cuts)
        found = [
            self._run_on(window, bound, merges.begin_with if window.begin else {})
            for window in apart
        ]
        handed_on = reduce(merges.combined, map(self._kept, found)) if found else {}
        return self._joined([*apart, last], [*found, self._run_on(last, bound, handed_on)])

    def _kept(self, outputs: Mapping[str, Array]) -> dict[str, Array]:
        return {name: outputs[name] for name in self.pieces.kept if name in outputs}

    def _joined(
        self, windows: Sequence[Window], found: Sequence[Mapping[str, Array]]
    ) -> dict[str, Array]:
        """The outputs of the program, of what its pieces give, in order."""
        pieces = self.pieces
        parts = {
            name: [
                outputs[name][pieces.own_part(name, window)]
                for window, outputs in zip(windows, found, strict=True)
            ]
            for name in pieces.joined
        }
        joined = {name: np.concatenate(each) for name, each in parts.items()}
        return {name: joined.get(name, found[-1][name]) for name in pieces.outputs}

    def _run_on(
        self, window: Window, bound: Mapping[str, Array], handed_on: Mapping[str, Array]
    ) -> dict[str, Array]:
        interpreter, place = self._interpreter(self.pieces.kind_of(window))
        given = {
            name: array[self.pieces.slice_of(name, window)]
            if name in self.pieces.cut_inputs
            else array
            for name, array in bound.items()
            if not (window.begin and name in self.pieces.kept)
        }
        given |= handed_on
        if place is not None:
            given[place] = self.pieces.place(window)
        return dict(interpreter.run(given).buffers)

    def _interpreter(self, piece: PieceName | None) -> tuple[Interpreter, str | None]:
        if piece not in self._ready:
            module = self.pieces.module(piece)
            place = self.pieces.place_input(find_program(module))
            self._ready[piece] = Interpreter(module), place
        return self._ready[piece]
