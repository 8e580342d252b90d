"""Which form is next in a trial, and what it says of the times that the runs took."""

from collections.abc import Callable
from itertools import chain, repeat

from vyre_dialect.runtime.tuning.trial import BRIEF_NS, MOST_RUNS, Form, Trial

LONG = 10 * BRIEF_NS


def runs_of(trial: Trial, time: Callable[[Form], int]) -> list[Form]:
    """The forms of all runs that a trial asks for, of which each takes what `time` says."""
    forms = list[Form]()
    while (form := trial.next) is not None and len(forms) < 100:
        trial.record(time(form))
        forms.append(form)
    return forms


def faster_of(fused: int, unfused: int) -> Form:
    trial = Trial()
    runs_of(trial, {Form.FUSED: fused, Form.UNFUSED: unfused}.__getitem__)
    assert trial.is_measured
    return trial.faster


def test_the_faster_form_is_found_whichever_it_is():
    assert faster_of(2 * LONG, LONG) == Form.UNFUSED
    assert faster_of(LONG, 2 * LONG) == Form.FUSED


def test_within_noise_the_default_stays():
    assert faster_of(1010 * LONG, 1000 * LONG) == Form.FUSED
    assert faster_of(1030 * LONG, 1000 * LONG) == Form.UNFUSED


def test_a_default_that_varies_more_than_the_forms_differ_stays():
    trial, times = Trial(), chain.from_iterable(repeat((10 * LONG, 16 * LONG)))
    runs_of(trial, lambda form: next(times) if form == Form.FUSED else 14 * LONG)
    assert trial.is_measured
    assert trial.faster == Form.FUSED


def test_runs_that_warm_up_do_not_count():
    trial = Trial()
    for ns in (99 * LONG, LONG, 99 * LONG, LONG):
        trial.record(ns)
    assert [trial.timings[form].samples for form in Form] == [[LONG], [LONG]]


def test_forms_take_turns_and_none_is_always_first():
    forms = runs_of(Trial(), lambda _: LONG)
    assert len(forms) == MOST_RUNS
    turns = forms[3:]
    pairs = {tuple(turns[start : start + 2]) for start in range(0, len(turns), 2)}
    assert pairs == {(Form.UNFUSED, Form.FUSED), (Form.FUSED, Form.UNFUSED)}


def test_what_is_clear_ends_early():
    assert len(runs_of(Trial(), lambda form: LONG if form else 2 * LONG)) < MOST_RUNS


def test_brief_runs_are_all_of_the_default():
    trial = Trial()
    for _ in range(50):
        assert trial.next == Form.FUSED
        trial.record(BRIEF_NS - 1)
    assert not trial.is_measured


def test_a_form_that_fails_is_not_taken():
    trial = Trial()
    trial.record(LONG)
    trial.record(LONG)
    assert trial.next == Form.UNFUSED
    trial.drop(Form.UNFUSED, "the device is full")
    assert trial.next is None
    assert not trial.is_measured
    assert trial.faster == Form.FUSED
