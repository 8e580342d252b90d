"""What can be chosen comes from ops and passes, within what a device can do."""

from dataclasses import replace

import pytest
from support.devices import small_device
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from examples.data import EXAMPLES
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.ops.schedule import ScheduleOp
from vyre_dialect.passes.schedule import policies
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.program.compilation import (
    CompiledProgram,
    compile_module,
    load_module,
    make_context,
    parse_module,
)
from vyre_dialect.runtime.tuning.configuration import Configurations

CONTEXT = make_context()
DEVICE = small_device(16384)
WORKGROUP = "vyre.program.workgroup_size"
FUSE = "vyre-decode-scan-fuse"
COOPERATIVE = """
vyre.program @p workgroup_size [32] {
  %a = vyre.buffer @a live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "g" invocations [64] SIZE {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %v = arith.index_cast %l : index to i32
    vyre.store %v, %a[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
"""


@pytest.fixture
def module() -> ModuleOp:
    return load_module(EXAMPLES / "delta_filter.mlir", CONTEXT)


def test_ops_and_passes_say_what_can_be_chosen(module: ModuleOp):
    names = {axis.name for axis in Configurations.of(module, DEVICE).axes}
    assert names >= {
        WORKGROUP,
        "vyre.scan.filter.values",
        "vyre-coarsen.items",
        "vyre-privatize-reductions.scope",
        "vyre-decode-scan-fuse.strategy",
        "vyre-split-index-sets",
    }


def test_workgroups_are_those_that_the_device_can_run(module: ModuleOp):
    find_program(module).choose("workgroup_size", 32)
    axis = next(a for a in Configurations.of(module, DEVICE).axes if a.name == WORKGROUP)
    assert axis.values == (1, 8, 16, 32, 64)
    assert axis.default == 32


def compiled(module: ModuleOp, optimize: OptimizePass) -> CompiledProgram:
    return compile_module(module, optimize=optimize, device=DEVICE)


def source_of(module: ModuleOp, optimize: OptimizePass) -> str:
    return compiled(module, optimize).source


def test_the_default_is_what_would_be_compiled_anyway(module: ModuleOp):
    configurations = Configurations.of(module, DEVICE)
    default = configurations.default
    # As the policy for memory of its own has it.
    assert default["vyre-coarsen.groups"] == 32 * DEVICE.compute_units
    assert default["vyre-privatize-reductions.scope"] == "workgroup"
    assert configurations.choices(configurations.space.first) == default
    assert source_of(*configurations.apply(default)) == source_of(module, OptimizePass())


@pytest.mark.slow
def test_each_choice_makes_kernels_of_its_own(module: ModuleOp):
    configurations = Configurations.of(module, DEVICE)
    usual = source_of(module, OptimizePass())
    for name in (WORKGROUP, "vyre-coarsen.groups", "vyre-form-work-item-loops"):
        axis = next(each for each in configurations.axes if each.name == name)
        other = next(value for value in axis.values if value != axis.default)
        choices = {**configurations.default, name: other}
        assert source_of(*configurations.apply(choices)) != usual, name


def test_what_is_chosen_is_applied_to_a_copy(module: ModuleOp):
    configurations = Configurations.of(module, DEVICE)
    before = str(module)
    choices = {
        **configurations.default,
        WORKGROUP: 16,
        "vyre-coarsen.items": 8,
        "vyre-split-index-sets": True,
    }
    copy, _ = configurations.apply(choices)
    assert find_program(copy).default_workgroup_size == (16, 1, 1)
    (schedule,) = (op for op in copy.ops if isinstance(op, ScheduleOp))
    passes = {op.sym_name.data: str(op.spec) for op in schedule.passes()}
    assert "items=8" in passes["vyre-coarsen"]
    assert "vyre-split-index-sets" in passes
    assert "budget=16384" in passes["vyre-decode-scan-fuse"]
    assert str(module) == before


def test_what_a_pass_does_is_no_choice_where_it_does_nothing(module: ModuleOp):
    configurations = Configurations.of(module, DEVICE)
    axes, name = {axis.name: axis for axis in configurations.axes}, "vyre-vectorize.lanes"
    places = [*axes]
    point, lanes = list(configurations.space.first), places.index(name)
    point[lanes] = axes[name].values.index(4)
    for is_on, expected in ((False, configurations.default[name]), (True, 4)):
        point[places.index("vyre-vectorize")] = axes["vyre-vectorize"].values.index(is_on)
        assert configurations.choices(tuple(point))[name] == expected
    point[places.index("vyre-vectorize")] = axes["vyre-vectorize"].values.index(False)
    off = configurations.default | {"vyre-vectorize": False}
    assert configurations.choices(tuple(point)) == off


