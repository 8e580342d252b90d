"""What makes values differ: invocations, the place where they are computed, memory."""

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, scf, test, vector
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.analysis.divergence import (
    Divergence,
    DivergenceAnalysis,
    Scope,
    convergent_ops,
)
from vyre_dialect.dialect import Vyre
from vyre_dialect.ops.program import RegionOp

PROGRAM = """
vyre.program @p {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  %own = vyre.buffer @own : !vyre.buffer<64xi32, read_write, private>
  %n = vyre.buf_len %in : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.constant true
    %leader = arith.cmpi eq, %l, %c0 : index
    OPS
  }
}
"""


def arm(ops: str) -> list[Operation]:
    context = Context()
    for dialect in (
        builtin.Builtin,
        arith.Arith,
        scf.Scf,
        vector.Vector,
        test.Test,
        Vyre,
    ):
        context.load_dialect(dialect)
    module = Parser(context, PROGRAM.replace("OPS", ops)).parse_module()
    module.verify()
    return list(module.walk())


def values(ops: str) -> dict[str, SSAValue]:
    """The values of an arm by name, results and block arguments."""
    found = dict[str, SSAValue]()
    for op in arm(ops):
        arguments = [arg for region in op.regions for block in region.blocks for arg in block.args]
        found |= {value.name_hint: value for value in (*op.results, *arguments) if value.name_hint}
    return found


def uniform(ops: str, *names: str) -> set[str]:
    """Those of the named values that are uniform, asked in the order of the names."""
    found, analysis = analyzed(ops)
    return {name for name in names if analysis.is_uniform(found[name])}


def analyzed(ops: str) -> tuple[dict[str, SSAValue], DivergenceAnalysis]:
    """The values of an arm by name, and the analysis of it."""
    found = values(ops)
    (region,) = {owner_arm(value) for value in found.values()} - {None}
    assert region is not None
    return found, DivergenceAnalysis(region)


def owner_arm(value: SSAValue) -> RegionOp | None:
    """The arm that a value stands in; None for the host's."""
    op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    while op is not None and not isinstance(op, RegionOp):
        op = op.parent_op()
    return op


def divergence(ops: str, name: str) -> Divergence:
    """What makes a named value differ."""
    found, analysis = analyzed(ops)
    return analysis.of(found[name])


@pytest.mark.parametrize(
    "op",
    [
        "%x = vyre.invocation_id x",
        "%x = vyre.local_id y",
        "%x = vyre.subgroup_lane",
        "%x = vyre.subgroup_id",
        "%x = vyre.subgroup_shuffle %c0, %c1 : index",
        "%x = vyre.subgroup_reduce addi %t : i1",
        "%v = arith.constant 1 : i32  %x = vyre.atomic_rmw addi %v, %in[%c0] : i32, !vyre.buffer<64xi32, read_write>",  # noqa: E501
        "%v = arith.constant 1 : i32  %x = vyre.atomic_cas %v, %v, %in[%c0] : i32, !vyre.buffer<64xi32, read_write>",  # noqa: E501
        "%x = vyre.load %in[%l] : !vyre.buffer<64xi32, read_write> -> i32",
        "%x = vyre.load %own[%c0] : !vyre.buffer<64xi32, read_write, private> -> i32",
        "%x = arith.addi %l, %n : index",
        "%x = arith.select %leader, %c0, %c1 : index",
        '%x = "test.op"(%c0) : (index) -> index',
        '%x = "test.op"() ({}) : () -> index',
    ],
)
def test_values_that_differ(op: str):
    assert uniform(op, "x") == set()


@pytest.mark.parametrize(
    "op",
    [
        "%x = vyre.workgroup_id x",
        "%x = vyre.buf_len %in : !vyre.buffer<64xi32, read_write>",
        "%x = vyre.load %in[%n] : !vyre.buffer<64xi32, read_write> -> i32",
        "%x = vyre.load %tile[%c0] : !vyre.buffer<64xi32, read_write, workgroup> -> i32",
        "%x = arith.addi %c0, %n : index",
        "%x = arith.remui %c0, %n : index",
        "%v = arith.constant 7 : i8  %x = arith.extsi %v : i8 to i32",
    ],
)
def test_values_that_agree(op: str):
    assert uniform(op, "x") == {"x"}


