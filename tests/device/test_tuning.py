"""Tuning on devices: what wins is right, is kept, and is what `vyre run` runs next."""

import json
import re
import warnings
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr

from vyre_dialect.ir.canonical_text import structural_hash
from vyre_dialect.ir.tuning import Choice
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.errors import TimeLimitError
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl import flight
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import make_context, parse_module
from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.tuning import device_bench
from vyre_dialect.runtime.tuning.configuration import Configurations
from vyre_dialect.runtime.tuning.decisions import DecisionFile
from vyre_dialect.runtime.tuning.device_bench import DeviceBench
from vyre_dialect.runtime.tuning.feedback import ResizePolicy
from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile
from vyre_dialect.runtime.tuning.hot_paths import HotPathTable
from vyre_dialect.runtime.tuning.live import LiveExecutor
from vyre_dialect.runtime.tuning.mode import Mode
from vyre_dialect.runtime.tuning.tuned import Tuning, tuned
from vyre_dialect.runtime.tuning.tuner import Candidate, CandidateError, Limits, Tuner

CONTEXT = make_context()
COUNT = 4096
PROGRAM = f"""
vyre.program @double workgroup_size [64] {{
  %in = vyre.buffer @in : !vyre.buffer<{COUNT}xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<{COUNT}xi32, read_write>
  vyre.region "double" invocations [{COUNT}] {{
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<{COUNT}xi32, read_only> -> i32
    %y = arith.addi %x, %x : i32
    vyre.store %y, %out[%i] : i32, !vyre.buffer<{COUNT}xi32, read_write>
  }}
}}
"""
SIZED = """
vyre.program @sized workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "copy" invocations [%n] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
"""
COOPERATIVE = """
vyre.program @p workgroup_size [32] {
  %a = vyre.buffer @a live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "g" invocations [64] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %v = arith.index_cast %l : index to i32
    vyre.store %v, %a[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
"""
INPUTS = {"in": np.arange(COUNT, dtype=np.int32)}
WORKGROUP = "vyre.program.workgroup_size"


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def module() -> ModuleOp:
    return parse_module(PROGRAM, CONTEXT)


def limited(evaluations: int) -> Callable[..., Limits]:
    """Limits of so many evaluations, whatever is asked for."""

    def limits(**_: object) -> Limits:
        return Limits(evaluations=evaluations)

    return limits


def ignore(candidate: Candidate, number: int, count: int) -> None:
    pass


class WithMutant(Configurations):
    """Workgroups of 8 do nothing at all, which is fast."""

    def apply(self, choices: Mapping[str, Choice]) -> tuple[ModuleOp, OptimizePass]:
        module, optimize = super().apply(choices)
        if choices[WORKGROUP] == 8:
            for store in [op for op in module.walk() if op.name == "vyre.store"]:
                store.detach()
                store.erase()
        return module, optimize


@pytest.mark.slow
def test_a_mutant_that_is_fast_and_wrong_never_wins(device: Device, module: ModuleOp):
    found = Configurations.of(module, device.info)
    mutant = WithMutant(found.module, found.optimize, found.axes[:1])
    assert [axis.name for axis in mutant.axes] == [WORKGROUP]
    bench = DeviceBench(mutant, Session(device), INPUTS, CONTEXT)
    outcome = Tuner(mutant.space, mutant.choices, bench, Limits(), ignore).tune()
    verdicts = {each.choices[WORKGROUP]: each.verdict for each in outcome.candidates}
    assert verdicts[8] == "wrong: 'out' is not what the default gives"
    assert outcome.choices[WORKGROUP] != 8
    assert all(final.choices[WORKGROUP] != 8 for final in outcome.finals)


def test_equal_kernels_tell_the_same_and_others_another(device: Device, module: ModuleOp):
    configurations = Configurations.of(module, device.info)
    bench = DeviceBench(configurations, Session(device), INPUTS, CONTEXT)
    default = configurations.default
    kernels, _ = bench.build(default)
    # There is no private buffer that could become values, so the pass changes nothing.
    assert bench.build({**default, "vyre-sroa": True})[0] == kernels
    assert bench.build({**default, WORKGROUP: 32})[0] != kernels


