"""What a program is on each of its pieces, whatever runs it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.streams.apart import forbids_apart
from vyre_dialect.analysis.streams.plan import Turn
from vyre_dialect.analysis.streams.refusal import Refusal
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.stream import stream_of
from vyre_dialect.passes.program.cut_stream import CutStreamPass, PieceName
from vyre_dialect.passes.program.stream import StreamPass, plan_along, stream_op
from vyre_dialect.runtime.errors import RefusedStreamError
from vyre_dialect.runtime.interpreter.arrays import Array, element_size
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs, missing_input
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.program.compilation import one_line_errors
from vyre_dialect.runtime.streams.cutting import Cutting, Window
from vyre_dialect.runtime.streams.merging import Merges


class Pieces:
    """
    A program of arms that may be cut, and what it is on each piece.

    Raises a RefusedStreamError where an op forbids to cut it, and a UsageError where it has no
    input called `main`.
    """

    def __init__(self, module: ModuleOp, context: Context, main: str = ""):
        self._context = context
        self._module = module.clone()
        program = find_program(self._module)
        name = program.sym_name.data
        with one_line_errors(f"pass '{StreamPass.name}'"):
            found = plan_along(program, AnalysisManager(), main)
        if found is None:
            raise RefusedStreamError(name, "none of its inputs has a size that the host says")
        plan = found[1]
        if isinstance(plan, Refusal):
            raise RefusedStreamError(name, str(plan))
        stream = stream_op(plan)
        program.body.block.insert_op_before(stream, next(iter(program.body.block.ops)))
        self.name = name
        self.stream = stream
        self.cutting = Cutting.of(stream)
        self.main = stream.main_name
        self.inputs = ProgramInputs.of(program)
        self.kept: Mapping[str, AtomicKind | None] = stream.kept
        """What pieces hand on to each other, with how parts combine that were made apart."""
        self.joined: Mapping[str, int] = stream.joined
        """Outputs of which each piece has a part, with the elements for each unit."""
        self.outputs = _outputs(program)
        self.bytes_per_unit = sum(
            count * element_size(buffer.type)
            for buffer, count in plan.lengths.items()
            if buffer is not plan.main
        )
        """Of all that is cut, but for the input that it is cut along."""
        prepares = any(each.turn == Turn.FIRST for each in plan.arms.values())
        self._begins_alike = not plan.before and not prepares
        self.ends_on_all = any(each.turn == Turn.LAST for each in plan.arms.values())
        """Whether an arm of the last piece works on what all pieces have come to."""
        self._forbids_apart = forbids_apart(plan)

    @cached_property
    def cut_inputs(self) -> dict[str, tuple[int, int]]:
        """Elements for each unit, and those behind, of each input that is cut."""
        return {self.main: (self.cutting.unit, 0), **self.stream.cut_inputs}

    @cached_property
    def merges(self) -> Merges:
        """
        How pieces combine that are worked on apart. Raises a RefusedStreamError that names a buffer
        of which they do not.
        """
        return Merges.of(find_program(self._module), self.stream)

    def kind_of(self, window: Window) -> PieceName | None:
        """
        What runs a piece: one in the middle does as the first, too, where pieces take in nothing
        before their own and no arm prepares what they hand on.
        """
        return "middle" if window.piece == "first" and self._begins_alike else window.piece

    def check_apart(self) -> None:
        """Raise a RefusedStreamError where an op forbids that pieces run at once."""
        if self._forbids_apart is not None:
            raise RefusedStreamError(self.name, str(self._forbids_apart))

    def module(self, piece: PieceName | None, *, apart: bool = False) -> ModuleOp:
        """
        The program on a piece, or, for None, on all of its input. One that is `apart` takes nothing
        from the piece before.
        """
        module = self._module.clone()
        if piece is not None:
            with one_line_errors(f"pass '{CutStreamPass.name}'"):
                CutStreamPass(piece, apart).apply(self._context, module)
            return module
        stream = stream_of(find_program(module))
        assert stream is not None
        stream.detach()
        return module

    def place_input(self, program: ProgramOp) -> str | None:
        """The input by which a program of a piece learns where that lies, if there is one."""
        known = {*self.inputs.types, *self.inputs.others}
        added = [name for name in ProgramInputs.of(program).types if name not in known]
        return added[0] if added else None

    def slice_of(self, name: str, window: Window) -> slice:
        """What a piece takes of an input that is cut."""
        per_unit, extra = self.cut_inputs[name]
        end = None if window.last is None else window.last * per_unit + extra
        return slice(window.first * per_unit, end)

    def own_part(self, name: str, window: Window) -> slice:
        """What of an output of a piece, of which it has a part, belongs to it."""
        per_unit = self.joined[name]
        begin = (window.begin - window.first) * per_unit
        end = None if window.end is None else (window.end - window.first) * per_unit
        return slice(begin, end)

    def own_parts(self, window: Window, outputs: Mapping[str, Array]) -> dict[str, Array]:
        """What belongs to a piece of the outputs of which it has a part."""
        return {name: outputs[name][self.own_part(name, window)] for name in self.joined}

    def place(self, window: Window) -> Array:
        """What tells a piece where it lies."""
        return np.array([window.first], np.int64)

    def check_names(self, inputs: Mapping[str, object]) -> None:
        """Raise a UsageError for an unknown input, or where one is missing."""
        self.inputs.verify_names(inputs)
        self.inputs.verify_complete(inputs)
        if self.main not in inputs:
            raise missing_input(self.name, self.main)


def _outputs(program: ProgramOp) -> tuple[str, ...]:
    return tuple(each.sym_name.data for each in program.buffers() if each.live_out is not None)
