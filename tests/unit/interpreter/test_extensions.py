"""Ops of another package, interpreted through public interfaces only, and checked like all."""

import re
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from support import foreign_ops
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp, i32
from xdsl.dialects.scf import Scf
from xdsl.parser import Parser
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.dialect import Vyre
from vyre_dialect.ir import meaning
from vyre_dialect.ir.interfaces import AccessKind, BufferAccess
from vyre_dialect.ir.meaning import Meaning, Meanings, Registry
from vyre_dialect.ir.types import BufferType
from vyre_dialect.runtime.interpreter import (
    Compiler,
    Elements,
    ObservedAccess,
    Observer,
    RaceChecker,
    Step,
    UndefinedReadChecker,
    UnsupportedError,
    interpret,
)

PAGE = Path(__file__).parents[3] / "docs" / "interpreter.md"
WORDS = "!vyre.buffer<16xi32, read_write>"
TILE = "!vyre.buffer<8xi32, read_write, workgroup>"


def module(body: str, *, initial: str = "") -> ModuleOp:
    """An arm of two workgroups of four invocations."""
    context = Context()
    for dialect in (Builtin, Arith, Scf, Vyre, foreign_ops.ACME):
        context.load_dialect(dialect)
    text = f"""
    vyre.program @p {{
      %in = vyre.buffer @in {initial} : {WORDS}
      %tile = vyre.buffer @tile : {TILE}
      %out = vyre.buffer @out live_out : {WORDS}
      vyre.region "arm" invocations [8] workgroup_size [4] {{
        %i = vyre.invocation_id x
        %c0 = arith.constant 0 : index
        %c3 = arith.constant 3 : index
        %word = arith.index_cast %i : index to i32
        {body}
      }}
    }}"""
    parsed = Parser(context, text).parse_module()
    parsed.verify()
    return parsed


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of the manual as an installed package, and a registry that knows nothing yet."""
    (source,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    example = ModuleType("acme.meanings")
    modules = {"acme": ModuleType("acme"), "acme.ops": foreign_ops, "acme.meanings": example}
    for name, known in modules.items():
        monkeypatch.setitem(sys.modules, name, known)
    exec(source, example.__dict__)

    def entry_points(group: str) -> EntryPoints:
        line = rf'entry-points\."{re.escape(group)}"\]\n(\w+) = "(.+)"'
        named = re.findall(line, PAGE.read_text())
        return EntryPoints([EntryPoint(name, value, group) for name, value in named])

    monkeypatch.setattr(meaning, "entry_points", entry_points)
    monkeypatch.setattr(meaning, "OPS", Registry(meaning.OPS._own))


def result(body: str, *, initial: str = "", observer: Observer | None = None) -> list[int]:
    data = np.arange(1, 17, dtype=np.int32)
    inputs = {} if initial else {"in": data}
    outputs = interpret(module(body, initial=initial), inputs, observer=observer).outputs
    return outputs["out"].view(np.int32).tolist()


MIX = f"""
        %mixed = acme.mix %word, %word
        vyre.store %mixed, %out[%i] : i32, {WORDS}"""
PAIRS = f"""
        %sum = acme.pair_sum %in[%i] : {WORDS}
        vyre.store %sum, %out[%i] : i32, {WORDS}"""
SATURATE = f"acme.saturate %word, %out[%c0] : {WORDS}"


def test_a_pure_op_is_computed_by_its_function():
    assert result(MIX) == [n * 31 ^ n for n in range(8)] + [0] * 8


def test_an_op_reads_elements_of_a_buffer():
    assert result(PAIRS) == [2 * n + 3 for n in range(8)] + [0] * 8


def test_what_an_op_reads_outside_of_a_buffer_is_zero():
    beyond = f"""
        %c15 = arith.constant 15 : index
        %at = arith.addi %i, %c15 : index
        %sum = acme.pair_sum %in[%at] : {WORDS}
        vyre.store %sum, %out[%i] : i32, {WORDS}"""
    assert result(beyond) == [16] + [0] * 15


def test_an_op_updates_an_element_for_one_invocation_after_the_other():
    assert result(SATURATE) == [sum(range(8))] + [0] * 15
    loud = SATURATE.replace("%word", "%much")
    assert result(f"%much = arith.constant 30 : i32\n{loud}") == [100] + [0] * 15


def test_an_op_updates_nothing_outside_of_a_buffer():
    assert (
        result(f"%far = arith.constant 99 : index\n{SATURATE.replace('%c0', '%far')}") == [0] * 16
    )


def test_an_op_without_a_meaning_is_refused_by_name():
    message = (
        "^the reference interpreter gives no meaning to 'acme.mystery': no package describes it "
        "in the entry point group 'vyre.ops'$"
    )
    with pytest.raises(UnsupportedError, match=message):
        result("%m = acme.mystery")


def test_a_library_op_of_another_package_is_to_be_expanded_first():
    with pytest.raises(UnsupportedError, match=r"to 'acme.rot13'; run 'vyre-expand' first$"):
        result("acme.rot13")


STAMPS = Meanings()


@STAMPS.describe(foreign_ops.StampOp)
class Stamp(Meaning):
    def step(self, op: foreign_ops.StampOp, compiler: Compiler) -> Step:
        element = Elements(op, op.get_accesses()[0], compiler)
        value = compiler.key(op.value)
        return lambda frame: element.store(frame, frame.get(value).astype(np.uint32))


def test_meanings_that_are_registered_need_no_entry_point():
    meaning.OPS.register(STAMPS)
    body = f"""
        %c9 = arith.constant 9 : index
        %at = arith.addi %i, %c9 : index
        acme.stamp %i, %out[%at] : {WORDS}"""
    assert result(body) == [0] * 9 + list(range(7))


@pytest.mark.parametrize(
    ("place", "count", "message"),
    [
        (None, 1, "expected 'acme.mix' to say which elements it accesses"),
        (0, None, "expected 'acme.mix' to access a number of elements that is known"),
    ],
)
def test_elements_that_are_not_known_have_no_step(
    place: int | None, count: int | None, message: str
) -> None:
    buffer = create_ssa_value(BufferType(4, i32))
    access = BufferAccess(AccessKind.READ, buffer, place, count)
    compiler = Compiler()
    word = create_ssa_value(i32)
    with pytest.raises(UnsupportedError, match=message):
        Elements(foreign_ops.MixOp(word, word), access, compiler)


class Recorder(RaceChecker):
    """A race checker that also keeps what it hears."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[ObservedAccess] = []

    def access(self, access: ObservedAccess) -> None:
        self.heard.append(access)
        super().access(access)


