"""The reference interpreter on pieces: what a program with `vyre.stream` means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
        parts: dict[str, list[Array]] = {name: [] for name in pieces.joined}
        handed_on, outputs = dict[str, Array](), dict[str, Array]()
        for window in pieces.cutting.windows(len(bound[pieces.main]), cuts):
            outputs = self._run_on(window, bound, handed_on)
            handed_on = {name: outputs[name] for name in pieces.kept}
            for name, found in parts.items():
                found.append(outputs[name][pieces.own_part(name, window)])
        joined = {name: np.concatenate(found) for name, found in parts.items()}
        return {name: joined.get(name, outputs[name]) for name in pieces.outputs}

    def _run_on(
        self, window: Window, bound: Mapping[str, Array], handed_on: Mapping[str, Array]
    ) -> dict[str, Array]:
        interpreter, place = self._interpreter(self.pieces.kind_of(window))
        given = {
            name: array[self.pieces.slice_of(name, window)]
            if name in self.pieces.cut_inputs
            else array
            for name, array in bound.items()
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
