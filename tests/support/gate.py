"""The programs of the gate and the sizes that they are tested on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.gate.programs import PROGRAMS
from vyre_dialect.runtime.interpreter.arrays import Array

NAMES = tuple(PROGRAMS)
SIZES = (0, 1, 7, 63, 64, 65, 1000, 4097)
"""Rows, bytes or pixels: none, one, less than a register, around a workgroup, and several."""
LARGE = 100_003
"""Enough of them for kernels to take whole tiles."""


def assert_answers(name: str, size: int, found: Mapping[str, Array]) -> None:
    """That outputs are NumPy's answers for a program on so many units."""
    program = PROGRAMS[name]
    answers = program.answer(**program.inputs(size))
    assert found.keys() == answers.keys()
    for output, answer in answers.items():
        said = f"'{output}' of '{name}' on {size}"
        np.testing.assert_array_equal(found[output].view(answer.dtype), answer, err_msg=said)
