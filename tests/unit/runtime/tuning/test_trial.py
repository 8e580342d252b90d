"""Which form is next in a trial, and what it says of the times that the runs took."""

from collections.abc import Callable, Mapping
from itertools import chain, repeat

from vyre_dialect.runtime.tuning.trial import ROUNDS, Form, Trial

LONG = 1000
ALL = [Form.DEFAULT, Form.UNFUSED, Form.VECTORIZED]


def runs_of(trial: Trial, time: Callable[[Form], int]) -> list[Form]:
    """The forms of all runs that a trial asks for, of which each takes what `time` says."""
    forms = list[Form]()
    while (form := trial.next) is not None and len(forms) < 100:
        trial.record(time(form))
        forms.append(form)
    return forms


def fastest_of(times: Mapping[Form, int]) -> Form:
    trial = Trial([form for form in times if form != Form.DEFAULT])
    runs_of(trial, times.__getitem__)
    return trial.fastest


def test_the_fastest_form_is_found_whichever_it_is():
    for fastest in ALL:
        assert fastest_of({form: LONG if form == fastest else 2 * LONG for form in ALL}) == fastest


def test_within_noise_the_default_stays():
    assert fastest_of({Form.DEFAULT: 1010, Form.UNFUSED: 1000}) == Form.DEFAULT
    assert fastest_of({Form.DEFAULT: 1030, Form.UNFUSED: 1000}) == Form.UNFUSED


def test_a_default_that_varies_more_than_the_forms_differ_stays():
    trial, times = Trial([Form.UNFUSED]), chain.from_iterable(repeat((1000, 1600)))
    runs_of(trial, lambda form: next(times) if form == Form.DEFAULT else 1250)
    assert trial.fastest == Form.DEFAULT


def test_the_runs_that_warm_up_do_not_count():
    trial = Trial([Form.UNFUSED])
    for ns in (99 * LONG, 99 * LONG, LONG, LONG):
        trial.record(ns)
    assert [each.samples for each in trial.timings.values()] == [[LONG], [LONG]]


def test_forms_take_turns_and_rounds_begin_with_another():
    forms = runs_of(Trial(ALL[1:]), lambda _: LONG)
    rounds = [forms[start : start + 3] for start in range(0, len(forms), 3)]
    assert rounds == [ALL, *[ALL, ALL[::-1]] * (ROUNDS // 2)]


def test_what_is_clear_ends_early():
    forms = runs_of(Trial([Form.UNFUSED]), lambda form: LONG if form == Form.DEFAULT else 2 * LONG)
    assert len(forms) < 2 * (1 + ROUNDS)


def test_a_clearly_slower_form_runs_no_more_while_others_are_compared():
    slow = {Form.DEFAULT: LONG, Form.UNFUSED: 3 * LONG, Form.VECTORIZED: LONG}
    forms = runs_of(Trial(ALL[1:]), slow.__getitem__)
    assert forms.count(Form.UNFUSED) < forms.count(Form.VECTORIZED)


def test_a_form_that_fails_is_not_taken():
    trial = Trial([Form.UNFUSED])
    trial.record(LONG)
    assert trial.next == Form.UNFUSED
    trial.drop("the device is full")
    assert trial.next is None
    assert trial.fastest == Form.DEFAULT


def test_alone_the_default_is_the_fastest():
    trial = Trial([])
    runs_of(trial, lambda _: LONG)
    assert trial.fastest == Form.DEFAULT
