"""
Puts together what parts of an input have come to that were worked on apart from each other: by
several devices, or on several machines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import IntegerType

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.stream import IN_ORDER, StreamOp, declared
from vyre_dialect.runtime.errors import RefusedStreamError
from vyre_dialect.runtime.interpreter.arrays import Array, element_dtype
from vyre_dialect.runtime.interpreter.atomics import combined


@dataclass(frozen=True)
class Merges:
    """How parts combine, of each buffer that pieces hand on; in whatever order, as atomics do."""

    kinds: Mapping[str, AtomicKind]
    begin_with: Mapping[str, Array]
    """
    What parts take but for the first, which takes what the host supplies: it changes nothing. Of a
    buffer that is missing, that is zeros, as where nothing is supplied.
    """

    @classmethod
    def of(cls, program: ProgramOp, stream: StreamOp) -> Merges:
        """
        Of a program of arms that may be cut, as `stream` says. Raises a RefusedStreamError that
        names a buffer of which parts do not combine.
        """
        kinds, name = dict[str, AtomicKind](), program.sym_name.data
        for buffer, kind in stream.kept.items():
            if kind is None:
                raise RefusedStreamError(
                    name, f"'@{buffer}' is kept '{IN_ORDER}': its parts cannot be made apart"
                )
            kinds[buffer] = kind
        kept = {each: declared(program, each) for each in kinds}
        neutral = {each: _neutral(name, buffer, kinds[each]) for each, buffer in kept.items()}
        return cls(
            kinds,
            {each: array for each, array in neutral.items() if array is not None},
        )

    def combined(self, one: Mapping[str, Array], other: Mapping[str, Array]) -> dict[str, Array]:
        """What two parts come to together, each by the names of its buffers."""
        return {name: combined(kind, one[name], other[name]) for name, kind in self.kinds.items()}


def _neutral(program: str, buffer: BufferOp, kind: AtomicKind) -> Array | None:
    """What a part begins with; None for zeros that are there anyway."""
    element = buffer.type.element_type
    assert isinstance(element, IntegerType), "atomics combine integers"
    neutral = kind.neutral(element.width.data)
    if not neutral and buffer.fill is None:
        return None
    if (count := buffer.type.static_count) is None:
        raise RefusedStreamError(
            program,
            f"'@{buffer.sym_name.data}' begins with other than 0 in parts that are made apart, and "
            "is sized at run time: declare how many elements it has",
        )
    signed = np.full(count, neutral, f"<i{element_dtype(buffer.type).itemsize}")
    return signed.view(element_dtype(buffer.type))