def test_results_of_an_if():
    ops = """
      %a, %b = scf.if %t -> (index, index) {
        scf.yield %c0, %c0 : index, index
      } else {
        scf.yield %c1, %l : index, index
      }
      %c = scf.if %leader -> (index) {
        scf.yield %c0 : index
      } else {
        scf.yield %c1 : index
      }
    """
    assert uniform(ops, "a", "b", "c") == {"a"}


def test_values_in_a_branch_are_compared_among_those_who_take_it():
    assert uniform("scf.if %leader {\n %x = arith.addi %c0, %c1 : index\n}", "x") == {"x"}


def test_results_of_a_switch():
    ops = """
      %a, %b = scf.index_switch %n -> index, index
      case 0 {
        scf.yield %c0, %c0 : index, index
      }
      default {
        scf.yield %c1, %l : index, index
      }
      %c = scf.index_switch %l -> index
      default {
        scf.yield %c1 : index
      }
    """
    assert uniform(ops, "a", "b", "c") == {"a"}


def test_a_loop_that_carries_both_kinds():
    ops = """
      %a, %b = scf.for %j = %c0 to %n step %c1 iter_args(%p = %c1, %q = %l) -> (index, index) {
        %p2 = arith.addi %p, %j : index
        %q2 = arith.addi %q, %p : index
        scf.yield %p2, %q2 : index, index
      }
    """
    assert uniform(ops, "j", "p", "q", "a", "b") == {"j", "p", "a"}


def test_divergence_that_enters_a_loop_later():
    """Uniform at first, divergent from the third iteration on."""
    ops = """
      %a, %b = scf.for %j = %c0 to %n step %c1 iter_args(%p = %c1, %q = %c1) -> (index, index) {
        %q2 = arith.addi %q, %l : index
        scf.yield %q, %q2 : index, index
      }
    """
    assert uniform(ops, "p", "q", "a", "b") == set()


def test_a_loop_that_ends_at_different_times():
    ops = """
      %a = scf.for %j = %c0 to %l step %c1 iter_args(%p = %c1) -> (index) {
        %p2 = arith.addi %p, %c1 : index
        scf.yield %p2 : index
      }
    """
    assert uniform(ops, "j", "a") == set()


WHILE = """
  %a, %b = scf.while (%p = %c0, %q = %FIRST) : (index, index) -> (index, index) {
    %go = arith.cmpi slt, %p, %LIMIT : index
    scf.condition(%go) %p, %q : index, index
  } do {
  ^bb0(%r : index, %s : index):
    %p2 = arith.addi %r, %c1 : index
    scf.yield %p2, %s : index, index
  }
"""
NAMES = ("p", "q", "r", "s", "a", "b")


@pytest.mark.parametrize(
    ("first", "limit", "agreed"),
    [
        ("c1", "n", set(NAMES)),
        ("l", "n", {"p", "r", "a"}),
        ("c1", "l", {"p", "q", "r", "s"}),
    ],
)
def test_what_a_while_carries(first: str, limit: str, agreed: set[str]):
    ops = WHILE.replace("FIRST", first).replace("LIMIT", limit)
    assert uniform(ops, *NAMES) == agreed
    assert uniform(ops, *reversed(NAMES)) == agreed


def test_the_order_of_questions_does_not_matter():
    ops = """
      %a, %b = scf.for %j = %c0 to %n step %c1 iter_args(%p = %c1, %q = %l) -> (index, index) {
        scf.yield %p, %p : index, index
      }
      %x = arith.addi %a, %b : index
      %y = arith.addi %a, %a : index
    """
    names = ("p", "q", "a", "b", "x", "y")
    for start in range(len(names)):
        assert uniform(ops, *names[start:], *names[:start]) == {"p", "a", "y"}


