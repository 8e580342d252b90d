"""The table of candidates: the default first, then the fastest, with an honest estimate."""

from io import StringIO

import pytest
from rich.console import Console

from vyre_dialect.runtime.cli import tuning_table
from vyre_dialect.runtime.cli.tuning_table import SHOWN, TuningTable
from vyre_dialect.runtime.tuning.tuner import Candidate

DEFAULT = {"n": 0}


def filled(monkeypatch: pytest.MonkeyPatch, count: int = 4) -> TuningTable:
    monkeypatch.setattr(tuning_table, "monotonic", iter([0.0, *[10.0] * 9]).__next__)
    table = TuningTable(DEFAULT, touched_bytes=2000)
    table.add(Candidate(DEFAULT, None, True, True, 1000.0, 1.0), 1, 10)
    for number in range(1, count):
        ns = 2000.0 - number
        table.add(Candidate({"n": number}, None, True, True, ns, ns / 1000), number + 1, 10)
    table.add(Candidate({"n": 99}, "wrong: 'out'", True), count + 1, 10)
    return table


def test_the_default_is_first_and_the_others_are_ranked(monkeypatch: pytest.MonkeyPatch):
    rows = filled(monkeypatch).rows()
    assert [row[0] for row in rows] == ["default", "n=3", "n=2", "n=1", "n=99"]
    assert rows[0] == ("default", "yes", "yes", "1.0", "2.00", "default")
    assert rows[-1] == ("n=99", "yes", "no", "-", "-", "wrong: 'out'")


def test_no_more_are_shown_than_fit(monkeypatch: pytest.MonkeyPatch):
    assert len(filled(monkeypatch, 50).rows()) == SHOWN


def test_the_estimate_goes_by_the_candidates_until_now(monkeypatch: pytest.MonkeyPatch):
    assert filled(monkeypatch).remaining_seconds() == 10.0  # 5 of 10 took 10 s


def test_it_draws(monkeypatch: pytest.MonkeyPatch):
    console = Console(width=100, record=True, file=StringIO())
    console.print(filled(monkeypatch).render())
    text = console.export_text()
    assert "5 of 10, about 10 s left" in text
    assert "wrong: 'out'" in text


def test_away_from_terminals_each_candidate_is_a_line(capsys: pytest.CaptureFixture[str]):
    with tuning_table.tuning_table(DEFAULT, touched_bytes=2000) as watch:
        watch(Candidate(DEFAULT, None, True, True, 1000.0, 1.0), 1, 2)
        watch(Candidate({"n": 99}, "wrong: 'out'", True), 2, 2)
    said = capsys.readouterr()
    assert said.err == "1 of 2: default: 1.0 µs, default\n2 of 2: n=99: wrong: 'out'\n"
    assert not said.out
