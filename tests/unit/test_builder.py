"""The Python builder makes the programs that one would write by hand."""

import re
from collections.abc import Callable
from io import StringIO
from textwrap import dedent, indent
from typing import TypeAlias

import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, builtin, math, scf, vector
from xdsl.dialects.builtin import ModuleOp, VectorType, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser
from xdsl.printer import Printer
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
    index,
    invocation_id,
    local_id,
    program,
    ssa,
    subgroup_id,
    subgroup_lane,
    while_,
    workgroup_id,
)
from vyre_dialect.dialect import Vyre
from vyre_dialect.types import Access, AtomicKind, Axis, Initial, MemorySpace, ReduceKind

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


class Operands:
    """Values of every kind, for the tests of operators: constants of a scratch program."""

    def __init__(self):
        self.a, self.b = constant(1, i32), constant(2, i32)
        self.i, self.j = constant(1), constant(2)
        self.x, self.y = constant(1, f32), constant(2, f32)
        self.c = constant(1, i1)
        self.v = constant(7, I32X4)


Build: TypeAlias = Callable[[Operands], Value]


def built_by(build: Build) -> list[str]:
    """The ops that `build` adds to the operands, without the names of values."""
    region = Region(Block())
    with ImplicitBuilder(region):
        operands = Operands()
        last = region.block.last_op
        build(operands)
    assert last is not None
    names = {
        operands.a: "a", operands.b: "b", operands.i: "i", operands.j: "j",
        operands.x: "x", operands.y: "y", operands.c: "c", operands.v: "v",
    }  # fmt: skip
    for value, name in names.items():
        value.named(name)
    stream = StringIO()
    Printer(stream).print_region(region)
    lines = [line.strip() for line in stream.getvalue().splitlines()[1 : 1 + len(region.block.ops)]]
    return lines[8:]


