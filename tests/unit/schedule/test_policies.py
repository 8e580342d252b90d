"""What passes are to do on a kind of device is said in files, of vyre and of other packages."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.documents import blocks_of
from support.optimized_examples import DEVICES as EXAMPLE_DEVICES
from support.optimized_examples import NAMES
from support.schedules import CONTEXT, TINY, tiny
from support.tiers import slow_if
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import PassFailedException

from examples.data import EXAMPLES
from vyre_dialect.ir.devices import PROPERTIES, Properties, parse_properties, properties_texts
from vyre_dialect.ops.schedule import ScheduleOp
from vyre_dialect.passes.schedule import policies
from vyre_dialect.passes.schedule.files import read_schedule, schedule_of_text
from vyre_dialect.passes.schedule.materialize_schedule import ProfileName
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.passes.schedule.options import build_pass
from vyre_dialect.passes.schedule.policies import policy_for, policy_options
from vyre_dialect.passes.schedule.registry import installed_passes
from vyre_dialect.runtime.program.compilation import (
    compile_module,
    for_device,
    load_module,
    parse_module,
    schedule_for,
)
from vyre_dialect.runtime.program.explanation import SourceText, explain_module
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.tuning.configuration import Configurations

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "passes" / "schedule"
DEVICES = EXAMPLE_DEVICES | {"gpu": replace(EXAMPLE_DEVICES["gpu"], local_mem_bytes=49152)}
EXTENSION = ROOT / "examples" / "extension"
FILES = sorted(FOLDER.glob("*.mlir"))

Install = Callable[..., None]

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs packages that bring policies: files by name, for each package by name."""
    entries = list[EntryPoint]()

    def found(group: str) -> EntryPoints:
        assert group == "vyre.policies"
        return EntryPoints(entries)

    def add(**packages: Mapping[str, str]) -> None:
        for package, files in packages.items():
            folder = tmp_path / package
            folder.mkdir()
            for name, text in {"__init__.py": "", **files}.items():
                (folder / name).write_text(text)
            entries.append(EntryPoint(package, package, "vyre.policies"))
        policies.installed_policies.cache_clear()

    monkeypatch.setattr(sys, "path", [str(tmp_path), str(EXTENSION), *sys.path])
    monkeypatch.setattr(policies, "entry_points", found)
    yield add
    policies.installed_policies.cache_clear()
    for name in [name for name in sys.modules if name.startswith(("acme", "tape"))]:
        del sys.modules[name]


def policy(name: str, devices: str = "", requests: str = "") -> str:
    return f"vyre.schedule @{name} profile(release) devices {{{devices}}} {{\n{requests}\n}}\n"


def name_for(device: Properties) -> str | None:
    found = policy_for(device)
    return None if found is None else found.sym_name.data


def example(name: str) -> ModuleOp:
    return load_module(EXAMPLES / f"{name}.mlir", CONTEXT)


# Those of vyre.


@pytest.mark.parametrize(
    ("properties", "name"),
    [
        ({"has_own_local_mem": True}, "gpu"),
        ({"has_own_local_mem": False}, "cpu"),
        ({"has_own_local_mem": True, "kind": "cpu", "compute_units": 1}, "gpu"),
        ({"kind": "gpu"}, None),
        ({}, None),
    ],
)
def test_a_device_gets_the_policy_that_it_meets_the_conditions_of(
    properties: Properties, name: str | None
) -> None:
    assert name_for(properties) == name


@each_file
def test_each_file_is_installed_under_its_name(path: Path) -> None:
    installed = {each.sym_name.data for each in policies.installed_policies()}
    assert read_schedule(str(path), CONTEXT).sym_name.data == path.stem
    assert path.stem in installed


@each_file
def test_passes_take_what_a_policy_asks_for(path: Path) -> None:
    device = {"local_mem_bytes": 49152, "compute_units": 132}
    options = policy_options(read_schedule(str(path), CONTEXT), device)
    assert len(options) >= FEWEST, "a policy says what it asks of six passes, and why"
    for name, asked in options.items():
        build_pass(installed_passes()[name](), ArgSpec(name, dict(asked)))


@each_file
def test_the_reasons_name_records_that_there_are(path: Path) -> None:
    said = " ".join(line.strip("/ ") for line in path.read_text().splitlines())
    named = re.findall(r"benchmarks/results/[\w-]+\.json", said)
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


FEWEST = 6
"""Requests of a policy; half as many comments say what was measured."""
MEASURED = re.compile(r"\d %|\d ms|\bat (up to )?\d|\bwas at\b|\btimes\b|\bslower\b|\bfaster\b")


@each_file
def test_each_figure_of_an_option_names_its_record_or_says_that_there_is_none(path: Path) -> None:
    _, _, body = path.read_text().partition("vyre.schedule @")
    comments = re.findall(r"(?:^  //.*\n)+", body, re.M)
    reasons = [" ".join(line.strip("/ ") for line in each.splitlines()) for each in comments]
    measured = [each for each in reasons if MEASURED.search(each)]
    assert len(measured) >= FEWEST // 2, (
        "comments of options say what was measured, as '12 % slower'"
    )
    kept = re.compile(r"benchmarks/results/[\w-]+\.json|no record is kept")
    assert [each for each in measured if not kept.search(each)] == []