def test_what_a_pass_refuses_fails_by_name(device: Device, module: ModuleOp):
    configurations = Configurations.of(module, device.info)
    bench = DeviceBench(configurations, Session(device), INPUTS, CONTEXT)
    with pytest.raises(CandidateError, match="'vyre-coarsen' expected 1 to 65536 items, got 0"):
        bench.build({**configurations.default, "vyre-coarsen.items": 0})


def test_a_candidate_that_takes_too_long_is_dropped_and_others_follow(
    device: Device, module: ModuleOp, monkeypatch: pytest.MonkeyPatch
):
    configurations = Configurations.of(module, device.info)
    bench = DeviceBench(configurations, session := Session(device), INPUTS, CONTEXT)
    bench.check(bench.build(configurations.default)[1])
    _, other = bench.build({**configurations.default, WORKGROUP: 32})
    session.seconds = 60.0

    def in_time(finish: Callable[[], None], _: float) -> None:
        finish()

    def in_no_time(call: Callable[[], None], _: float) -> None:
        call()
        raise TimeoutError

    def on_host(_: object, compute: Callable[[], object]) -> object:
        return compute()

    monkeypatch.setattr(device_bench, "interruptible", in_time)
    with monkeypatch.context() as patch:
        patch.setattr(flight, "interruptible", in_no_time)
        patch.setattr(flight.RunInFlight, "on_host", on_host)
        with pytest.raises(CandidateError, match="the kernels took longer than 60 s"):
            bench.check(other)
    assert bench.check(other) > 0


def test_a_candidate_that_keeps_the_device_busy_ends_the_tuning(
    device: Device, module: ModuleOp, monkeypatch: pytest.MonkeyPatch
):
    def in_no_time(finish: Callable[[], None], _: float) -> None:
        finish()
        raise TimeoutError

    for waiting in (device_bench, flight):
        monkeypatch.setattr(waiting, "interruptible", in_no_time)
    tuning = Tuning.of(module, device, INPUTS, CONTEXT)
    with pytest.raises(TimeLimitError, match="keeps others from running: nothing is decided"):
        tuning.tune(Limits(timeout=60), ignore)
    assert tuning.cached() is None


def test_a_decision_is_kept_and_taken(device: Device, module: ModuleOp):
    tuning = Tuning.of(module, device, INPUTS, CONTEXT)
    assert tuning.cached() is None
    outcome = tuning.tune(Limits(evaluations=4), ignore)
    decision = Tuning.of(module, device, INPUTS, CONTEXT).cached()
    assert decision is not None
    assert decision.choices == outcome.choices
    assert decision.default == tuning.configurations.default
    taken = tuned(module, device, INPUTS, CONTEXT, None, Mode.CACHED)
    assert taken.optimize is not None
    assert taken.decision == decision
    size = find_program(taken.module).default_workgroup_size[0]
    assert size == outcome.choices[WORKGROUP]
    assert tuned(module, device, INPUTS, CONTEXT, None, Mode.OFF) == (module, None, None, None)


def test_inputs_of_another_size_or_another_program_are_another_question(
    device: Device, module: ModuleOp
):
    key = Tuning.of(module, device, INPUTS, CONTEXT).key
    other = parse_module(PROGRAM.replace("arith.addi", "arith.muli"), CONTEXT)
    assert Tuning.of(other, device, INPUTS, CONTEXT).key != key
    assert Tuning.of(module, device, {"in": INPUTS["in"][:64]}, CONTEXT).key != key


def test_a_decision_survives_other_names(device: Device, module: ModuleOp):
    key = Tuning.of(module, device, INPUTS, CONTEXT).key
    text = PROGRAM.replace("%x", "%value").replace("@double", "@twice").replace("@in", "@words")
    assert text.count("@words") == 1
    renamed = parse_module(text, CONTEXT)
    assert Tuning.of(renamed, device, {"words": INPUTS["in"]}, CONTEXT).key == key


def test_a_decision_that_is_not_possible_here_is_a_miss_with_a_warning(
    device: Device, module: ModuleOp
):
    tuning = Tuning.of(module, device, INPUTS, CONTEXT)
    tuning.tune(Limits(evaluations=1), ignore)
    kept = DecisionFile.of(device.info)
    assert kept is not None
    text = kept.file.path.read_text()
    changed = re.sub(f'"{WORKGROUP}" = [0-9]+', f'"{WORKGROUP}" = 65536', text)
    assert changed != text
    kept.file.path.write_text(changed)
    with pytest.warns(UserWarning, match="the decision on 'double' is not possible here"):
        assert tuning.cached() is None


