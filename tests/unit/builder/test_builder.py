"""The Python builder makes the programs that one would write by hand."""

import re
from collections.abc import Callable
from textwrap import dedent, indent

import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, builtin, math, scf, vector
from xdsl.dialects.builtin import ModuleOp, VectorType, f32, i8, i16, i32, i64
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.builder import (
    Program,
    Value,
    arm,
    async_copy,
    async_wait,
    barrier,
    constant,
    for_,
    if_,
    invocation_id,
    local_id,
    program,
    subgroup_id,
    subgroup_lane,
    while_,
    workgroup_id,
)
from vyre_dialect.dialect import Vyre
from vyre_dialect.ir.types import Access, AtomicKind, Axis, Initial, MemorySpace

I32X4 = VectorType(i32, [4])


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (
        builtin.Builtin,
        arith.Arith,
        math.Math,
        scf.Scf,
        vector.Vector,
        Vyre,
    ):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def assert_same(built: ModuleOp, text: str) -> None:
    """The module is what the text says, up to the names of values."""
    expected = parse(text)
    if not built.is_structurally_equivalent(expected):
        assert str(built) == str(expected)


def assert_body(build: Callable[[Program], object], body: str) -> None:
    """What `build` builds in a program is what the text says."""
    with program("p") as p:
        build(p)
    assert_same(p.module, f"vyre.program @p {{\n{indent(dedent(body), '  ')}\n}}")


def test_a_whole_program():
    with program("scan", workgroup_size=[128], entry_op_id="scan/1") as p:
        text = p.buffer("text", i8, access=Access.READ_ONLY, binding=0)
        count = p.buffer("count", i32, 1, live_out=True, output_range=(0, 4))
        words = p.buffer("words", i32, text.length.ceildiv(4), initial=Initial.UNDEFINED)
        with p.arm("scan", text.length, source_region="source") as i:
            with if_(text[i].eq(0x41)):
                count.atomic(AtomicKind.ADDI, 1)
            words.store(text.load(i * 4, i32), i)
    assert_same(
        p.module,
        """
        vyre.program @scan workgroup_size [128] entry_op_id "scan/1" {
          %text = vyre.buffer @text binding 0 : !vyre.buffer<?xi8, read_only>
          %count = vyre.buffer @count live_out output_range [0, 4] : !vyre.buffer<1xi32, read_write>
          %length = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
          %four = arith.constant 4 : index
          %size = arith.ceildivsi %length, %four : index
          %words = vyre.buffer @words[%size] initial undefined : !vyre.buffer<?xi32, read_write>
          %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
          vyre.region "scan" source "source" invocations [%n] {
            %i = vyre.invocation_id x
            %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
            %a = arith.constant 65 : i8
            %hit = arith.cmpi eq, %byte, %a : i8
            scf.if %hit {
              %one = arith.constant 1 : i32
              %zero = arith.constant 0 : index
              %old = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
            }
            %c4 = arith.constant 4 : index
            %first = arith.muli %i, %c4 : index
            %word = vyre.load %text[%first] : !vyre.buffer<?xi8, read_only> -> i32
            vyre.store %word, %words[%i] : i32, !vyre.buffer<?xi32, read_write>
          }
        }
        """,
    )


def test_buffers():
    def build(p: Program):
        p.buffer("input", i8, access=Access.READ_ONLY)
        p.buffer("errors", i32, 1, fill=-1)
        p.buffer("half", f32, 4, fill=0.5, initial=Initial.HOST)
        p.buffer("lanes", I32X4, 4, fill=3)
        p.buffer("table", i8, contents=b"\x00\xff", access=Access.UNIFORM)
        p.buffer("weights", f32, contents=[0.5, 2], access=Access.READ_ONLY)
        p.buffer("tile", i16, 64, memory_space=MemorySpace.WORKGROUP)
        p.buffer("own", i64, 2, memory_space=MemorySpace.PRIVATE)

    assert_body(
        build,
        """
        %0 = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
        %1 = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
        %2 = vyre.buffer @half initial host fill 0.5 : f32 : !vyre.buffer<4xf32, read_write>
        %3 = vyre.buffer @lanes fill 3 : i32 : !vyre.buffer<4xvector<4xi32>, read_write>
        %4 = vyre.buffer @table contents dense<[0, -1]> : vector<2xi8> : !vyre.buffer<2xi8, uniform>
        %5 = vyre.buffer @weights contents dense<[0.5, 2.0]> : vector<2xf32> : !vyre.buffer<2xf32, read_only>
        %6 = vyre.buffer @tile : !vyre.buffer<64xi16, read_write, workgroup>
        %7 = vyre.buffer @own : !vyre.buffer<2xi64, read_write, private>
        """,  # noqa: E501
    )


