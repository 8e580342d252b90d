"""Words mean the same when one op each moves their bytes."""

from __future__ import annotations

from support.fusion import require_equal
from support.generated.drawing import Draws, for_each
from support.generated.words import Words, words

from vyre_dialect.ops.words import PermuteBytesOp
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

PROGRAMS = 150
CONTEXT = make_context()


def test_words_stay_the_same(draws: Draws):
    formed = 0

    def check(sample: Words) -> None:
        nonlocal formed
        module = sample.module.clone()
        apply_pipeline(module, "vyre-form-byte-permutes", CONTEXT)
        formed += any(isinstance(op, PermuteBytesOp) for op in module.walk())
        expected = interpret(sample.module, sample.inputs).outputs
        require_equal(interpret(module, sample.inputs).outputs, expected)
        again = module.clone()
        apply_pipeline(again, "vyre-form-byte-permutes", CONTEXT)
        assert str(again) == str(module)

    for_each(words(), check, examples=draws(PROGRAMS))
    assert formed > draws(PROGRAMS) // 10
