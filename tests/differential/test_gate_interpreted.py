"""The programs of the gate mean what NumPy says, as they stand and fused."""

from __future__ import annotations

import pytest
from support.gate import ANY_LENGTHS, NAMES, SIZES, assert_answers, cut
from support.tiers import crossed

from benchmarks.gate.program import FOLDER
from benchmarks.gate.programs import PROGRAMS
from benchmarks.passes_at_work import SHOWN
from vyre_dialect.runtime.interpreter import Interpreter
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, make_context

FORMS = {
    "as written": "vyre-expand",
    "fused": "vyre-expand,vyre-decode-scan-fuse",
    "tiles": "vyre-expand,vyre-decode-scan-fuse{strategy=workgroup}",
}


def test_every_program_belongs_to_the_gate_or_to_the_passes() -> None:
    assert {path.stem for path in FOLDER.glob("*.mlir")} == {*PROGRAMS, *SHOWN}


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_not_trivial(name: str) -> None:
    program = PROGRAMS[name]
    answers = program.answer(**program.inputs(100_003))
    assert all(each.any() for each in answers.values())


@pytest.mark.parametrize("name", NAMES)
def test_units_take_as_many_bytes_as_they_say(name: str) -> None:
    program, size = PROGRAMS[name], 1 << 20
    assert sum(each.nbytes for each in program.inputs(program.units(size)).values()) == (
        pytest.approx(size, rel=0.01)
    )


@pytest.mark.parametrize(("name", "form"), crossed(NAMES, FORMS))
def test_the_interpreter_answers_as_numpy(name: str, form: str) -> None:
    run = interpreter_of(name, form).run
    for size in SIZES:
        inputs = PROGRAMS[name].inputs(size)
        assert_answers(name, inputs, run(inputs).outputs)


@pytest.mark.one_in(20)
@pytest.mark.parametrize(("name", "form"), crossed(ANY_LENGTHS, FORMS))
def test_lengths_need_not_go_together(name: str, form: str) -> None:
    run = interpreter_of(name, form).run
    for seed in range(6):
        inputs = cut(PROGRAMS[name].inputs(2000), seed)
        assert_answers(name, inputs, run(inputs).outputs)


def interpreter_of(name: str, form: str) -> Interpreter:
    context = make_context()
    module = load_module(PROGRAMS[name].path, context)
    apply_pipeline(module, FORMS[form], context)
    return Interpreter(module)


def test_a_wrong_answer_is_noticed() -> None:
    program = PROGRAMS["q6"]
    inputs = program.inputs(4097)
    wrong = {name: each + 1 for name, each in program.answer(**inputs).items()}
    with pytest.raises(AssertionError):
        assert_answers("q6", inputs, wrong)
