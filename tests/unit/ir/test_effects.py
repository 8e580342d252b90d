"""The effects of each op: on which buffer, reading or writing, and nothing else."""

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.scf import Scf
from xdsl.dialects.vector import Vector
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.traits import EffectInstance, MemoryEffectKind, get_effects, is_side_effect_free
from xdsl.traits import is_speculatable as may_be_moved

from vyre_dialect.dialect import Vyre
from vyre_dialect.ir.effects import FUNCTIONS, effects_of, is_total

PROGRAM = """
vyre.program @p {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out : !vyre.buffer<64xi32, read_write>
  %log = vyre.buffer @log : !vyre.buffer<64xi32, write_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  %n = vyre.buf_len %in : !vyre.buffer<64xi32, read_only>
  vyre.region "arm" invocations [64] {
    OPS
  }
  vyre.check_whole_workgroups %n of 64 for "arm"
  vyre.launch @k[1](%in, %log, %out, %n) : (!vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, write_only>, !vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @k(%a : !vyre.buffer<64xi32, read_only>, %b : !vyre.buffer<64xi32, write_only>, %c : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "k" {
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : !vyre.buffer<64xi32, read_only> -> i32
  %w = vyre.load %c[%i] : !vyre.buffer<64xi32, read_write> -> i32
  vyre.store %v, %c[%n] : i32, !vyre.buffer<64xi32, read_write>
}
"""  # noqa: E501

OPS = """
%i = vyre.invocation_id x
%g = vyre.workgroup_id x
%l = vyre.local_id x
%s = vyre.subgroup_lane
%u = vyre.subgroup_id
%v = vyre.load %in[%i] : !vyre.buffer<64xi32, read_only> -> i32
vyre.store %v, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
%o = vyre.atomic_rmw addi %v, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
%p = vyre.atomic_cas %v, %v, %tile[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
%x = vyre.subgroup_shuffle %v, %s : i32
%y = vyre.subgroup_reduce addi %v : i32
%b = vyre.permute_bytes %x, %y [2, 1, 0, 6] : i32
%e = vector.broadcast %b : i32 to vector<4xi32>
%m = vyre.compare_lanes ult %e, %e : vector<4xi32> -> vector<4xi1>
%c = vyre.select_lanes %m, %e, %e : vector<4xi1>, vector<4xi32>
%d = vyre.convert_lanes trunci %c : vector<4xi32> to vector<4xi8>
%h = vyre.convert_lanes uitofp %d : vector<4xi8> to vector<4xf32>
%j = vyre.compare_float_lanes uno %h, %h : vector<4xf32> -> vector<4xi1>
%f = vyre.look_up_lanes %e[%d] : vector<4xi32>, vector<4xi8> -> vector<4xi32>
vyre.barrier
%t = vyre.async_copy %in[%n], %tile[%n], %n : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
vyre.async_wait %t
vyre.trap "bad" at %i, %errors : !vyre.buffer<1xi32, read_write>
"""  # noqa: E501

Effects = set[tuple[MemoryEffectKind, str | None]]
R, W = MemoryEffectKind.READ, MemoryEffectKind.WRITE
NONE = Effects()


def operations(ops: str = OPS) -> dict[str, Operation]:
    """The first op of each name, which in an arm is that of `ops`."""
    context = Context()
    for dialect in (Builtin, Arith, Scf, Vector, test.Test, Vyre):
        context.load_dialect(dialect)
    module = Parser(context, PROGRAM.replace("OPS", ops)).parse_module()
    module.verify()
    return {op.name: op for op in reversed(list(module.walk()))}


def named(effects: object) -> Effects:
    assert isinstance(effects, set | frozenset)
    found = Effects()
    for effect in effects:  # pyright: ignore[reportUnknownVariableType]
        assert isinstance(effect, EffectInstance)
        value = effect.value
        found.add((effect.kind, value.name_hint if isinstance(value, SSAValue) else None))
    return found


