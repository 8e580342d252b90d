"""Words mean the same when one op each moves their bytes."""

from __future__ import annotations

from support.generated.drawing import Draws, for_each
from support.generated.words import Words, words
from support.shaping import with_equal_meaning

from vyre_dialect.ops.words import PermuteBytesOp

PROGRAMS = 150


def test_words_stay_the_same(draws: Draws):
    formed = 0

    def check(sample: Words) -> None:
        nonlocal formed
        module = with_equal_meaning(sample.module, sample.inputs, "vyre-form-byte-permutes")
        formed += any(isinstance(op, PermuteBytesOp) for op in module.walk())

    for_each(words(), check, examples=draws(PROGRAMS))
    assert formed > draws(PROGRAMS) // 10
