"""A package whose ops inside arms say once what they mean: everything else follows from that."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import numpy as np
import pytest
from support import ring
from support.foreign_ops import MixOp
from support.ring import AddSatOp, SlotOp
from xdsl.dialects.builtin import IndexType, ModuleOp, VectorType, i8, i32
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.analysis.divisors import DIVISOR
from vyre_dialect.analysis.value_ranges import RANGE, Range
from vyre_dialect.builder import Value, invocation_id, program
from vyre_dialect.ir import meaning
from vyre_dialect.ir.meaning import GROUP, Described, Meaning, Meanings, Registry
from vyre_dialect.ir.types import Access, BufferType
from vyre_dialect.lowering.opencl.target import print_module
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.interpreter.machine import NUMPY
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

ITEMS, TURN, SIZE, ENTRIES = 64, 3, 4, 15
FUSED = "vyre-decode-scan-fuse,canonicalize"
KERNELS = "vyre-outline-kernels,canonicalize,vyre-prove-accesses"
WIDE = "vyre-vectorize{lanes=16},canonicalize"


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package as an installed one, of which one entry point is all that is known."""

    def found(group: str) -> EntryPoints:
        return EntryPoints([EntryPoint("ring", "support.ring:OPS", group)] * (group == GROUP))

    monkeypatch.setattr(meaning, "entry_points", found)
    monkeypatch.setattr(meaning, "OPS", Registry(meaning.OPS._own))


def add_sat(a: Value, b: Value) -> Value:
    return Value(AddSatOp(a.ssa, b.ssa).sum)


def rings() -> ModuleOp:
    """Sums are turned around in rings of four; small ones choose an entry of a table."""
    with program("rings") as p:
        a = p.buffer("a", i8, ITEMS, access=Access.READ_ONLY)
        b = p.buffer("b", i8, ITEMS, access=Access.READ_ONLY)
        table = p.buffer("table", i8, ENTRIES, access=Access.READ_ONLY)
        held = p.buffer("held", i8, ITEMS)
        out = p.buffer("out", i8, ITEMS, live_out=True)
        with p.arm("put", ITEMS) as i:
            held[i] = add_sat(a[i], b[i])
        with p.arm("take", ITEMS) as i:
            taken = held[i // SIZE * SIZE + Value(SlotOp(i.ssa, TURN, SIZE).slot)]
            entry = add_sat(taken & 7, b[i] & 7).to(IndexType())
            out[i] = taken ^ table[entry]
    return p.module


def inputs() -> dict[str, np.ndarray[tuple[int], np.dtype[np.int8]]]:
    random = np.random.default_rng(9)
    sizes = {"a": ITEMS, "b": ITEMS, "table": ENTRIES}
    return {name: random.integers(-128, 128, n).astype(np.int8) for name, n in sizes.items()}


def expected() -> list[int]:
    given = {name: values.view(np.uint8).astype(int) for name, values in inputs().items()}
    total = np.minimum(given["a"] + given["b"], 255)
    total = np.roll(total.reshape(-1, SIZE), -TURN, axis=1).ravel()
    entry = np.minimum((total & 7) + (given["b"] & 7), 255)
    return (total ^ given["table"][entry]).tolist()


def after(pipeline: str) -> ModuleOp:
    module = rings()
    apply_pipeline(module, pipeline, make_context())
    return module


def outputs_of(module: ModuleOp) -> list[int]:
    return interpret(module, inputs()).outputs["out"].view(np.uint8).tolist()


@pytest.mark.parametrize("pipeline", ["canonicalize", FUSED, WIDE, f"{FUSED},{WIDE}"])
def test_the_interpreter_computes_it(pipeline: str) -> None:
    assert outputs_of(after(pipeline)) == expected()


@pytest.mark.device
@pytest.mark.parametrize("pipeline", [None, KERNELS, f"{FUSED},{WIDE},{KERNELS}"])
def test_a_device_computes_it(device: Device, pipeline: str | None) -> None:
    got = run_module(rings(), inputs(), device=device, pipeline=pipeline).outputs
    assert got["out"].view(np.uint8).tolist() == expected()


def test_its_affine_form_lets_arms_fuse() -> None:
    text = str(after(FUSED))
    assert text.count("vyre.region") == 1
    assert "@held : !vyre.buffer<64xi8, read_write, workgroup>" in text


def no_part(op: Operation) -> None:
    """What is asked for by nothing that the test does."""


def test_without_its_affine_form_arms_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ring.OPS.by_op, SlotOp, Described({"numpy": no_part}))
    text = str(after(FUSED))
    assert text.count("vyre.region") == 2
    assert "@held : !vyre.buffer<64xi8, read_write>" in text


