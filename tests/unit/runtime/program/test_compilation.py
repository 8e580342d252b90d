"""Modules are read and lowered, or refused in one line that says where and why."""

from pathlib import Path

import pytest
from support.devices import small_device
from xdsl.context import Context

from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.passes.schedule.options import joined, parse_options
from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    for_device,
    load_module,
    make_context,
    optimize_module,
    parse_module,
)
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.pipelines import (
    DEFAULT,
    REFERENCE,
    UNFUSED,
    parse_pipeline,
)

PROGRAM = "vyre.program @p { %a = vyre.buffer @a : !vyre.buffer<4xi32, read_only> }"


@pytest.fixture(scope="module")
def context() -> Context:
    return make_context()


def test_files_are_read(tmp_path: Path, context: Context) -> None:
    path = tmp_path / "p.mlir"
    path.write_text(PROGRAM)
    assert find_program(load_module(path, context)).sym_name.data == "p"


def test_generic_syntax_is_read(context: Context) -> None:
    text = '"vyre.program"() <{sym_name = "p"}> ({\n  "vyre.buffer"() <{sym_name = "a"}> '
    text += ": () -> !vyre.buffer<4xi32, read_only>\n}) : () -> ()"
    assert find_program(parse_module(text, context)).sym_name.data == "p"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vyre.program @p {", r"^f\.mlir:1:\d+: .+$"),
        ("\n\n%x = no.such_op : i32", r"^f\.mlir:3:\d+: unknown operation 'no\.such_op': "),
        ("vyre.program @p { %a = vyre.buffer @a[%n] : !vyre.buffer<?xi8, read_only> }", "f.mlir:1"),
        (
            PROGRAM.replace("@a :", "@a initial undefined :"),
            r"^f\.mlir:1: 'vyre\.buffer' @a: expected initial contents for a buffer that is re",
        ),
        ("vyre.program @p " + "{" * 3, r"^f\.mlir:1:\d+: "),
        ("vyre.program @p { ^0: }", r"^f\.mlir:1:\d+: malformed: Invalid Block name [^()]*\.$"),
    ],
)
def test_malformed_modules_are_refused_in_one_line(
    context: Context, text: str, message: str
) -> None:
    with pytest.raises(VyreError, match=message) as caught:
        parse_module(text, context, "f.mlir")
    assert "\n" not in str(caught.value)


def test_deep_nesting_is_refused(context: Context) -> None:
    conditions = "scf.if %c {" * 2000 + "}" * 2000
    text = "vyre.program @p { %c = arith.constant true " + conditions + "}"
    with pytest.raises(VyreError, match="nested too deeply"):
        parse_module(text, context)


def test_unreadable_files_are_refused(tmp_path: Path, context: Context) -> None:
    (tmp_path / "binary.mlir").write_bytes(b"\xff\xfe\x00")
    for name in ("missing.mlir", "binary.mlir", "."):
        with pytest.raises(VyreError, match=r"cannot read '.*'"):
            load_module(tmp_path / name, context)


def test_a_pipeline_is_applied(context: Context) -> None:
    module = parse_module(PROGRAM.replace("}", "%c = arith.constant 1 : index }"), context)
    assert "arith.constant" in str(module)
    apply_pipeline(module, "dce", context)
    assert "arith.constant" not in str(module)


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("no-such-pass", "unknown pass 'no-such-pass'"),
        ("vyre-expnd", "unknown pass 'vyre-expnd': did you mean 'vyre-expand'?"),
        ("vyre-expand{no-such=1}", "pass 'vyre-expand': .*no_such"),
        ("vyre-expand{", "malformed pipeline 'vyre-expand{'"),
        (
            "vyre-cse,,vyre-expand",
            "malformed pipeline 'vyre-cse,,vyre-expand': expected pass name, at character 10",
        ),
        ("vyre-cse vyre-expand", "expected a comma or pass arguments, at character 9"),
        ("vyre-coarsen{items=4", "expected either a space or '}', at character 21"),
    ],
)
def test_pipelines_without_sense_are_usage_errors(pipeline: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_pipeline(pipeline)
    assert "\n" not in str(caught.value)


def test_an_empty_pipeline_does_nothing() -> None:
    assert parse_pipeline("").passes == ()


@pytest.mark.parametrize("pipeline", [DEFAULT, UNFUSED, REFERENCE])
def test_the_standard_pipelines_exist(pipeline: str) -> None:
    assert len(parse_pipeline(pipeline).passes) == len(pipeline.split(","))


def fusion_for(context: Context, device: DeviceInfo, optimize: OptimizePass) -> str:
    """The options of fusion in the schedule that a program is compiled by for a device."""
    module = parse_module(PROGRAM, context)
    schedule = optimize_module(module, for_device(optimize, device), context).schedule
    (fusion,) = (op for op in schedule.passes() if op.sym_name.data == DecodeScanFusePass.name)
    return str(fusion.spec)


@pytest.mark.parametrize(
    ("is_own", "more"),
    [(True, 'local_memory="dedicated"'), (False, 'local_memory="global" steps=64')],
    ids=["own", "global"],
)
def test_tiles_may_take_the_workgroup_memory_of_the_device(
    context: Context, is_own: bool, more: str
) -> None:
    said = fusion_for(context, small_device(512, has_own_local_mem=is_own), OptimizePass())
    assert said == f"vyre-decode-scan-fuse{{budget=512 {more}}}"


@pytest.mark.parametrize("is_own", [True, False], ids=["own", "global"])
def test_sums_are_kept_in_workgroup_memory_of_its_own(context: Context, is_own: bool) -> None:
    module, device = parse_module(PROGRAM, context), small_device(512, has_own_local_mem=is_own)
    schedule = optimize_module(module, for_device(OptimizePass(), device), context).schedule
    specs = {op.sym_name.data: str(op.spec) for op in schedule.passes()}
    assert ("workgroup=1" in specs["vyre-coarsen"]) != is_own
    assert ("workgroup" in specs["vyre-privatize-reductions"]) == is_own


def test_a_choice_that_is_given_leaves_the_others_of_the_device() -> None:
    defaults = parse_options('vyre-expand{defaults="values=8","chunk=80"},vyre-coarsen{groups=32}')
    options = joined(defaults, parse_options('vyre-expand{choices="values=16"}'))
    assert options["vyre-expand"] == {
        "choices": ("values=16",),
        "defaults": ("values=8", "chunk=80"),
    }
    assert options["vyre-coarsen"] == {"groups": (32,)}


def test_options_that_are_given_go_before_those_of_the_device(context: Context) -> None:
    given = OptimizePass(options="vyre-decode-scan-fuse{budget=64},vyre-cse")
    said = fusion_for(context, small_device(512, has_own_local_mem=True), given)
    assert said == 'vyre-decode-scan-fuse{budget=64 local_memory="dedicated"}'


def test_a_schedule_of_the_module_is_the_one_to_compile_by(context: Context) -> None:
    schedule = "vyre.schedule @own profile(release) { vyre.pass @canonicalize phase kernels "
    schedule += "family scalar boundary arm preserves_abi }"
    module = parse_module(f"{schedule}\n{PROGRAM}", context)
    optimize = for_device(OptimizePass(), small_device(512, has_own_local_mem=True))
    optimized = optimize_module(module, optimize, context)
    assert [op.sym_name.data for op in optimized.schedule.passes()] == ["canonicalize"]
    assert "vyre.schedule" not in str(module)


def test_passes_of_xdsl_are_known() -> None:
    assert [module_pass.name for module_pass in parse_pipeline("canonicalize,cse").passes] == [
        "canonicalize",
        "cse",
    ]