def test_accesses():
    def build(p: Program):
        b = p.buffer("b", i32, 64)
        errors = p.buffer("errors", i32, 1, fill=-1)
        with arm("arm", 64) as i:
            b[i] = 7
            b.store(b.load(0, I32X4), i)
            b.compare_and_swap(0, 1, i)
            errors.trap("bad", i)

    assert_body(
        build,
        """
        %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
        %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
        vyre.region "arm" invocations [64] {
          %i = vyre.invocation_id x
          %7 = arith.constant 7 : i32
          vyre.store %7, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
          %c0 = arith.constant 0 : index
          %v = vyre.load %b[%c0] : !vyre.buffer<64xi32, read_write> -> vector<4xi32>
          vyre.store %v, %b[%i] : vector<4xi32>, !vyre.buffer<64xi32, read_write>
          %0 = arith.constant 0 : i32
          %1 = arith.constant 1 : i32
          %old = vyre.atomic_cas %0, %1, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
          vyre.trap "bad" at %i, %errors : !vyre.buffer<1xi32, read_write>
        }
        """,
    )


def test_domains():
    def build(p: Program):
        b = p.buffer("b", i32)
        n = b.length
        with arm("line", n, workgroup_size=[32], subgroup_size=8) as i:
            b[i] = 0
        with arm("plane", [4, n]) as (i, j):
            b[i + j] = 0
        with arm("space", [2, 3, 4]) as (_, _, k):
            b[k] = 0
        with arm("nobody asks", 4):
            b[0] = 0

    assert_body(
        build,
        """
        %b = vyre.buffer @b : !vyre.buffer<?xi32, read_write>
        %n = vyre.buf_len %b : !vyre.buffer<?xi32, read_write>
        vyre.region "line" invocations [%n] workgroup_size [32] subgroup_size 8 {
          %i = vyre.invocation_id x
          %z = arith.constant 0 : i32
          vyre.store %z, %b[%i] : i32, !vyre.buffer<?xi32, read_write>
        }
        vyre.region "plane" invocations [4, %n] {
          %i = vyre.invocation_id x
          %j = vyre.invocation_id y
          %s = arith.addi %i, %j : index
          %z = arith.constant 0 : i32
          vyre.store %z, %b[%s] : i32, !vyre.buffer<?xi32, read_write>
        }
        vyre.region "space" invocations [2, 3, 4] {
          %k = vyre.invocation_id z
          %z = arith.constant 0 : i32
          vyre.store %z, %b[%k] : i32, !vyre.buffer<?xi32, read_write>
        }
        vyre.region "nobody asks" invocations [4] {
          %z = arith.constant 0 : i32
          %c0 = arith.constant 0 : index
          vyre.store %z, %b[%c0] : i32, !vyre.buffer<?xi32, read_write>
        }
        """,
    )


