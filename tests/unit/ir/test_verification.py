"""The structure of programs: what the text cannot say, and that size does not matter."""

import re

import pytest
from support.interpreting import parse
from xdsl.dialects import arith, scf, test
from xdsl.dialects.builtin import IndexType, ModuleOp, i8
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.builder import Value, program
from vyre_dialect.ir.verification import verify_structure, verify_values
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.program import ProgramOp, RegionOp


def arm(*ops: Operation) -> ProgramOp:
    return ProgramOp("p", Region(Block([RegionOp("a", [4], Region(Block(ops)))])))


def sum_of(lhs: SSAValue, rhs: SSAValue) -> Operation:
    return arith.AddiOp(lhs, rhs)


def rejects(root: Operation, message: str) -> None:
    with pytest.raises(VerifyException, match=f"^{re.escape(message)}\n"):
        root.verify()


def test_a_value_of_a_branch_is_not_seen_after_it():
    condition, one = arith.ConstantOp.from_int_and_width(1, 1), InvocationIdOp()
    one.id.name_hint = "one"
    branch = scf.IfOp(condition, (), [one, scf.YieldOp()])
    rejects(
        arm(condition, branch, sum_of(one.id, one.id)),
        "'arith.addi' expected operand 0 to be defined before it, got %one, which "
        "'vyre.invocation_id' defines in a 'scf.if' that does not contain 'arith.addi'",
    )


def test_the_counter_of_a_loop_is_not_seen_after_it():
    one = arith.ConstantOp.from_int_and_width(1, IndexType())
    body = Block([scf.YieldOp()], arg_types=[IndexType()])
    loop = scf.ForOp(one, one, one, (), body)
    rejects(
        arm(one, loop, sum_of(body.args[0], one.result)),
        "'arith.addi' expected operand 0 to be defined before it, got a value, which is an "
        "argument of a block in a 'scf.for' that does not contain 'arith.addi'",
    )


def test_the_result_of_an_op_is_not_seen_in_its_regions():
    outer = test.TestOp(result_types=[IndexType()], regions=[Region(Block())])
    outer.regions[0].block.add_op(sum_of(outer.results[0], outer.results[0]))
    rejects(
        arm(outer),
        "'arith.addi' expected operand 0 to be defined before it, got a value, which 'test.op' "
        "defines later",
    )


def test_a_value_that_is_in_no_program_is_not_seen():
    rejects(
        arm(sum_of((one := InvocationIdOp()).id, one.id)),
        "'arith.addi' expected operand 0 to be defined before it, got a value, which "
        "'vyre.invocation_id' defines outside 'vyre.program'",
    )


def test_an_arm_of_python_does_not_see_the_values_of_another():
    kept = list[Value]()

    def build() -> None:
        with program("p") as p:
            buffer = p.buffer("b", i8, 4)
            with p.arm("a", 4) as i:
                kept.append(buffer[i])
            with p.arm("b", 4):
                sum_of(kept[0].ssa, kept[0].ssa)

    with pytest.raises(VerifyException, match="uses a value of the arm, branch or loop that has"):
        build()


def test_values_of_the_host_and_of_enclosing_blocks_are_seen():
    parse("""
    vyre.program @p {
      %a = vyre.buffer @a : !vyre.buffer<?xi8, read_only>
      %n = vyre.buf_len %a : !vyre.buffer<?xi8, read_only>
      vyre.region "a" invocations [%n] {
        %i = vyre.invocation_id x
        %t = arith.constant true
        scf.if %t {
          %j = arith.addi %i, %n : index
          scf.if %t {
            %v = vyre.load %a[%j] : !vyre.buffer<?xi8, read_only> -> i8
          }
        }
      }
    }""").verify()


def test_positions_that_are_computed_are_not_judged():
    verify_values(
        parse("""
    vyre.program @p {
      vyre.region "a" invocations [4] {
        %i = vyre.invocation_id x
        %v = arith.constant dense<0> : vector<4xi32>
        %x = vector.extract %v[%i] : i32 from vector<4xi32>
        %z = vector.insert %x, %v [%i] : i32 into vector<4xi32>
      }
    }""")
    )


COUNT = 20_000
"""Far more ops than Python would recurse over."""


def chain(count: int) -> list[Operation]:
    """Ops of which each takes what the one before gives."""
    ops: list[Operation] = [InvocationIdOp()]
    for _ in range(count - 1):
        ops.append(sum_of(ops[-1].results[0], ops[0].results[0]))
    return ops


@pytest.mark.slow
def test_programs_of_any_length_are_verified():
    arm(*chain(COUNT)).verify()


@pytest.mark.slow
def test_kernels_of_any_length_are_verified():
    ops = chain(COUNT)
    kernel = KernelOp("k", (), workgroup_size=[4], generator="k", body=Region(Block(ops)))
    ModuleOp([kernel]).verify()


@pytest.mark.parametrize("count", [1000, 2000])
def test_each_op_is_entered_and_left_once(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[Operation]()
    operands = Operation.operands

    def counted(op: Operation) -> object:
        asked.append(op)
        return operands.__get__(op)

    root = arm(*chain(count))
    monkeypatch.setattr(Operation, "operands", property(counted))
    verify_structure(root)
    assert len(asked) <= 3 * (count + 1)