def test_vectors_of_it_are_what_it_says_or_is_defined_as() -> None:
    text = str(after(WIDE))
    assert text.count("vyre.lanes = 16") == 2
    assert "ring.add_sat" in text and "vector<16xi8>" in text
    assert "ring.slot" not in text, "its definition takes its place"


def test_ops_are_defined_by_ops_that_are_defined() -> None:
    ops = Meanings()

    @ops.describe(MixOp)
    class Mix(Meaning):  # pyright: ignore[reportUnusedClass]
        def definition(self, op: MixOp, lhs: Value, rhs: Value) -> Value:
            return Value(SlotOp(lhs.to(IndexType()).ssa, TURN, SIZE).slot).to(i32) ^ rhs

    meaning.OPS.register(ops)
    with program("nested") as p:
        out = p.buffer("out", i32, ITEMS, live_out=True)
        with p.arm("a", ITEMS) as i:
            out[i] = Value(MixOp(i.to(i32).ssa, i.to(i32).ssa).result)
    expected = [(n + TURN) % SIZE ^ n for n in range(ITEMS)]
    assert interpret(p.module, {}).outputs["out"].tolist() == expected
    apply_pipeline(p.module, "vyre-vectorize{lanes=16}", make_context())
    text = str(p.module)
    assert "vyre.lanes" in text and "acme.mix" not in text and "ring.slot" not in text
    assert interpret(p.module, {}).outputs["out"].tolist() == expected


def test_vectors_of_any_size_are_split_where_it_takes_them() -> None:
    wide = VectorType(i8, [12])
    with program("split") as p:
        out = p.buffer("out", i8, 12 * ITEMS, live_out=True)
        with p.arm("a", ITEMS) as i:
            numbers = out.load(i * 12, wide)
            out.store(add_sat(numbers, numbers), i * 12)
    apply_pipeline(p.module, "vyre-split-vectors", make_context())
    text = str(p.module)
    assert "vector<12xi8>" not in text
    assert text.count("ring.add_sat") == 2


def test_an_arm_that_is_not_vectorized_keeps_it() -> None:
    with program("alone") as p:
        out = p.buffer("out", i32, ITEMS, live_out=True)
        with p.arm("a", ITEMS) as i:
            word = Value(SlotOp(i.ssa, TURN, SIZE).slot).to(i32)
            out[i] = Value(MixOp(word.ssa, word.ssa).result)  # of which nothing is said
    before = str(p.module)
    apply_pipeline(p.module, "vyre-vectorize{lanes=16}", make_context())
    assert "ring.slot" in before and str(p.module) == before


def test_its_range_proves_accesses() -> None:
    text = str(after(KERNELS))
    loads = [line for line in text.splitlines() if "vyre.load %table" in line]
    slots = [line for line in text.splitlines() if "%held[" in line]
    assert len(loads) == 1 and len(slots) == 2
    assert all("in_bounds" in line for line in [*loads, *slots])


def test_without_its_range_nothing_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"numpy": ring.AddSat().numpy, "expression": ring.AddSat().expression}
    monkeypatch.setitem(ring.OPS.by_op, AddSatOp, Described(parts))
    (load,) = [line for line in str(after(KERNELS)).splitlines() if "vyre.load %table" in line]
    assert "in_bounds" not in load


def test_c_is_what_it_says_or_is_defined_as() -> None:
    text = print_module(after(KERNELS)).text
    assert "add_sat(a[i], b[i])" in text
    assert "(long)((ulong)((long)((ulong)i + 3) % 4) + 4) % 4" in text


def squared(op: SlotOp, number: Value) -> Value:
    total = number + 5
    return total * total


def test_what_a_definition_uses_twice_is_computed_once_in_c(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ring.OPS.by_op, SlotOp, Described({"definition": squared}))
    text = print_module(after("vyre-outline-kernels")).text
    assert text.count(" + 5") == 1


def test_facts_follow_from_a_definition() -> None:
    op = SlotOp(create_ssa_value(IndexType()), TURN, SIZE)
    range_, numpy = RANGE.of(SlotOp), NUMPY.of(SlotOp)
    assert range_ is not None and numpy is not None
    for low, high in ((0, 0), (0, 58), (3, 170), (-200, 9)):
        known = range_(op, [Range(low, high)])
        slots = numpy(op)(np.arange(low, high + 1)).tolist()
        assert slots == [(n + TURN) % SIZE for n in range(low, high + 1)]
        assert all(known.low <= slot <= known.high for slot in slots)
        assert known.within(Range(0, SIZE - 1))
    divisor = DIVISOR.of(SlotOp)
    assert divisor is not None
    assert divisor(SlotOp(op.number, 8, 32), [16]) == 8


