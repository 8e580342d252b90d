"""Generated programs on pieces of their input, cut anywhere, come to the same as on all of it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from support.generated.drawing import for_each
from support.generated.streamed import Streamed, streamed
from support.piece_interpreter import PieceInterpreter

from vyre_dialect.runtime.errors import RefusedStreamError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.program.compilation import make_context

CONTEXT = make_context()


def whole(sample: Streamed) -> dict[str, Array] | None:
    """The outputs without a cut; None where an arm traps."""
    try:
        return dict(interpret(sample.module, sample.inputs).outputs)
    except TrapError:
        return None


def in_pieces(
    sample: Streamed, ready: PieceInterpreter, cuts: list[int]
) -> dict[str, Array] | None:
    try:
        return ready.run(sample.inputs, cuts)
    except TrapError:
        return None


def made_ready(sample: Streamed) -> PieceInterpreter | None:
    """The program on pieces, or None where an op forbids that."""
    try:
        return PieceInterpreter(sample.module, CONTEXT)
    except RefusedStreamError:
        return None


def in_any_order(name: str, array: Array) -> Array:
    return np.sort(array) if name.endswith("unsorted") else array


@pytest.mark.slow
@pytest.mark.parametrize(
    ("examples", "equal"), [(90, 20), pytest.param(400, 140, marks=pytest.mark.slow)]
)
def test_any_cut_gives_the_same_as_none(examples: int, equal: int) -> None:
    seen = Counter[str]()

    def check(sample: Streamed) -> None:
        if (ready := made_ready(sample)) is None:
            seen["refused"] += 1
            return
        cutting, elements = ready.pieces.cutting, len(sample.inputs["text"])
        cuts = [elements // cutting.unit * each // 1000 for each in sample.cuts]
        pieces = len(list(cutting.windows(elements, cuts)))
        seen["cut" if pieces > 1 else "whole"] += 1
        expected, got = whole(sample), in_pieces(sample, ready, cuts)
        if expected is None or got is None:
            seen["trap"] += 1
            assert got is expected, "both trap"
            return
        assert got.keys() == expected.keys()
        for name, array in expected.items():
            np.testing.assert_array_equal(in_any_order(name, got[name]), in_any_order(name, array))

    for_each(streamed(), check, examples=examples)
    print(dict(seen))  # for a longer run, with `-s`
    assert seen["cut"] - seen["trap"] >= equal, seen
    assert seen["refused"] >= equal // 20, seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("examples", "equal"), [(60, 10), pytest.param(150, 30, marks=pytest.mark.slow)]
)
def test_pieces_that_are_worked_on_apart_come_to_the_same(examples: int, equal: int) -> None:
    seen = Counter[str]()

    def check(sample: Streamed) -> None:
        if (ready := made_ready(sample)) is None:
            return
        cutting, elements = ready.pieces.cutting, len(sample.inputs["text"])
        cuts = [elements // cutting.unit * each // 1000 for each in sample.cuts]
        expected = whole(sample)
        try:
            got = ready.run_apart(sample.inputs, cuts)
        except RefusedStreamError:
            seen["refused"] += 1
            assert None in ready.pieces.kept.values()
            return
        except TrapError:
            assert expected is None
            return
        assert expected is not None
        seen["equal"] += len(list(cutting.windows(elements, cuts))) > 1
        for name, array in expected.items():
            np.testing.assert_array_equal(got[name], array)

    for_each(streamed(), check, examples=examples)
    assert seen["equal"] >= equal and seen["refused"] >= 1, seen
