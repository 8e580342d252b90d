"""What was decided is found again, for the same question only, whatever happens to the file."""

import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.devices import small_device

from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.tuning.adapter import Adapter
from vyre_dialect.runtime.tuning.decisions import DecisionFile, decision_key, decision_path
from vyre_dialect.runtime.tuning.kept_file import KeptFile

DEVICE = small_device(32768)

DECISION = Decision(
    "count",
    {"vyre.program.workgroup_size": 256, "vyre-unroll": True, "vyre-coarsen.order": "blocked"},
    {"vyre.program.workgroup_size": 128, "vyre-unroll": False, "vyre-coarsen.order": "strided"},
    ns=1000.5,
    default_ns=2000.0,
    noise=0.02,
    evaluations=40,
    when=datetime(2026, 11, 22, 1, 2, 3, tzinfo=UTC),
)


def key_of(number: int) -> str:
    return decision_key(f"program {number}", "", DEVICE, [], 0)


def put_many(path: Path, start: int) -> None:
    for number in range(start, start + 8):
        DecisionFile(KeptFile(path)).put(key_of(number), DECISION)


@pytest.fixture
def kept(tmp_path: Path) -> DecisionFile:
    return DecisionFile(KeptFile(tmp_path / "device.toml"))


def test_a_decision_comes_back_as_it_was(kept: DecisionFile):
    assert kept.get(key_of(1)) is None
    kept.put(key_of(1), DECISION)
    assert kept.get(key_of(1)) == DECISION
    assert kept.get(key_of(2)) is None


def test_a_later_decision_takes_the_place_of_an_earlier_one(kept: DecisionFile):
    kept.put(key_of(1), DECISION)
    kept.put(key_of(1), replace(DECISION, ns=500.0))
    assert kept.all() == {key_of(1): replace(DECISION, ns=500.0)}


def test_clearing_forgets_all(kept: DecisionFile):
    kept.put(key_of(1), DECISION)
    kept.clear()
    assert kept.all() == {}


def test_each_thing_that_a_decision_depends_on_is_in_its_key():
    arguments = ("text", "options", DEVICE, [1, None], 4)
    keys = {
        decision_key(*arguments),
        decision_key("other", *arguments[1:]),
        decision_key("text", "other", *arguments[2:]),
        *(
            decision_key("text", "options", replace(DEVICE, **{name: "other"}), [1, None], 4)
            for name in ("name", "driver", "platform")
        ),
        decision_key("text", "options", DEVICE, [2, None], 4),
        decision_key("text", "options", DEVICE, [None, 1], 4),
        decision_key("text", "options", DEVICE, [1, None], 5),
    }
    assert len(keys) == 9
    assert all(key.startswith("v1-") and len(key) == 67 for key in keys)
    assert decision_key(*arguments) in keys


def test_parts_of_a_key_do_not_run_together():
    one = decision_key("ab", "c", DEVICE, [], 0)
    assert one != decision_key("b", "ca", DEVICE, [], 0)


def test_adapters_have_files_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    paths = {decision_path(Adapter("p", name)) for name in ("one", "other")}
    assert len(paths) == 2
    assert all(path and path.parent == tmp_path / "vyre" / "tuner" for path in paths)


def test_there_are_none_where_no_file_can_be(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", f"/{'a' * 300}")
    assert not DecisionFile.exists_for(DEVICE)


def test_a_key_of_another_form_is_not_kept(kept: DecisionFile):
    with pytest.raises(ValueError, match="expected a key of decisions, got 'v1-short'"):
        kept.put("v1-short", DECISION)


@pytest.mark.slow
def test_processes_that_decide_at_once_lose_nothing(tmp_path: Path):
    path = tmp_path / "device.toml"
    with ProcessPoolExecutor(8) as processes:
        list(processes.map(put_many, [path] * 8, range(0, 64, 8)))
    assert DecisionFile(KeptFile(path)).all() == {key_of(n): DECISION for n in range(64)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ns = 1000.5", "ns = 0"),
        ("ns = 1000.5", "ns = -1.0"),
        ("ns = 1000.5", "ns = nan"),
        ("ns = 1000.5", 'ns = "fast"'),
        ("ns = 1000.5", "ns = true"),
        ("ns = 1000.5", f"ns = 1{'0' * 400}"),
        ("noise = 0.02", f"noise = 1{'0' * 400}"),
        ("ns = 1000.5", ""),
        ("evaluations = 40", "evaluations = 0"),
        ("2026-11-22 01:02:03+00:00", '"yesterday"'),
        ("= 256", "= [256, 1, 1]"),
        ("noise = 0.02", "noise = -0.1"),
    ],
)
def test_a_malformed_decision_is_a_miss_with_a_warning_and_is_kept_aside(
    kept: DecisionFile, old: str, new: str
):
    kept.put(key_of(1), DECISION)
    kept.put(key_of(2), replace(DECISION, ns=1.0, default_ns=3.0, evaluations=7))
    text = kept.file.path.read_text()
    assert old in text
    damaged = text.replace(old, new, 1)
    kept.file.path.write_text(damaged)
    with pytest.warns(UserWarning, match="malformed decision"):
        found = kept.all()
    assert len(found) == 1
    with pytest.warns(UserWarning, match="is damaged: kept as"):
        kept.put(key_of(3), DECISION)
    assert len(kept.all()) == 2
    assert [path.read_text() for path in kept.file.path.parent.glob("*rejected*")] == [damaged]


@given(st.data())
def test_any_damage_to_a_file_is_survived(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    kept = DecisionFile(KeptFile(tmp_path_factory.mktemp("kept") / "device.toml"))
    for number in range(3):
        kept.put(key_of(number), DECISION)
    whole = kept.file.path.read_bytes()
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, len(whole)))
    damaged = whole[:begin] + data.draw(st.binary(max_size=30)) + whole[end:]
    kept.file.path.write_bytes(damaged)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = kept.all()
        for number in range(3):
            decision = kept.get(key_of(number))
            assert decision == found.get(key_of(number))
        kept.put(key_of(9), DECISION)
        assert kept.get(key_of(9)) == DECISION
    # Nothing that made sense is lost, and of what did not a copy is left.
    assert found.items() <= kept.all().items()
    asides = [path.read_bytes() for path in kept.file.path.parent.glob("*rejected*")]
    assert asides in ([], [damaged])


ENDLESS = {"lists": b"a = " + b"[" * 100_000, "keys": b".".join([b"a"] * 100_000) + b"=1"}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_nesting_without_end_is_a_miss(kept: DecisionFile, text: bytes):
    kept.file.path.write_bytes(text)
    with pytest.warns(UserWarning, match="no decision of it is taken"):
        assert kept.get(key_of(1)) is None