def test_whether_to_fuse_is_to_choose_where_there_are_two_arms(module: ModuleOp):
    configurations = Configurations.of(module, DEVICE)
    assert configurations.default[FUSE] is True
    fused, apart = (
        compiled(*configurations.apply({**configurations.default, FUSE: fuse}))
        for fuse in (True, False)
    )
    assert (len(fused.kernels), len(apart.kernels)) == (1, 2)


def test_whether_to_fuse_is_no_question_where_nothing_is_fused(module: ModuleOp):
    single = parse_module(COOPERATIVE.replace("SIZE", ""), CONTEXT)
    plain = Configurations.of(module, DEVICE, OptimizePass(profile="dataflow"))
    for configurations in (Configurations.of(single, DEVICE), plain):
        assert not [name for name in configurations.default if name.startswith(FUSE)]


def test_a_given_schedule_leaves_passes_nothing_to_choose(module: ModuleOp):
    axes = Configurations.of(module, DEVICE, OptimizePass(schedule="mine.mlir")).axes
    assert axes
    assert all(axis.name.startswith("vyre.") for axis in axes)


def test_a_policy_that_cannot_be_read_is_an_error_of_its_file(
    module: ModuleOp, monkeypatch: pytest.MonkeyPatch
):
    def read(text: str, name: str, context: object) -> ScheduleOp:
        raise PassFailedException(f"malformed schedule '{name}'")

    monkeypatch.setattr(policies, "schedule_of_text", read)
    policies.installed_policies.cache_clear()
    with pytest.raises(VyreError, match=r"^pass 'vyre-optimize': malformed schedule '.*cpu.mlir'"):
        Configurations.of(module, DEVICE)


def test_only_choices_of_this_program_are_legal(module: ModuleOp):
    configurations = Configurations.of(module, DEVICE)
    default = configurations.default
    assert configurations.are_legal(default)
    assert not configurations.are_legal({**default, WORKGROUP: 1024})
    assert not configurations.are_legal({**default, WORKGROUP: True})
    assert not configurations.are_legal({**default, "other": 1})
    assert not configurations.are_legal({**default, "vyre-optimize.report": "file"})
    assert not configurations.are_legal({**default, "mlir-opt": True})
    assert not configurations.are_legal({WORKGROUP: 8})


@pytest.mark.parametrize(("size", "may_choose"), [("", False), ("workgroup_size [32]", True)])
def test_a_workgroup_that_means_something_is_not_to_choose(size: str, may_choose: bool):
    program = find_program(parse_module(COOPERATIVE.replace("SIZE", size), CONTEXT))
    assert isinstance(program, ProgramOp)
    assert bool(program.get_parameters()) == may_choose


TWO_AXES = """
vyre.program @p {
  %a = vyre.buffer @a live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "g" invocations [8, 8] {
    %i = vyre.invocation_id x
    %j = vyre.invocation_id y
    %eight = arith.constant 8 : index
    %row = arith.muli %j, %eight : index
    %k = arith.addi %row, %i : index
    %v = arith.index_cast %k : index to i32
    vyre.store %v, %a[%k] : i32, !vyre.buffer<64xi32, read_write>
  }
}
"""


def test_a_workgroup_has_as_many_axes_as_the_arms():
    device = replace(DEVICE, max_work_item_sizes=(64, 8, 1))
    configurations = Configurations.of(parse_module(TWO_AXES, CONTEXT), device)
    (axis,) = (each for each in configurations.axes if each.name == WORKGROUP)
    assert {"8x8", "16x4", "1x8", 64, 8} <= set(axis.values)
    assert not {"1x16", "16x8", 128} & set(axis.values)
    copy, _ = configurations.apply({**configurations.default, WORKGROUP: "16x4"})
    assert find_program(copy).default_workgroup_size == (16, 4, 1)
    assert find_program(copy).chosen("workgroup_size") == "16x4"


def test_a_size_over_several_axes_is_a_choice_like_others():
    stated = TWO_AXES.replace("@p {", "@p workgroup_size [4, 4] {")
    configurations = Configurations.of(parse_module(stated, CONTEXT), DEVICE)
    (axis,) = (each for each in configurations.axes if each.name == WORKGROUP)
    assert axis.default == "4x4"