def test_the_command_tunes_once_shows_and_clears(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file, plot = tmp_path / "double.mlir", tmp_path / "plot.svg"
    file.write_text(PROGRAM)
    np.save(tmp_path / "in.npy", INPUTS["in"])
    common = ["--device", device.info.name, "--json"]
    command = ["tune", str(file), "--input", f"in={tmp_path / 'in.npy'}", "--evaluations", "3"]
    assert main([*command, "--plot", str(plot), *common]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["candidates"]) == 3
    assert found["candidates"][0]["choices"] == found["default"]
    assert found["candidates"][0]["checked"]
    assert plot.read_text().count("<circle") == 3
    assert main([*command, *common]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["choices"] == found["choices"]
    assert "candidates" not in again
    assert main(["tune", "--show", *common]) == 0
    assert list(json.loads(capsys.readouterr().out)) == [found["key"]]
    assert main(["tune", "--clear", *common]) == 0
    assert main(["tune", "--show", *common]) == 0
    assert json.loads(capsys.readouterr().out.strip()) == {}


def test_run_takes_what_was_tuned(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleOp
):
    taken = list[Mapping[str, Choice]]()
    apply = Configurations.apply

    def noted(self: Configurations, choices: Mapping[str, Choice]):
        taken.append(choices)
        return apply(self, choices)

    file = tmp_path / "double.mlir"
    file.write_text(PROGRAM)
    np.save(tmp_path / "in.npy", INPUTS["in"])
    tuning = Tuning.of(module, device, INPUTS, CONTEXT)
    outcome = tuning.tune(Limits(evaluations=2), ignore)
    monkeypatch.delenv("VYRE_AUTOTUNER")
    monkeypatch.setattr(Configurations, "apply", noted)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        command = ["run", str(file), "--input", f"in={tmp_path / 'in.npy'}"]
        assert main([*command, "--device", device.info.name]) == 0
    assert taken == [outcome.choices]


@pytest.fixture
def decided(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleOp):
    """The arguments of commands for a program for which workgroups of 16 were decided on."""
    (tmp_path / "double.mlir").write_text(PROGRAM)
    np.save(tmp_path / "in.npy", INPUTS["in"])
    tuning = Tuning.of(module, device, INPUTS, CONTEXT)
    default = tuning.configurations.default
    choices = default | {WORKGROUP: 16}
    when = datetime(2026, 3, 4, tzinfo=UTC)
    kept = DecisionFile.of(device.info)
    assert kept is not None
    kept.put(tuning.key, Decision("double", choices, default, 1.0, 2.0, 0.01, 9, when))
    monkeypatch.delenv("VYRE_AUTOTUNER", raising=False)
    return [str(tmp_path / "double.mlir"), "--device", device.info.name, "--json"]


def inputs(tmp_path: Path) -> list[str]:
    return ["--input", f"in={tmp_path / 'in.npy'}"]


@pytest.mark.parametrize("command", ["run", "explain", "compile"])
def test_commands_take_and_tell_what_was_decided(
    decided: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
):
    assert main([command, *decided, *inputs(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert printed.err == f"vyre: note: 'double' as measured on 2026-03-04: {WORKGROUP}=16\n"
    shown = json.loads(printed.out)
    assert shown["decision"] == {"when": "2026-03-04T00:00:00+00:00", "choices": {WORKGROUP: 16}}


@pytest.mark.parametrize("command", ["run", "explain", "compile"])
def test_commands_leave_alone_what_was_decided_where_it_is_not_wanted(
    decided: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
):
    given = [command, *decided, *inputs(tmp_path)]
    assert main([*given, "--no-fuse"]) == 0
    assert json.loads(capsys.readouterr().out)["decision"] is None
    monkeypatch.setenv("VYRE_AUTOTUNER", "off")
    assert main(given) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["decision"] is None
    assert printed.err == ""


def test_what_is_compiled_is_what_was_decided(
    decided: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["compile", *decided, *inputs(tmp_path)]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["workgroup_size"] == [16, 1, 1]


@pytest.mark.parametrize("command", ["explain", "compile"])
def test_without_the_inputs_nobody_knows_what_was_decided(
    device: Device,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
):
    monkeypatch.delenv("VYRE_AUTOTUNER", raising=False)
    file, common = tmp_path / "sized.mlir", ["--device", device.info.name, "--json"]
    file.write_text(SIZED)
    kept, default = DecisionFile.of(device.info), {WORKGROUP: 64}
    assert kept is not None
    for chosen, said in ((64, ""), (16, "a program 'sized' is tuned for inputs of some sizes")):
        choices, when = {WORKGROUP: chosen}, datetime(2026, 3, 4, tzinfo=UTC)
        kept.put(f"v1-{'0' * 64}", Decision("sized", choices, default, 1.0, 2.0, 0.01, 9, when))
        assert main([command, str(file), *common]) == 0
        printed = capsys.readouterr()
        assert said in printed.err if said else printed.err == ""
        assert json.loads(printed.out)["decision"] is None


def test_a_program_is_tuned_once_it_is_hot(
    device: Device, module: ModuleOp, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("vyre_dialect.runtime.tuning.tuned.Limits", limited(1))
    program, kept = find_program(module), HotPathFile.of(device.info)
    assert kept is not None

    def decision() -> Decision | None:
        return tuned(module, device, INPUTS, CONTEXT, None, Mode.HOT).decision

    assert decision() is None
    program.entry_op_id = StringAttr("double")
    table = HotPathTable()
    table.record("double", 100_000, 1, structural_hash(program, choices=False))
    assert decision() is None
    kept.add(table)
    taken = decision()
    assert taken is not None
    kept.clear()
    assert decision() == taken


def test_live_runs_change_their_workgroups_and_nothing_else(device: Device, module: ModuleOp):
    executor = LiveExecutor(
        module, device, ResizePolicy(saturation_per_us=1e12), context=CONTEXT, window=1
    )
    sizes = list[int]()
    for number in range(8):
        run = executor.run({"in": INPUTS["in"] + number})
        np.testing.assert_array_equal(run.outputs["out"], 2 * (INPUTS["in"] + number))
        (kernel,) = executor.compiled.kernels.values()
        assert kernel.workgroup[0] == executor.workgroup_size
        sizes.append(executor.workgroup_size)
    assert sizes[0] == sizes[1] < sizes[2]  # the first run with a size only warms up


def test_workgroups_that_mean_something_stay(device: Device):
    module = parse_module(COOPERATIVE, CONTEXT)
    executor = LiveExecutor(module, device, ResizePolicy(saturation_per_us=1e12), window=1)
    for _ in range(4):
        assert executor.run({}).outputs["a"].tolist() == list(range(32)) * 2
    assert executor.workgroup_size == 0


def test_run_says_what_workgroups_have_come_to(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "double.mlir").write_text(PROGRAM)
    np.save(tmp_path / "in.npy", INPUTS["in"])
    command = ["run", str(tmp_path / "double.mlir"), *inputs(tmp_path), "--device"]
    command += [device.info.name, "--repeat", "18", "--resize", "1e9"]
    assert main([*command, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["repeats"] == 1  # the last run is the first with its size
    assert main(command) == 0
    size = shown["workgroup_size"]
    assert f"workgroups of {size}, by what earlier runs have said" in capsys.readouterr().out


def test_a_run_that_tunes_ends_in_time_and_says_what_that_took(
    device: Device,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    (tmp_path / "double.mlir").write_text(PROGRAM)
    monkeypatch.setenv("VYRE_AUTOTUNER", "on")
    monkeypatch.setenv("VYRE_AUTOTUNER_SECONDS", "0.001")
    given = ["run", str(tmp_path / "double.mlir"), "--device", device.info.name, "--json"]
    given += ["--input", "in=zeros:16384"]
    assert main(given) == 0
    printed = capsys.readouterr()
    assert re.search(r"note: tuned 'double': .* s for 1 candidates, kept", printed.err)
    assert json.loads(printed.out)["tuning_ns"] > 0
    assert main(given) == 0
    assert json.loads(capsys.readouterr().out)["tuning_ns"] is None


def test_tuning_before_a_run_tells_how_far_it_is(
    device: Device, module: ModuleOp, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("vyre_dialect.runtime.tuning.tuned.Limits", limited(3))
    told = list[tuple[str, float | None]]()

    def tell(doing: str, part: float | None) -> None:
        told.append((doing, part))

    taken = tuned(module, device, INPUTS, CONTEXT, None, Mode.ON, tell)
    assert taken.decision is not None
    assert told[-1] == ("tuning: 3 of 3 candidates", 1.0)