def test_observers_hear_of_each_element():
    recorder = Recorder()
    result(PAIRS, observer=recorder)
    read = recorder.heard[0]
    assert (read.op.name, read.name, read.kind) == ("acme.pair_sum", "in", AccessKind.READ)
    assert read.elements.tolist() == [n + d for n in range(8) for d in (0, 1)]
    assert read.invocations.tolist() == [n for n in range(8) for _ in (0, 1)]


def races(body: str) -> set[tuple[AccessKind, AccessKind]]:
    checker = RaceChecker()
    result(body, observer=checker)
    return {race.kinds for race in checker.races}


def test_updates_do_not_race_with_each_other():
    assert races(SATURATE) == set()


def test_an_update_races_with_a_load():
    load = f"%v = vyre.load %out[%c0] : {WORDS} -> i32"
    assert races(f"{SATURATE}\n{load}") == {(AccessKind.UPDATE, AccessKind.READ)}


def test_a_read_races_with_a_store():
    store = f"vyre.store %word, %in[%i] : i32, {WORDS}"
    assert races(f"%sum = acme.pair_sum %in[%i] : {WORDS}\n{store}") == {
        (AccessKind.READ, AccessKind.WRITE)
    }


EXCHANGE = f"""
        %at = arith.xori %i, %c3 : index
        vyre.store %word, %tile[%i] : i32, {TILE}
        FENCE
        %found = vyre.load %tile[%at] : {TILE} -> i32
        vyre.store %found, %out[%i] : i32, {WORDS}"""


def test_an_op_orders_the_memory_that_it_says():
    assert races(EXCHANGE.replace("FENCE", "acme.fence")) == set()
    assert races(EXCHANGE.replace("FENCE", "")) != set()
    elsewhere = EXCHANGE.replace("%tile", "%in").replace(TILE, WORDS)
    assert races(elsewhere.replace("FENCE", "vyre.barrier")) == set()
    assert races(elsewhere.replace("FENCE", "acme.fence")) != set()


def test_reads_of_what_nobody_has_written_are_found():
    checker = UndefinedReadChecker()
    result(PAIRS, initial="initial undefined", observer=checker)
    assert {read.element for read in checker.reads} == set(range(9))
