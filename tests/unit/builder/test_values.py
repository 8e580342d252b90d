"""Values with operators make the ops that they say, and refuse what makes none."""

from collections.abc import Callable
from io import StringIO
from typing import TypeAlias

import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import builtin
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import VectorType, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Region
from xdsl.printer import Printer

from vyre_dialect.builder import Value, constant, if_, index, ssa
from vyre_dialect.ir.types import ReduceKind

I32X4 = VectorType(i32, [4])


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
    (lambda o: o.a.ctpop(), "math.ctpop %a : i32"),
    (lambda o: o.a.cttz(), "math.cttz %a : i32"),
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
    (
        lambda o: o.v.to(VectorType(i8, [4])),
        "vyre.convert_lanes trunci %v : vector<4xi32> to vector<4xi8>",
    ),
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


MISUSES: list[tuple[Callable[[Operands], object], type[Exception], str]] = [
    (lambda o: bool(o.a < o.b), TypeError, "no truth in Python: use `if_`"),
    (lambda o: o.a + o.i, TypeError, "'arith.addi' expected operands of one type, got i32 and ind"),
    (lambda o: o.a + 1.5, TypeError, "expected a number of type i32, got 1.5"),
    (lambda o: o.a + (1 << 32), ValueError, "expected a number of type i32, got 4294967296"),
    (lambda o: o.x // o.y, TypeError, "'arith.divui' expected integers, got f32"),
    (lambda o: o.x & o.y, TypeError, "'arith.andi' expected integers, got f32"),
    (lambda o: o.a / o.b, TypeError, "'arith.divf' expected floats, got i32; use `//`"),
    (lambda o: o.a.eq(o.i), TypeError, "two scalars of one type, got i32 and index"),
    (lambda o: o.v.eq(o.v), TypeError, "two scalars of one type, got vector<4xi32> and vector"),
    (lambda o: o.a.select(o.a, 0), TypeError, "expected an i1 to choose by, got i32"),
    (lambda o: o.c.select(1, 2), TypeError, "a value among the cases of select"),
    (lambda o: o.c.select(o.a, o.i), TypeError, "cases of one type, got i32 and index"),
    (lambda o: o.v.to(i8), TypeError, "as many lanes as in vector<4xi32>, got i8"),
    (lambda o: o.v.to(VectorType(f32, [4])), TypeError, "integers to convert, got vector<4xi32>"),
    (lambda o: o.a.to(builtin.NoneType()), TypeError, "floats to convert, got i32 and none"),
    (lambda o: constant(1, builtin.NoneType()), TypeError, "a number of type none, got 1"),
    (lambda o: if_(o.a), TypeError, "condition of type i1, got i32"),
    (lambda o: if_(False), TypeError, "condition of type i1, got False"),  # pyright: ignore
]


@pytest.mark.parametrize(("build", "error", "message"), MISUSES)
def test_misuse(build: Callable[[Operands], object], error: type[Exception], message: str):
    with pytest.raises(error) as raised, ImplicitBuilder(Region(Block())):
        build(Operands())
    assert message in str(raised.value)


def test_ssa_accepts_every_kind_of_scalar():
    with ImplicitBuilder(Region(Block())):
        value = constant(3)
        assert ssa(value) is value.ssa
        assert ssa(value.ssa) is value.ssa
        assert ssa(3, i8).type == i8


@pytest.mark.parametrize("type", [i32, I32X4], ids=str)
def test_constants_of_one_integer_share_its_attribute(type: Attribute):
    assert stated(5, type) is stated(5, type)


@pytest.mark.parametrize("type", [f32, VectorType(f32, [4])], ids=str)
def test_zeros_of_either_sign_stay_apart(type: Attribute):
    assert stated(0.0, type) != stated(-0.0, type)


def stated(number: float, type: Attribute) -> Attribute:
    """What a constant says that it is."""
    op = constant(number, type).ssa.owner
    assert isinstance(op, ConstantOp)
    return op.value