@pytest.mark.parametrize(
    ("op", "effects"),
    [
        ("vyre.load", {(R, "in")}),
        ("vyre.store", {(W, "out")}),
        ("vyre.atomic_rmw", {(R, "out"), (W, "out")}),
        ("vyre.atomic_cas", {(R, "tile"), (W, "tile")}),
        ("vyre.async_copy", {(R, "in"), (W, "tile")}),
        ("vyre.trap", {(R, "errors"), (W, "errors")}),
        ("vyre.barrier", {(R, None), (W, None)}),
        ("vyre.async_wait", {(R, None), (W, None)}),
        ("vyre.launch", {(R, "in"), (R, "out"), (W, "out")}),
        ("vyre.check_whole_workgroups", {(W, None)}),
        ("vyre.buffer", NONE),
        ("vyre.buf_len", NONE),
        ("vyre.invocation_id", NONE),
        ("vyre.workgroup_id", NONE),
        ("vyre.local_id", NONE),
        ("vyre.subgroup_lane", NONE),
        ("vyre.subgroup_id", NONE),
        ("vyre.subgroup_shuffle", NONE),
        ("vyre.subgroup_reduce", NONE),
        ("vyre.permute_bytes", NONE),
        ("vyre.compare_lanes", NONE),
        ("vyre.compare_float_lanes", NONE),
        ("vyre.select_lanes", NONE),
        ("vyre.convert_lanes", NONE),
        ("vyre.look_up_lanes", NONE),
    ],
)
def test_effects(op: str, effects: Effects):
    assert named(get_effects(operations()[op])) == effects


def test_every_op_of_an_arm_is_covered():
    programs = {op.name for op in Vyre.operations if op.name.count(".") == 1}
    programs.remove("vyre.stream")  # which no arm has
    schedules = {"vyre.schedule", "vyre.pass", "vyre.request"}
    assert programs - schedules - set(operations()) == set()


def test_an_arm_has_the_effects_of_its_ops():
    ops = """
      %i = vyre.invocation_id x
      %v = vyre.load %in[%i] : !vyre.buffer<64xi32, read_only> -> i32
      vyre.store %v, %log[%i] : i32, !vyre.buffer<64xi32, write_only>
    """
    assert named(get_effects(operations(ops)["vyre.region"])) == {(R, "in"), (W, "log")}


def test_an_arm_with_an_unknown_op_has_unknown_effects():
    assert get_effects(operations('"test.op"() : () -> ()')["vyre.region"]) is None


@pytest.mark.parametrize(
    ("op", "moved"),
    [
        ("vyre.invocation_id", True),
        ("vyre.buf_len", True),
        ("vyre.load", True),
        ("vyre.store", False),
        ("vyre.atomic_rmw", False),
        ("vyre.subgroup_shuffle", False),
        ("vyre.subgroup_reduce", False),
    ],
)
def test_what_may_run_where_it_did_not(op: str, moved: bool):
    """A load outside its buffer is 0, so it may; a subgroup op needs all of its lanes."""
    assert may_be_moved(operations()[op]) is moved


FUNCTION_OPS = """
  %a = arith.constant 7 : i32
  %w = arith.extsi %a : i32 to i64
  %r = arith.remui %a, %a : i32
  %x = arith.constant dense<0> : vector<4xi8>
  %b = vector.bitcast %x : vector<4xi8> to vector<2xi16>
"""


@pytest.mark.parametrize("name", ["divui", "divsi", "remui", "remsi", "ceildivsi"])
def test_arithmetic_may_run_where_it_did_not(name: str) -> None:
    ops = f"%x = vyre.invocation_id x  %y = arith.{name} %x, %x : index"
    assert is_total(operations(ops)[f"arith.{name}"])


@pytest.mark.parametrize("op", ["arith.extsi", "arith.remui", "vector.bitcast"])
def test_functions_that_xdsl_states_no_effects_for(op: str):
    found = operations(FUNCTION_OPS)[op]
    assert op in FUNCTIONS
    assert not is_side_effect_free(found), "xDSL states the effects now: drop it from FUNCTIONS"
    assert effects_of(found) == set()


def test_a_launch_of_an_unknown_op_has_unknown_effects():
    ops = operations()
    assert get_effects(ops["vyre.launch"]) is not None
    ops["vyre.kernel"].regions[0].block.add_op(test.TestOp())
    assert get_effects(ops["vyre.launch"]) is None


def test_a_launch_of_nothing_has_unknown_effects():
    assert get_effects(operations()["vyre.launch"].clone()) is None


def test_effects_that_nobody_knows():
    assert effects_of(operations('"test.op"() : () -> ()')["test.op"]) is None