def test_files_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()

    def counted(text: str, name: str, context: object) -> ScheduleOp:
        read.append(name)
        return schedule_of_text(text, name, CONTEXT)

    monkeypatch.setattr(policies, "schedule_of_text", counted)
    policies.installed_policies.cache_clear()
    for kind in ("cpu", "gpu", "cpu"):
        schedule_for(tiny(), OptimizePass(), CONTEXT, DEVICES[kind])
    assert sorted(read) == [f"{policies.own_files.__name__}/{path.name}" for path in FILES]


# A copy that is given by hand.


@each_file
@pytest.mark.parametrize("profile", [None, "dataflow"])
def test_a_copy_makes_the_schedule_that_is_made_anyway(
    path: Path, profile: ProfileName | None, tmp_path: Path
) -> None:
    copy = Path(tmp_path / "copy.mlir")
    copy.write_text(path.read_text())
    module, device = tiny(), DEVICES[path.stem]
    default = OptimizePass(profile=profile, options="vyre-coarsen{items=2},vyre-vectorize")
    copied = replace(default, schedule=str(copy))
    schedules = [schedule_for(module, each, CONTEXT, device) for each in (default, copied)]
    assert str(schedules[0]) == str(schedules[1])
    assert f'profile({profile or "release"}) policy "{path.stem}"' in str(schedules[0])
    assert "items = 2" in str(schedules[0])


@pytest.mark.one_in(2)
@each_file
@pytest.mark.parametrize("name", slow_if(NAMES, NAMES[:-1]))
def test_a_copy_gives_the_same_kernels(path: Path, name: str, tmp_path: Path) -> None:
    copy = Path(tmp_path / "copy.mlir")
    copy.write_text(path.read_text())
    default, copied = (
        compile_module(example(name), optimize=each, context=CONTEXT, device=DEVICES[path.stem])
        for each in (None, OptimizePass(schedule=str(copy)))
    )
    assert default.source == copied.source
    assert default.policy == copied.policy == path.stem


def test_a_policy_in_a_program_is_the_one_that_is_followed() -> None:
    own = policy("mine", requests='vyre.request @"vyre-unroll" options {limit = 3}')
    module = parse_module(own + TINY, CONTEXT)
    schedule = schedule_for(module, OptimizePass(), CONTEXT, DEVICES["gpu"])
    passes = {op.sym_name.data: op for op in schedule.passes()}
    assert 'policy "mine"' in str(schedule)
    assert str(passes["vyre-unroll"].spec) == "vyre-unroll{limit=3}"
    assert not passes["vyre-coarsen"].option_values
    compiled = compile_module(module, context=CONTEXT, device=DEVICES["gpu"])
    assert compiled.policy == "mine"


def test_whoever_compiles_by_hand_chooses_for_any_device() -> None:
    asked = OptimizePass(schedule=str(FOLDER / "cpu.mlir"))
    schedule = schedule_for(tiny(), asked, CONTEXT, DEVICES["gpu"])
    assert 'policy "cpu"' in str(schedule)
    assert "groups = 2112 : i64" in str(schedule)


def test_without_a_device_its_properties_are_left_out() -> None:
    asked = OptimizePass(schedule=str(FOLDER / "gpu.mlir"))
    schedule = schedule_for(tiny(), asked, CONTEXT)
    passes = {op.sym_name.data: str(op.spec) for op in schedule.passes()}
    assert passes["vyre-coarsen"] == "vyre-coarsen"
    assert passes["vyre-decode-scan-fuse"] == 'vyre-decode-scan-fuse{local_memory="dedicated"}'


def test_a_number_that_is_too_large_is_the_largest() -> None:
    asked = "vyre.request @a options {limit = #vyre.device<compute_units * 9223372036854775807>}"
    read = schedule_of_text(policy("p", requests=asked), "p.mlir", CONTEXT)
    assert policy_options(read, {"compute_units": 3}) == {"a": {"limit": ((1 << 63) - 1,)}}


# Who tells of it.


@pytest.mark.parametrize("kind", DEVICES)
def test_an_explanation_names_it(kind: str) -> None:
    explained = explain_module(tiny(), Passes(), DEVICES[kind], CONTEXT, SourceText())
    assert explained.as_json()["policy"] == kind
    listed = Passes(pipeline="vyre-expand")
    explained = explain_module(tiny(), listed, DEVICES[kind], CONTEXT, SourceText())
    assert explained.as_json()["policy"] is None


def test_a_tuned_program_is_still_compiled_by_it() -> None:
    configurations = Configurations.of(example("delta_filter"), DEVICES["gpu"])
    choices = configurations.default | {"vyre-coarsen.groups": 64}
    module, optimize = configurations.apply(choices)
    compiled = compile_module(module, optimize=optimize, context=CONTEXT, device=DEVICES["gpu"])
    assert compiled.policy == "gpu"