def test_cooperation():
    def build(p: Program):
        b = p.buffer("b", i32, 64)
        tile = p.buffer("tile", i32, 64, memory_space=MemorySpace.WORKGROUP)
        with arm("arm", 64):
            token = async_copy(b, 0, tile, workgroup_id(), 64)
            async_wait(token)
            barrier()
            barrier(MemorySpace.WORKGROUP)
            tile[local_id(Axis.Y)] = (invocation_id(Axis.Z) + subgroup_lane() + subgroup_id()).to(
                i32
            )

    assert_body(
        build,
        """
        %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
        %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
        vyre.region "arm" invocations [64] {
          %g = vyre.workgroup_id x
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %t = vyre.async_copy %b[%c0], %tile[%g], %c64 : !vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write, workgroup>
          vyre.async_wait %t
          vyre.barrier
          vyre.barrier memfence workgroup
          %k = vyre.invocation_id z
          %lane = vyre.subgroup_lane
          %s0 = arith.addi %k, %lane : index
          %sub = vyre.subgroup_id
          %s1 = arith.addi %s0, %sub : index
          %w = arith.index_cast %s1 : index to i64
          %v = arith.trunci %w : i64 to i32
          %l = vyre.local_id y
          vyre.store %v, %tile[%l] : i32, !vyre.buffer<64xi32, read_write, workgroup>
        }
        """,  # noqa: E501
    )


def test_branches():
    def build(p: Program):
        b = p.buffer("b", i32, 64)
        with arm("arm", 64) as i:
            with if_(i < 3) as branch:
                branch.yields(b[i], i)
            with branch.else_():
                branch.yields(0, 5)
            value, place = branch.results
            b[place] = value
            with if_(i.eq(place)) as branch:
                b[i] = 1
            with branch.else_():
                b[i] = 2

    assert_body(
        build,
        """
        %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
        vyre.region "arm" invocations [64] {
          %i = vyre.invocation_id x
          %c3 = arith.constant 3 : index
          %c = arith.cmpi slt, %i, %c3 : index
          %value, %place = scf.if %c -> (i32, index) {
            %x = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> i32
            scf.yield %x, %i : i32, index
          } else {
            %z = arith.constant 0 : i32
            %five = arith.constant 5 : index
            scf.yield %z, %five : i32, index
          }
          vyre.store %value, %b[%place] : i32, !vyre.buffer<64xi32, read_write>
          %d = arith.cmpi eq, %i, %place : index
          scf.if %d {
            %one = arith.constant 1 : i32
            vyre.store %one, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
          } else {
            %two = arith.constant 2 : i32
            vyre.store %two, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
          }
        }
        """,
    )