@pytest.mark.parametrize(
    ("around", "culprit"),
    [
        ("scf.if %t { HERE }", None),
        ("scf.if %leader { HERE }", "scf.if"),
        ("scf.if %t {} else { HERE }", None),
        ("scf.if %leader { scf.if %t { HERE } }", "scf.if"),
        ("scf.for %j = %c0 to %n step %c1 { HERE }", None),
        ("scf.for %j = %l to %n step %c1 { HERE }", "scf.for"),
        ("scf.for %j = %c0 to %n step %l { HERE }", "scf.for"),
        ("scf.for %j = %c0 to %n step %c1 { scf.if %leader { HERE } }", "scf.if"),
        ("scf.for %j = %c0 to %l step %c1 { scf.if %t { HERE } }", "scf.for"),
        ("scf.index_switch %n default { HERE scf.yield }", None),
        ("scf.index_switch %l default { HERE scf.yield }", "scf.index_switch"),
        ("scf.while () : () -> () { HERE scf.condition(%t) } do { scf.yield }", None),
        ("scf.while () : () -> () { scf.condition(%leader) } do { HERE scf.yield }", "scf.while"),
        ('"test.op"() ({ HERE "test.termop"() : () -> () }) : () -> ()', "test.op"),
    ],
)
def test_the_op_that_invocations_may_take_differently(around: str, culprit: str | None):
    ops = around.replace("HERE", "vyre.barrier")
    if culprit is None:
        arm(ops)
        return
    message = f"'vyre.barrier' expected uniform control flow, got a '{culprit}' that"
    with pytest.raises(VerifyException, match=message):
        arm(ops)


def test_what_no_two_invocations_share_may_stand_anywhere():
    arm('scf.if %leader { "test.op"() : () -> () }')


@pytest.mark.parametrize(("ops", "agree"), [("%c0", True), ("%n", True), ("%l", False)])
def test_operands_that_the_whole_workgroup_agrees_on(ops: str, agree: bool):
    types = "!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write, workgroup>"
    copy = f"%k = vyre.async_copy %in[{ops}], %tile[%c0], %c1 : {types}  vyre.async_wait %k"
    if agree:
        arm(copy)
        return
    with pytest.raises(VerifyException, match="expected operands that are the same"):
        arm(copy)


LOAD = "vyre.load %in[%c0] : !vyre.buffer<64xi32, read_write> -> i32"
"""A load that all invocations of the launch do alike."""


@pytest.mark.parametrize(
    ("op", "scope"),
    [
        ("%x = arith.addi %c0, %n : index", Scope.PROGRAM),
        (f"%x = {LOAD}", Scope.PROGRAM),
        ("%x = vyre.workgroup_id x", Scope.WORKGROUP),
        (
            "%x = vyre.load %tile[%c0] : !vyre.buffer<64xi32, read_write, workgroup> -> i32",
            Scope.WORKGROUP,
        ),
        ("%x = vyre.subgroup_id", Scope.SUBGROUP),
        (
            "%s = vyre.subgroup_lane  %v = arith.index_cast %s : index to i32 "
            "%x = vyre.subgroup_reduce addi %v : i32",
            Scope.SUBGROUP,
        ),
        ("%x = vyre.subgroup_lane", Scope.INVOCATION),
        ("%x = vyre.subgroup_shuffle %l, %l : index", Scope.INVOCATION),
        ("%x = vyre.local_id y", Scope.INVOCATION),
        ("%w = vyre.workgroup_id x  %x = arith.addi %w, %l : index", Scope.INVOCATION),
    ],
)
def test_the_largest_group_that_agrees(op: str, scope: Scope):
    assert divergence(op, "x").scope == scope


@pytest.mark.parametrize(
    ("op", "invariant", "decided"),
    [
        ("%x = arith.addi %l, %n : index", True, True),
        ("%x = arith.divui %l, %n : index", True, True),
        ("%x = arith.remui %l, %n : index", True, True),
        (
            "%x = scf.if %leader -> (index) { scf.yield %l : index } else { scf.yield %n : index }",
            False,
            True,
        ),
        ("scf.for %x = %c0 to %n step %c1 {}", False, True),
        ("scf.for %j = %c0 to %n step %c1 { %x = arith.addi %j, %l : index }", False, True),
        ("scf.for %j = %c0 to %n step %c1 { %x = arith.addi %l, %l : index }", True, True),
        (f"%x = {LOAD}", False, False),
        ("%x = vyre.subgroup_shuffle %c0, %c1 : index", False, False),
        ('%x = "test.op"(%c0) : (index) -> index', False, False),
    ],
)
def test_what_is_the_same_at_any_time(op: str, invariant: bool, decided: bool):
    found = divergence(op, "x")
    assert (found.is_invariant, found.is_decided) == (invariant, decided)


