"""A program is compiled again whenever anything has changed that it was compiled from."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from support.devices import small_device

from vyre_dialect.ir.canonical_text import canonical_text
from vyre_dialect.passes.scalar.cse import CommonSubexpressionEliminationPass
from vyre_dialect.passes.schedule.instrumentation import Edits
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.driver import installation, kept_programs
from vyre_dialect.runtime.driver.building import build
from vyre_dialect.runtime.driver.job import BuiltProgram, Job
from vyre_dialect.runtime.driver.kept_form import as_text, is_faithful
from vyre_dialect.runtime.driver.program_cache import ProgramCache
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.loading import make_context, parse_module
from vyre_dialect.runtime.program.observers import Observer
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.tuning.decisions import DecisionFile
from vyre_dialect.runtime.tuning.device_model import DeviceModel
from vyre_dialect.runtime.tuning.device_model_file import DeviceModelFile
from vyre_dialect.runtime.tuning.mode import Mode

DEVICE = small_device(32768)
CONTEXT = make_context()
TEXT = """
vyre.program @p workgroup_size [64] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>,
        !vyre.buffer<1xi32, read_write>
}
"""
INPUTS = {"encoded": b"6162"}


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.delenv("VYRE_NO_CACHE", raising=False)


@pytest.fixture
def cache(tmp_path: Path) -> ProgramCache:
    return ProgramCache(tmp_path / "not" / "yet")


def job(text: str = TEXT, **changes: Any) -> Job:
    standard: dict[str, Any] = {
        "module": parse_module(text, CONTEXT),
        "device": Device(None, DEVICE),  # pyright: ignore[reportArgumentType]
        "inputs": INPUTS,
        "passes": Passes(),
        "tuner": Mode.OFF,
        "context": CONTEXT,
    }
    return Job(**standard | changes)


def giving(result: object) -> Callable[..., object]:
    """A function that always gives `result`."""

    def function(*_: object) -> object:
        return result

    return function


def kept(cache: ProgramCache, asked: Job) -> tuple[str, BuiltProgram]:
    built, key = build(asked), cache.key(asked)
    assert key is not None
    cache.put(key, built, asked)
    return key, built


def test_what_was_put_is_got(cache: ProgramCache):
    asked = job()
    key, built = kept(cache, asked)
    found = cache.get(key, asked)
    assert found is not None
    assert found.compiled.is_kept and not built.compiled.is_kept
    assert found.compiled.printed == built.compiled.printed
    assert found.inputs == built.inputs
    assert found.inputs.needed == ("encoded",)
    assert canonical_text(found.compiled.program) == canonical_text(built.compiled.program)
    assert [each.traps for each in found.compiled.printed.kernels[0].arguments if each.traps] == [
        ("invalid hex input",)
    ]


def test_names_of_values_and_layout_do_not_count(cache: ProgramCache):
    spaced = TEXT.replace("%errors", "%e").replace("\n  vyre.decode", "\n\n  // why\n  vyre.decode")
    assert cache.key(job(spaced)) == cache.key(job())


DIFFERENT: dict[str, Callable[[], Job]] = {
    "a name of a buffer": lambda: job(TEXT.replace("@decoded", "@plain")),
    "the name of the program": lambda: job(TEXT.replace("@p ", "@q ")),
    "what is read back": lambda: job(TEXT.replace("@errors fill", "@errors live_out fill")),
    "the size of workgroups": lambda: job(TEXT.replace("[64]", "[32]")),
    "options": lambda: job(passes=Passes(optimize=OptimizePass(options="vyre-coarsen{items=4}"))),
    "the profile": lambda: job(passes=Passes(optimize=OptimizePass(profile="dataflow"))),
    "whether decisions are taken": lambda: job(tuner=Mode.CACHED),
    "a driver": lambda: job(device=Device(None, replace(DEVICE, driver="2"))),  # pyright: ignore[reportArgumentType]
    "an extension": lambda: job(
        device=Device(None, replace(DEVICE, extensions=frozenset({"cl_khr_fp64"})))  # pyright: ignore[reportArgumentType]
    ),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_the_key_depends_on(what: str, cache: ProgramCache):
    assert cache.key(DIFFERENT[what]()) not in (None, cache.key(job()))


def test_the_key_depends_on_what_is_installed(cache: ProgramCache, monkeypatch: pytest.MonkeyPatch):
    before = cache.key(job())
    monkeypatch.setattr(kept_programs, "fingerprint", lambda: "another version")
    assert cache.key(job()) != before


def naming(option: Literal["hints", "previous", "schedule"], file: str) -> OptimizePass:
    return replace(OptimizePass(), **{option: file})


@pytest.mark.parametrize("option", ["hints", "previous", "schedule"])
def test_files_count_by_what_stands_in_them(
    option: Literal["hints", "previous", "schedule"], cache: ProgramCache, tmp_path: Path
):
    path, asked = tmp_path / "given", job()
    asked = replace(asked, passes=Passes(optimize=naming(option, str(path))))
    assert cache.key(asked) is None, "what cannot be read twice decides nothing"
    path.write_text("{}")
    before = cache.key(asked)
    path.write_text("{} ")
    assert cache.key(asked) not in (None, before)


@pytest.mark.parametrize(
    "passes",
    [
        Passes(pipeline="vyre-expand"),
        Passes(edits=Edits(left_out=frozenset({"vyre-cse"}))),
        Passes(edits=Edits(after={"vyre-expand": (CommonSubexpressionEliminationPass(),)})),
        Passes(observers=(Observer(),)),
        Passes(optimize=OptimizePass(report="report.json")),
    ],
    ids=["pipeline", "left out", "inserted", "observed", "reported"],
)
def test_what_somebody_wants_to_see_or_to_change_is_not_kept(passes: Passes, cache: ProgramCache):
    assert cache.key(job(passes=passes)) is None


def test_nothing_is_kept_without_a_folder(monkeypatch: pytest.MonkeyPatch):
    assert ProgramCache.default().folder is not None
    monkeypatch.setenv("VYRE_NO_CACHE", "1")
    assert ProgramCache.default().folder is None
    assert ProgramCache.default().key(job()) is None


def test_the_folder_and_its_files_are_this_users_alone(cache: ProgramCache):
    key, _ = kept(cache, job())
    assert cache.folder is not None
    assert cache.folder.stat().st_mode & 0o777 == 0o700
    assert (cache.folder / key).stat().st_mode & 0o777 == 0o600


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda data: b"",
    "cut": lambda data: data[:-1],
    "longer": lambda data: data + b" ",
    "another kernel": lambda data: data.replace(b"__kernel", b"__other_"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_tampered_file_is_a_miss(damage: str, cache: ProgramCache):
    key, _ = kept(cache, asked := job())
    assert cache.folder is not None and cache.get(key, asked) is not None
    path = cache.folder / key
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert cache.get(key, asked) is None


def test_a_file_is_bound_to_its_key(cache: ProgramCache):
    key, _ = kept(cache, asked := job())
    other, _ = kept(cache, job(TEXT.replace("@decoded", "@plain")))
    assert cache.folder is not None
    os.replace(cache.folder / other, cache.folder / key)
    assert cache.get(key, asked) is None


def test_a_file_that_others_may_write_is_a_miss(cache: ProgramCache):
    key, _ = kept(cache, asked := job())
    assert cache.folder is not None
    (cache.folder / key).chmod(0o666)
    with pytest.warns(UserWarning, match="other users may write to it"):
        assert cache.get(key, asked) is None


@pytest.mark.parametrize("field", ["plan", "kernels", "inputs", "source", "policy"])
def test_what_makes_no_sense_is_a_miss_and_goes(
    field: str, cache: ProgramCache, monkeypatch: pytest.MonkeyPatch
):
    asked = job()
    key, built = cache.key(asked), build(asked)
    assert key is not None and cache.folder is not None
    value = json.loads(as_text(built.compiled, built.inputs, None))
    del value[field]
    monkeypatch.setattr(kept_programs, "as_text", giving(json.dumps(value)))
    monkeypatch.setattr(kept_programs, "is_faithful", giving(True))
    cache.put(key, built, asked)
    assert (cache.folder / key).exists()
    assert cache.get(key, asked) is None
    assert not (cache.folder / key).exists()


def test_a_plan_that_does_not_read_back_is_not_kept(
    cache: ProgramCache, monkeypatch: pytest.MonkeyPatch
):
    asked = job()
    built = build(asked)
    text = as_text(built.compiled, built.inputs, None)
    assert is_faithful(text, built.compiled, CONTEXT)
    assert not is_faithful(text.replace("@decoded", "@plain"), built.compiled, CONTEXT)
    monkeypatch.setattr(kept_programs, "as_text", giving(text.replace("@decoded", "@plain")))
    cache.put("key", built, asked)
    assert cache.get("key", asked) is None


def test_any_new_decision_counts_and_so_do_sizes_then(cache: ProgramCache):
    taking = job(tuner=Mode.CACHED)
    longer = replace(taking, inputs={"encoded": np.zeros(64, np.uint8)})
    before = cache.key(taking)
    assert cache.key(longer) == before, "nothing is decided for any size"
    path = DecisionFile.of(DEVICE)
    assert path is not None
    path.file.change(lambda _: b"# decisions")
    after = cache.key(taking)
    assert len({before, after, cache.key(longer)}) == 3
    assert cache.key(job()) not in (before, after)


def test_files_of_packages_are_known_by_name_size_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    package = tmp_path / "acme_passes"
    (package / "deep").mkdir(parents=True)
    (package / "__init__.py").write_text("UNIVERSE = None\n")
    (package / "deep" / "rules.py").write_text("LIMIT = 1\n")
    info = tmp_path / "acme-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    before = installation.fingerprint()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert installation.fingerprint() == before, "it brings nothing for compilers"
    (info / "entry_points.txt").write_text("[xdsl.universe]\nacme = acme_passes:UNIVERSE\n")
    seen = {before, installation.fingerprint()}
    (package / "deep" / "rules.py").write_text("LIMIT = 10\n")
    seen.add(installation.fingerprint())
    os.utime(package / "deep" / "rules.py", (1, 1))
    seen.add(installation.fingerprint())
    (package / "more.py").touch()
    seen.add(installation.fingerprint())
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 2\n")
    seen.add(installation.fingerprint())
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "more.pyc").touch()
    seen.add(installation.fingerprint())
    assert len(seen) == 6


def test_vyres_own_sources_are_among_them():
    described = "\n".join(installation._files())
    for module in ("ops/kernel.py", "scalar/cse.py", "opencl/printer.py", "driver/execute.py"):
        assert f"{module} " in described


def test_another_model_of_the_device_is_another_key(cache: ProgramCache):
    asked, measured = job(tuner=Mode.CACHED), job(tuner=Mode.CACHED, is_measured=True)
    before = cache.key(asked), cache.key(measured)
    model = DeviceModelFile.of(DEVICE)
    assert model is not None
    model.put(DeviceModel({"launches": 1.0}, 0.0, 0.1, is_calibrated=True))
    after = cache.key(asked), cache.key(measured)
    assert before[0] != after[0]
    assert before[1] == after[1]
