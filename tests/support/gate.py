"""The programs of the gate and the sizes that they are tested on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.gate.program import Inputs
from benchmarks.gate.programs import PROGRAMS
from vyre_dialect.runtime.interpreter.arrays import Array

NAMES = tuple(PROGRAMS)
SIZES = (0, 1, 7, 63, 64, 65, 1000, 4097)
"""Rows, bytes or pixels: none, one, less than a register, around a workgroup, and several."""
LARGE = 100_003
"""Enough of them for kernels to take whole tiles."""


ANY_LENGTHS = (
    "q6",
    "q1",
    "q6_aggregate",
    "q1_aggregate",
    "dear_rows",
    "nullable_sum",
    "shared_rows",
    "frames_of_reference",
    "dictionary_sum",
    "list_sums",
    "run_time_key",
    "matched_filter",
    "decimal_fields",
    "string_hashes",
    "ascii_only",
    "split_floats",
    "zone_map",
    "stereo_levels",
    "local_maxima",
)
"""Programs some of whose inputs may be of lengths that do not go together."""
STATIC = {"range", "start"}
"""Inputs whose lengths the programs state."""


def cut(inputs: Inputs, seed: int) -> Inputs:
    """Inputs of which each is cut anywhere, one of them where it begins and another not at all."""
    random = np.random.default_rng(seed)
    lengths = {name: int(random.integers(0, len(each) + 1)) for name, each in inputs.items()}
    names = random.permutation([name for name in inputs if name not in STATIC])
    lengths |= {str(names[-1]): 0} if seed % 3 == 0 else {}
    lengths |= {str(names[0]): len(inputs[str(names[0])])}
    return {
        name: each if name in STATIC else np.array(each[: lengths[name]])
        for name, each in inputs.items()
    }


def assert_answers(name: str, inputs: Inputs, found: Mapping[str, Array]) -> None:
    """That outputs are NumPy's answers for a program on inputs."""
    answers = PROGRAMS[name].answer(**inputs)
    assert found.keys() == answers.keys()
    for output, answer in answers.items():
        said = f"'{output}' of '{name}' on { {name: len(each) for name, each in inputs.items()} }"
        np.testing.assert_array_equal(found[output].view(answer.dtype), answer, err_msg=said)