@pytest.mark.parametrize(
    ("op", "differs"),
    [
        ("%x = vyre.invocation_id x", True),
        ("%x = vyre.invocation_id y", False),
        (f"%x = {LOAD}", False),
        (f"%x = {LOAD}  vyre.store %x, %in[%l] : i32, !vyre.buffer<64xi32, read_write>", True),
        (
            f"%x = {LOAD} vyre.barrier "
            "vyre.store %x, %in[%l] : i32, !vyre.buffer<64xi32, read_write>",
            False,
        ),
        ("%x = vyre.load %in[%l] : !vyre.buffer<64xi32, read_write> -> i32", True),
    ],
)
def test_neighbours_along_x(op: str, differs: bool):
    found, analysis = analyzed(op)
    assert analysis.differs_along_x(found["x"]) == differs


OWN = "vyre.load %own[%c0] : !vyre.buffer<64xi32, read_write, private> -> i32"
STORE = "vyre.store %y, %in[%l] : i32, !vyre.buffer<64xi32, read_write>"


@pytest.mark.parametrize(
    ("ops", "shared"),
    [
        ("%x = arith.addi %n, %c1 : index", True),
        ("%x = vyre.workgroup_id x", True),
        ("%x = vyre.local_id y", False),
        (f"%x = {LOAD}", True),
        (f"%x = {OWN}", False),
        (f"%y = {LOAD} {STORE} %x = {LOAD}", False),
        (f"%y = {LOAD} {STORE} vyre.barrier %x = {LOAD}", True),
        ("%x = scf.if %t -> (index) { scf.yield %n : index } else { scf.yield %c0 : index }", True),
        (
            f"%y = {LOAD} %x = scf.if %t -> (index) {{ {STORE} scf.yield %n : index }} "
            "else { scf.yield %c0 : index }",
            False,
        ),
        (
            "%x, %y = scf.if %t -> (index, index) { scf.yield %n, %l : index, index } "
            "else { scf.yield %c0, %c0 : index, index }",
            False,
        ),
    ],
)
def test_what_one_invocation_may_do_for_its_workgroup(ops: str, shared: bool):
    """What is not gone through together is done as a whole: for all only if all of it may be."""
    found = values(ops)
    region = owner_arm(found["x"])
    assert region is not None
    analysis = DivergenceAnalysis(region, convergent_ops(region))
    assert analysis.is_shared(found["x"]) == shared


CHAIN = 20_000


@pytest.mark.slow
def test_a_long_chain_needs_no_recursion():
    value: SSAValue = test.TestOp(result_types=[builtin.IndexType()]).results[0]
    assert isinstance(value.owner, Operation)
    body = Block([value.owner])
    for _ in range(CHAIN):
        op = arith.AddiOp(value, value)
        body.add_op(op)
        value = op.result
    assert not DivergenceAnalysis(RegionOp("chain", [1], Region(body))).is_uniform(value)


def test_a_chain_of_loops_needs_no_recursion():
    """Each loop carries what the one before it has come to."""
    one = arith.ConstantOp(builtin.IntegerAttr(1, builtin.IndexType())).result
    value: SSAValue = test.TestOp(result_types=[builtin.IndexType()]).results[0]
    assert isinstance(one.owner, Operation) and isinstance(value.owner, Operation)
    body = Block([one.owner, value.owner])
    for _ in range(1000):
        block = Block(arg_types=[builtin.IndexType()] * 2)
        block.add_op(scf.YieldOp(block.args[1]))
        loop = scf.ForOp(one, one, one, [value], block)
        body.add_op(loop)
        value = loop.results[0]
    assert not DivergenceAnalysis(RegionOp("chain", [1], Region(body))).is_uniform(value)