OPERATORS: list[tuple[Build, str]] = [
    # i32: unsigned where it matters.
    (lambda o: o.a + o.b, "arith.addi %a, %b : i32"),
    (lambda o: o.a - o.b, "arith.subi %a, %b : i32"),
    (lambda o: o.a * o.b, "arith.muli %a, %b : i32"),
    (lambda o: o.a // o.b, "arith.divui %a, %b : i32"),
    (lambda o: o.a % o.b, "arith.remui %a, %b : i32"),
    (lambda o: o.a.ceildiv(o.b), "arith.ceildivui %a, %b : i32"),
    (lambda o: o.a.divsi(o.b), "arith.divsi %a, %b : i32"),
    (lambda o: o.a.remsi(o.b), "arith.remsi %a, %b : i32"),
    (lambda o: o.a & o.b, "arith.andi %a, %b : i32"),
    (lambda o: o.a | o.b, "arith.ori %a, %b : i32"),
    (lambda o: o.a ^ o.b, "arith.xori %a, %b : i32"),
    (lambda o: o.a << o.b, "arith.shli %a, %b : i32"),
    (lambda o: o.a >> o.b, "arith.shrui %a, %b : i32"),
    (lambda o: o.a.shrsi(o.b), "arith.shrsi %a, %b : i32"),
    (lambda o: o.a.min(o.b), "arith.minui %a, %b : i32"),
    (lambda o: o.a.max(o.b), "arith.maxui %a, %b : i32"),
    (lambda o: o.a.minsi(o.b), "arith.minsi %a, %b : i32"),
    (lambda o: o.a.maxsi(o.b), "arith.maxsi %a, %b : i32"),
    (lambda o: o.a < o.b, "arith.cmpi ult, %a, %b : i32"),
    (lambda o: o.a <= o.b, "arith.cmpi ule, %a, %b : i32"),
    (lambda o: o.a > o.b, "arith.cmpi ugt, %a, %b : i32"),
    (lambda o: o.a >= o.b, "arith.cmpi uge, %a, %b : i32"),
    (lambda o: o.a.eq(o.b), "arith.cmpi eq, %a, %b : i32"),
    (lambda o: o.a.ne(o.b), "arith.cmpi ne, %a, %b : i32"),
    (lambda o: o.a.compare("slt", o.b), "arith.cmpi slt, %a, %b : i32"),
    # index: signed.
    (lambda o: o.i + o.j, "arith.addi %i, %j : index"),
    (lambda o: o.i // o.j, "arith.floordivsi %i, %j : index"),
    (lambda o: o.i % o.j, "arith.remsi %i, %j : index"),
    (lambda o: o.i.ceildiv(o.j), "arith.ceildivsi %i, %j : index"),
    (lambda o: o.i >> o.j, "arith.shrsi %i, %j : index"),
    (lambda o: o.i.min(o.j), "arith.minsi %i, %j : index"),
    (lambda o: o.i.max(o.j), "arith.maxsi %i, %j : index"),
    (lambda o: o.i < o.j, "arith.cmpi slt, %i, %j : index"),
    (lambda o: o.i >= o.j, "arith.cmpi sge, %i, %j : index"),
    # Floats.
    (lambda o: o.x + o.y, "arith.addf %x, %y : f32"),
    (lambda o: o.x - o.y, "arith.subf %x, %y : f32"),
    (lambda o: o.x * o.y, "arith.mulf %x, %y : f32"),
    (lambda o: o.x / o.y, "arith.divf %x, %y : f32"),
    (lambda o: -o.x, "arith.negf %x : f32"),
    (lambda o: o.x.min(o.y), "arith.minnumf %x, %y : f32"),
    (lambda o: o.x.max(o.y), "arith.maxnumf %x, %y : f32"),
    (lambda o: o.x < o.y, "arith.cmpf olt, %x, %y : f32"),
    (lambda o: o.x >= o.y, "arith.cmpf oge, %x, %y : f32"),
    (lambda o: o.x.eq(o.y), "arith.cmpf oeq, %x, %y : f32"),
    (lambda o: o.x.ne(o.y), "arith.cmpf une, %x, %y : f32"),
    # Choices and conversions.
    (lambda o: o.c.select(o.a, o.b), "arith.select %c, %a, %b : i32"),
    (lambda o: o.a.to(i64), "arith.extui %a : i32 to i64"),
    (lambda o: o.a.to(i64, signed=True), "arith.extsi %a : i32 to i64"),
    (lambda o: o.a.to(i8), "arith.trunci %a : i32 to i8"),
    (lambda o: o.i.to(i64), "arith.index_cast %i : index to i64"),
    (lambda o: o.a.to(f32), "arith.uitofp %a : i32 to f32"),
    (lambda o: o.a.to(f32, signed=True), "arith.sitofp %a : i32 to f32"),
    (lambda o: o.x.to(i32), "arith.fptoui %x : f32 to i32"),
    (lambda o: o.x.to(i32, signed=True), "arith.fptosi %x : f32 to i32"),
    (lambda o: o.x.to(f64), "arith.extf %x : f32 to f64"),
    (lambda o: o.x.to(f16), "arith.truncf %x : f32 to f16"),
    (lambda o: o.a.bitcast(f32), "arith.bitcast %a : i32 to f32"),
    # Vectors.
    (lambda o: o.v + o.v, "arith.addi %v, %v : vector<4xi32>"),
    (lambda o: o.v >> o.v, "arith.shrui %v, %v : vector<4xi32>"),
    (lambda o: o.v.lane(2), "vector.extract %v[2] : i32 from vector<4xi32>"),
    (lambda o: o.a.broadcast(4), "vector.broadcast %a : i32 to vector<4xi32>"),
    (
        lambda o: o.v.shuffle(o.v, [0, 4, 1]),
        "vector.shuffle %v, %v [0, 4, 1] : vector<4xi32>, vector<4xi32>",
    ),
    (
        lambda o: o.v.with_lane(1, o.a),
        "vector.insert %a, %v [1] : i32 into vector<4xi32>",
    ),
    (
        lambda o: o.v.bitcast(VectorType(i16, [8])),
        "vector.bitcast %v : vector<4xi32> to vector<8xi16>",
    ),
    (
        lambda o: o.v.bitcast(VectorType(f32, [4])),
        "arith.bitcast %v : vector<4xi32> to vector<4xf32>",
    ),
    # Subgroups.
    (lambda o: o.a.subgroup_shuffle(o.i), "vyre.subgroup_shuffle %a, %i : i32"),
    (lambda o: o.a.subgroup_reduce(ReduceKind.MAXU), "vyre.subgroup_reduce maxu %a : i32"),
]


@pytest.mark.parametrize(("build", "expected"), OPERATORS)
def test_operators(build: Build, expected: str):
    assert [line.split(" = ")[1] for line in built_by(build)] == [expected]


WITH_NUMBERS: list[tuple[Build, list[str]]] = [
    (lambda o: o.a + 5, ["5 : i32", "arith.addi %a, %0"]),
    (lambda o: 5 + o.a, ["5 : i32", "arith.addi %a, %0"]),
    (lambda o: 5 - o.a, ["5 : i32", "arith.subi %0, %a"]),
    (lambda o: 5 * o.i, ["5 : index", "arith.muli %i, %0"]),
    (lambda o: 5 // o.a, ["5 : i32", "arith.divui %0, %a"]),
    (lambda o: 5 % o.i, ["5 : index", "arith.remsi %0, %i"]),
    (lambda o: 5 & o.a, ["5 : i32", "arith.andi %a, %0"]),
    (lambda o: 5 | o.a, ["5 : i32", "arith.ori %a, %0"]),
    (lambda o: 5 ^ o.a, ["5 : i32", "arith.xori %a, %0"]),
    (lambda o: 1 << o.a, ["1 : i32", "arith.shli %0, %a"]),
    (lambda o: 128 >> o.a, ["128 : i32", "arith.shrui %0, %a"]),
    (lambda o: ~o.a, ["-1 : i32", "arith.xori %a, %0"]),
    (lambda o: -o.a, ["0 : i32", "arith.subi %0, %a"]),
    (lambda o: o.x * 0.5, ["5.000000e-01 : f32", "arith.mulf %x, %0"]),
    (lambda o: o.x + 1, ["1.000000e+00 : f32", "arith.addf %x, %0"]),
    (lambda o: o.v + 1, ["dense<1> : vector<4xi32>", "arith.addi %v, %0"]),
    (lambda o: 3 < o.i, ["3 : index", "arith.cmpi sgt, %i, %0"]),
    (lambda o: o.c.select(o.x, 0), ["0.000000e+00 : f32", "arith.select %c, %x, %0"]),
    (lambda o: o.c.select(0, o.a), ["0 : i32", "arith.select %c, %0, %a"]),
    (lambda o: o.v.with_lane(0, 9), ["9 : i32", "vector.insert %0, %v"]),
]


@pytest.mark.parametrize(("build", "expected"), WITH_NUMBERS)
def test_numbers_take_the_type_of_the_other_operand(build: Build, expected: list[str]):
    lines = built_by(build)
    assert len(lines) == len(expected)
    assert all(part in line for part, line in zip(expected, lines, strict=True)), lines


CONVERSIONS: list[tuple[Build, list[str]]] = [
    (lambda o: o.i.to(i32), ["index to i64", "arith.trunci", "i64 to i32"]),
    (lambda o: o.a.to(index), ["arith.extui", "i32 to i64", "i64 to index"]),
    (lambda o: o.a.to(index, signed=True), ["arith.extsi", "i64 to index"]),
    (lambda o: o.i.to(f64), ["index to i64", "arith.sitofp", "i64 to f64"]),
    (lambda o: o.a.to(i32), []),
]


@pytest.mark.parametrize(("build", "expected"), CONVERSIONS)
def test_conversions_in_steps(build: Build, expected: list[str]):
    text = "\n".join(built_by(build))
    assert all(part in text for part in expected)
    assert bool(text) == bool(expected)


@pytest.mark.parametrize(
    ("number", "type", "text"),
    [
        (7, index, "7 : index"),
        (255, i8, "-1 : i8"),
        (-1, i8, "-1 : i8"),
        (True, i1, "true"),
        (2, f32, "2.000000e+00 : f32"),
        (3, I32X4, "dense<3> : vector<4xi32>"),
        (0.5, VectorType(f16, [2]), "dense<5.000000e-01> : vector<2xf16>"),
    ],
)
def test_constants(number: float, type: Attribute, text: str):
    assert built_by(lambda _: constant(number, type))[0].split("constant ")[1] == text


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


def test_names_that_printers_show():
    with program("p") as p:
        b = p.buffer("b", i32, 64)
        with p.arm("arm", [64, 2]) as (i, j):
            b[i] = b[j].named("byte")
    text = str(p.module)
    assert all(name in text for name in ("%b =", "%i =", "%j =", "%byte ="))


MISUSES: list[tuple[Callable[[Operands], object], type[Exception], str]] = [
    (lambda o: bool(o.a < o.b), TypeError, "no truth in Python; use `if_` or `select`"),
    (lambda o: o.a + o.i, TypeError, "'arith.addi' expected operands of one type, got i32 and ind"),
    (lambda o: o.a + 1.5, TypeError, "expected a number of type i32, got 1.5"),
    (lambda o: o.a + (1 << 32), ValueError, "expected a number of type i32, got 4294967296"),
    (lambda o: o.x // o.y, TypeError, "'arith.divui' expected integers, got f32"),
    (lambda o: o.x & o.y, TypeError, "'arith.andi' expected integers, got f32"),
    (lambda o: o.a / o.b, TypeError, "'arith.divf' expected floats, got i32; use `//`"),
    (lambda o: o.a.eq(o.i), TypeError, "two scalars of one type, got i32 and index"),
    (lambda o: o.v.eq(o.v), TypeError, "two scalars of one type, got vector<4xi32> and vector"),
    (lambda o: o.c.select(1, 2), TypeError, "a value among the cases of select"),
    (lambda o: o.c.select(o.a, o.i), TypeError, "cases of one type, got i32 and index"),
    (lambda o: o.v.to(i8), TypeError, "scalars to convert, got vector<4xi32> and i8"),
    (lambda o: o.a.to(builtin.NoneType()), TypeError, "floats to convert, got i32 and none"),
    (lambda o: constant(1, builtin.NoneType()), TypeError, "a number of type none, got 1"),
    (lambda o: if_(o.a), TypeError, "condition of type i1, got i32; compare with .eq and .ne"),
    (lambda o: if_(o.a == 3), TypeError, "condition of type i1, got False; compare with"),  # pyright: ignore
]


@pytest.mark.parametrize(("build", "error", "message"), MISUSES)
def test_misuse(build: Callable[[Operands], object], error: type[Exception], message: str):
    with pytest.raises(error) as raised, ImplicitBuilder(Region(Block())):
        build(Operands())
    assert message in str(raised.value)


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


def test_ssa_accepts_every_kind_of_scalar():
    with ImplicitBuilder(Region(Block())):
        value = constant(3)
        assert ssa(value) is value.ssa
        assert ssa(value.ssa) is value.ssa
        assert ssa(3, i8).type == i8