def test_loops():
    def build(p: Program):
        b = p.buffer("b", i32, 64)
        with arm("arm", 64) as i:
            with for_(0, i, 2):
                b[i] = 0
            with for_(0, i, carry=[constant(0, i32), 1]) as loop:
                total, stride = loop.carried
                loop.yields(total + b[loop.counter], stride * 2)
            with while_(lambda left, _: left > 1, carry=[i, loop.results[0]]) as halving:
                left, total = halving.carried
                halving.yields(left // 2, total + 1)
            b[halving.results[0]] = halving.results[1]

    assert_body(
        build,
        """
        %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
        vyre.region "arm" invocations [64] {
          %i = vyre.invocation_id x
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          scf.for %j = %c0 to %i step %c2 {
            %z = arith.constant 0 : i32
            vyre.store %z, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
          }
          %zero = arith.constant 0 : i32
          %d0 = arith.constant 0 : index
          %d1 = arith.constant 1 : index
          %first = arith.constant 1 : index
          %sum, %last = scf.for %j = %d0 to %i step %d1 iter_args(%total = %zero, %stride = %first) -> (i32, index) {
            %x = vyre.load %b[%j] : !vyre.buffer<64xi32, read_write> -> i32
            %more = arith.addi %total, %x : i32
            %two = arith.constant 2 : index
            %double = arith.muli %stride, %two : index
            scf.yield %more, %double : i32, index
          }
          %r, %s = scf.while (%left = %i, %unused = %sum) : (index, i32) -> (index, i32) {
            %one = arith.constant 1 : index
            %c = arith.cmpi sgt, %left, %one : index
            scf.condition(%c) %left, %unused : index, i32
          } do {
          ^bb0(%now : index, %total : i32):
            %two = arith.constant 2 : index
            %half = arith.floordivsi %now, %two : index
            %one = arith.constant 1 : i32
            %more = arith.addi %total, %one : i32
            scf.yield %half, %more : index, i32
          }
          vyre.store %s, %b[%r] : i32, !vyre.buffer<64xi32, read_write>
        }
        """,  # noqa: E501
    )


def test_any_other_op_is_built_by_constructing_it():
    def build(p: Program):
        b = p.buffer("b", i32, 1)
        with arm("arm", 1) as i:
            b[i] = Value(math.CtPopOp(b[i].ssa).result)

    assert_body(
        build,
        """
        %b = vyre.buffer @b : !vyre.buffer<1xi32, read_write>
        vyre.region "arm" invocations [1] {
          %i = vyre.invocation_id x
          %v = vyre.load %b[%i] : !vyre.buffer<1xi32, read_write> -> i32
          %n = math.ctpop %v : i32
          vyre.store %n, %b[%i] : i32, !vyre.buffer<1xi32, read_write>
        }
        """,
    )


def test_two_programs_in_one_module():
    module = ModuleOp([])
    with ImplicitBuilder(module.body):
        with program("a") as a:
            pass
        with program("b") as b:
            pass
    assert a.module is b.module is module
    assert_same(module, "vyre.program @a {}  vyre.program @b {}")


def test_the_module_of_a_program_is_made_once():
    with program("p") as p:
        pass
    assert p.module is p.module


def test_a_program_prints_its_ir() -> None:
    with program("empty") as p:
        pass
    assert str(p) == "vyre.program @empty {\n}"


def test_names_that_printers_show():
    with program("p") as p:
        b = p.buffer("b", i32, 64)
        with p.arm("arm", [64, 2]) as (i, j):
            b[i] = b[j].named("byte")
    text = str(p.module)
    assert all(name in text for name in ("%b =", "%i =", "%j =", "%byte ="))


def forgets_to_yield(i: Value):
    with for_(0, i, carry=[constant(0, i32)]):
        pass


def yields_too_much(i: Value):
    with for_(0, i, carry=[i]) as loop:
        loop.yields(i, i)


def yields_another_type(i: Value):
    with while_(lambda n: n > 0, carry=[i]) as loop:
        loop.yields(constant(0, i32))


def yields_in_one_branch(i: Value):
    with if_(i < 1) as branch:
        branch.yields(i)
    with branch.else_():
        pass


def puts_else_inside(i: Value):
    with if_(i < 1) as branch, branch.else_():
        pass


def has_two_elses(i: Value):
    with if_(i < 1) as branch:
        pass
    for _ in range(2):
        with branch.else_():
            pass


def raises_an_error_of_its_own(i: Value):
    with for_(0, i):
        raise ValueError("mine")


def build_in_an_arm(build: Callable[[Value], None]):
    with program("p"), arm("arm", 1) as i:
        build(i)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (forgets_to_yield, "expected `yields` with values of type (i32), got ()"),
        (yields_too_much, "expected 1 values to yield, got 2"),
        (yields_another_type, "expected `yields` with values of type (index), got (i32)"),
        (yields_in_one_branch, "expected `yields` with values of type (index), got ()"),
        (puts_else_inside, "expected one else branch, after the branch of the condition"),
        (has_two_elses, "expected one else branch, after the branch of the condition"),
        (raises_an_error_of_its_own, "mine"),
    ],
)
def test_misuse_of_structures(build: Callable[[Value], None], message: str):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        build_in_an_arm(build)


def test_buffers_are_not_iterated():
    with pytest.raises(TypeError, match="not iterable"):
        with program("p") as p:
            list(p.buffer("b", i32, 64))  # pyright: ignore


def store_to_an_input():
    with program("p") as p:
        b = p.buffer("b", i32, 64, access=Access.READ_ONLY)
        with p.arm("arm", 64) as i:
            b[i] = 1


def test_a_finished_program_is_verified():
    with pytest.raises(VerifyException, match="expected a writable buffer, got a read_only one"):
        store_to_an_input()


def test_a_buffer_may_have_a_name_that_no_value_can_have():
    assert_body(
        lambda p: p.buffer("1 x", i8, 4),
        '%0 = vyre.buffer @"1 x" : !vyre.buffer<4xi8, read_write>',
    )
