"""A lowering of another package writes ops of anybody by a facet of its own."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints

import pytest
from support.lisp import LISP, print_arm
from support.ring import AddSatOp, SlotOp
from xdsl.dialects import arith
from xdsl.dialects.builtin import i8
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.builder import Buffer, Value, program
from vyre_dialect.ir import meaning
from vyre_dialect.ir.meaning import GROUP, Meaning, Meanings, Registry
from vyre_dialect.lowering.opencl.forms import EXPRESSION
from vyre_dialect.ops.program import RegionOp


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lowering and the package of ops, both installed."""

    def found(group: str) -> EntryPoints:
        names = ("lisp", "ring") if group == GROUP else ()
        return EntryPoints([EntryPoint(name, f"support.{name}:OPS", group) for name in names])

    monkeypatch.setattr(meaning, "entry_points", found)
    monkeypatch.setattr(meaning, "OPS", Registry(meaning.OPS._own))


def _written(write: Callable[[Value, Buffer], Value]) -> str:
    """An arm that stores what is computed from its number and a buffer, as Lisp."""
    with program("p") as p:
        a, b = p.buffer("a", i8, 64), p.buffer("b", i8, 64)
        with p.arm("arm", 64) as i:
            b[i] = write(i, a)
    (arm,) = (op for op in p.module.walk() if isinstance(op, RegionOp))
    return print_arm(arm)


def test_ops_of_vyre_and_of_a_package_are_written() -> None:
    text = _written(lambda i, a: Value(AddSatOp(a[i].ssa, a[i].ssa).sum))
    assert text.splitlines() == [
        "(setq v0 *x*)",
        "(setq v1 (aref a v0))",
        "(setq v2 (aref a v0))",
        "(setq v3 (min (+ v1 v2) 255))",
        "(setf (aref b v0) v3)",
    ]


def test_an_op_is_written_by_its_definition_where_nobody_says_it() -> None:
    text = _written(lambda i, a: a[Value(SlotOp(i.ssa, 1, 4).slot)])
    (line,) = (each for each in text.splitlines() if "progn" in each)
    assert line.startswith("(setq ") and line.count("(rem ") == 2 and "(+ " in line


def test_what_nobody_says_is_refused_by_name() -> None:
    with pytest.raises(
        DiagnosticException,
        match=r"^'arith\.xori' cannot be written as Lisp: its description has none of "
        "'text_lisp', 'definition'$",
    ):
        _written(lambda i, a: a[i] ^ 1)


def test_vyres_own_parts_stay_and_only_texts_are_added() -> None:
    before, ops = EXPRESSION.of(arith.AddiOp), Meanings()

    @ops.describe(arith.AddiOp)
    class Add(Meaning):  # pyright: ignore[reportUnusedClass]
        def expression(self, scope: object, op: arith.AddiOp) -> str:
            return "another"

        def text_forth(self, op: arith.AddiOp) -> str:
            return "+"

    meaning.OPS.register(ops)
    assert EXPRESSION.of(arith.AddiOp) is before is not None
    described = meaning.OPS.find(arith.AddiOp)
    assert described is not None and described.states("text_forth")
    assert LISP.is_stated(arith.AddiOp)