# Those of other packages.


def test_the_extension_brings_one(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(group: str) -> EntryPoints:
        return EntryPoints([EntryPoint("tape", "tape.policies", group)])

    monkeypatch.setattr(policies, "entry_points", found)
    install()
    device = {"kind": "accelerator", "has_own_local_mem": True, "local_mem_bytes": 1 << 17}
    assert name_for(device) == "tape_accelerator"
    assert name_for(device | {"local_mem_bytes": 1 << 14}) == "gpu"
    assert name_for(device | {"kind": "gpu"}) == "gpu"
    optimize = OptimizePass(device=properties_texts(device | {"compute_units": 3}))
    schedule = optimize.take_schedule(CONTEXT, tiny())
    assert 'policy "tape_accelerator"' in str(schedule)
    assert "groups = 12 : i64" in str(schedule)


def test_the_one_that_asks_for_most_is_taken(install: Install) -> None:
    files = {
        "a.mlir": policy("a", "has_own_local_mem = true"),
        "b.mlir": policy("b", 'has_own_local_mem = true, vendor = "Acme"'),
        "c.mlir": policy("c"),
    }
    install(acme=files)
    device = {"has_own_local_mem": True, "vendor": "Acme"}
    assert name_for(device) == "b"
    assert name_for(device | {"vendor": "Other"}) == "a"
    assert name_for({"has_own_local_mem": False}) == "cpu"
    assert name_for({}) == "c"


def test_of_several_the_first_by_name_is_taken(install: Install) -> None:
    same = {"a.mlir": policy("second", "has_own_local_mem = true")}
    install(acme_b=same, acme_a={"a.mlir": policy("first", "has_own_local_mem = true")})
    assert name_for({"has_own_local_mem": True}) == "first"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vyre.schedule @p profile(release) {", "malformed schedule 'acme/p.mlir': acme/p.mlir:1:"),
        ("vyre.schedule @p profile(release) {}", "expected a policy in 'acme/p.mlir'"),
        (policy("p") + policy("q"), "expected one 'vyre.schedule' in the schedule 'acme/p.mlir'"),
        (
            policy("p", requests='vyre.request @"mlir-opt"'),
            "names the pass 'mlir-opt', ",
        ),
        (
            policy("p", requests="vyre.request @nope"),
            "names the pass 'nope', which is not",
        ),
        (
            policy("p", requests='vyre.request @"vyre-coarsen" options {itms = 4}'),
            "names the pass 'vyre-coarsen' with an unknown option 'itms': did you mean 'items'?",
        ),
    ],
)
def test_a_package_with_a_broken_one_is_left_out(install: Install, text: str, message: str) -> None:
    install(acme={"p.mlir": text, "a.mlir": policy("a", "has_own_local_mem = true")})
    with pytest.warns(RuntimeWarning, match="entry point 'acme' of 'vyre.policies'") as caught:
        assert name_for({"has_own_local_mem": True}) == "gpu"
    assert message in str(caught[0].message)


def test_a_package_without_one_is_warned_of(install: Install) -> None:
    install(acme={})
    with pytest.warns(RuntimeWarning, match=r"got no file '\*\.mlir': is it package data\?"):
        assert name_for({"has_own_local_mem": True}) == "gpu"


def test_the_page_shows_one(install: Install) -> None:
    page = ROOT / "docs" / "schedules.md"
    (shown,) = (text for language, text in blocks_of(page) if language == "mlir")
    install(acme={"shown.mlir": shown})
    device = {"has_own_local_mem": True, "vendor": "Acme", "compute_units": 80}
    assert name_for(device) == "mine"
    assert name_for(device | {"compute_units": 63}) == "gpu"


# What is written on the command line.


VALUES = {str: st.text(), bool: st.booleans(), int: st.integers(0, 1 << 63)}


@given(st.fixed_dictionaries({}, optional={k: VALUES[kind] for k, kind in PROPERTIES.items()}))
def test_properties_are_read_as_they_are_written(properties: Properties) -> None:
    assert parse_properties(properties_texts(properties)) == properties


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("compute_unit=4", "unknown property 'compute_unit' of devices: did you mean 'compute_un"),
        ("compute_units=-1", "expected a count as 'compute_units' of the device, got '-1'"),
        ("compute_units=٤", "expected a count as 'compute_units'"),
        ("has_own_local_mem=1", "expected true or false as 'has_own_local_mem' of the device"),
        ("", "unknown property '' of devices"),
    ],
)
def test_what_no_device_has_is_refused(text: str, message: str) -> None:
    with pytest.raises(PassFailedException, match=re.escape(message)):
        OptimizePass(device=(text,)).take_schedule(CONTEXT, tiny())


def test_a_device_is_all_that_is_known_of_it() -> None:
    optimize = for_device(OptimizePass(), DEVICES["gpu"])
    assert optimize.device is not None
    device = parse_properties(optimize.device)
    assert device["compute_units"] == 132
    assert device["has_own_local_mem"] is True
    assert device["vendor"] == "test"