def undefined(op: SlotOp, number: Value) -> Value:
    return number.to(i8)


def nothing(op: SlotOp, number: Value) -> None: ...


def placed(op: SlotOp, number: Value) -> Value:
    return number + invocation_id()


def turned(op: SlotOp, number: Value) -> Value:
    return Value(SlotOp(number.ssa, 1, SIZE).slot)


def in_a_circle(op: SlotOp, number: Value) -> Value:
    return add_sat(number.to(i8), number.to(i8)).to(IndexType())


def of_slots(op: AddSatOp, a: Value, b: Value) -> Value:
    return Value(SlotOp(a.to(IndexType()).ssa, 1, SIZE).slot).to(i8)


def test_definitions_that_go_in_a_circle_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ring.OPS.by_op, SlotOp, Described({"definition": in_a_circle}))
    monkeypatch.setitem(ring.OPS.by_op, AddSatOp, Described({"definition": of_slots}))
    message = r"'ring\.(slot|add_sat)' is defined by 'ring\.(slot|add_sat)', expected other ops"
    with pytest.raises(DiagnosticException, match=message):
        print_module(after("vyre-outline-kernels"))


PLACES = create_ssa_value(BufferType(4, IndexType()))


def reading(op: SlotOp, number: Value) -> Value:
    return Value(LoadOp(PLACES, number.ssa).value)


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (undefined, "'ring.slot' is defined as a value of type i8, expected index"),
        (nothing, "'ring.slot' is not defined as one value"),
        (reading, "'ring.slot' is defined by 'vyre.load', expected other ops, of one result that"),
        (placed, "'ring.slot' is defined by 'vyre.invocation_id', expected other ops, of one"),
        (turned, "'ring.slot' is defined by 'ring.slot', expected other ops, of one result"),
    ],
)
def test_a_definition_that_is_none_is_refused_by_name(
    definition: Callable[..., Value | None], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ring.OPS.by_op, SlotOp, Described({"definition": definition}))
    with pytest.raises(DiagnosticException, match=message):
        print_module(after("vyre-outline-kernels"))


def test_an_op_that_is_described_otherwise_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ring.OPS.by_op, AddSatOp, Described({"numpy": no_part}))
    with pytest.raises(DiagnosticException, match=r"'ring.add_sat' has no OpenCL form: its desc"):
        print_module(after("vyre-outline-kernels"))


DEFINITIONS: dict[str, Callable[[Any, Any], Any]] = {
    "an operand": lambda lhs, rhs: lhs,
    "operands that occur twice": lambda lhs, rhs: (lhs * lhs ^ rhs) + rhs * lhs,
    "a result that is used twice": lambda lhs, rhs: _twice(lhs + rhs),
}
"""The same on numbers of NumPy and on values of the builder."""


def _twice(total: Any) -> Any:
    return total * total - (total >> 3)


@pytest.mark.one_in(6)
@pytest.mark.device
@pytest.mark.parametrize("pipeline", [KERNELS, f"{WIDE},{KERNELS}"], ids=["scalar", "wide"])
@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_are_computed_as_they_are_written(
    device: Device, name: str, pipeline: str
) -> None:
    function, ops = DEFINITIONS[name], Meanings()

    @ops.describe(MixOp)
    class Mix(Meaning):  # pyright: ignore[reportUnusedClass]
        def definition(self, op: MixOp, lhs: Value, rhs: Value) -> Value:
            return function(lhs, rhs)

    meaning.OPS.register(ops)
    with program("mixed") as p:
        a = p.buffer("a", i32, ITEMS, access=Access.READ_ONLY)
        b = p.buffer("b", i32, ITEMS, access=Access.READ_ONLY)
        out = p.buffer("out", i32, ITEMS, live_out=True)
        with p.arm("mix", ITEMS) as i:
            mixed = Value(MixOp((a[i] + b[i]).ssa, b[i].ssa).result)
            out[i] = mixed ^ mixed >> 1
    random = np.random.default_rng(3)
    given = {each: random.integers(0, 2**32, ITEMS, np.uint32) for each in "ab"}
    mixed = function(given["a"] + given["b"], given["b"])
    contents = {each: values.view(np.int32) for each, values in given.items()}
    got = run_module(p.module, contents, device=device, pipeline=pipeline).outputs["out"]
    assert got.view(np.uint32).tolist() == (mixed ^ mixed >> 1).tolist()
    assert interpret(p.module, contents).outputs["out"].tobytes() == got.tobytes()
