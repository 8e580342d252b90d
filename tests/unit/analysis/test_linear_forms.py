"""Indices as sums of symbols, and inequalities between them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from support.arms import arm, block_of, named_values
from support.counting import function_calls
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i32

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.launches import Launches
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.builder import Value, program
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.passes.memory.prove_accesses import ProveAccessesPass
from vyre_dialect.runtime.program.compilation import make_context

OPS = """
    %half = arith.divui %i, %c4 : index
    %back = arith.muli %half, %c4 : index
    %rest = arith.remui %i, %c4 : index
    %both = arith.addi %back, %rest : index
    %least = arith.minsi %both, %c100 : index
    %far = arith.muli %any, %c4 : index
    %ok = arith.cmpi slt, %least, %c10 : index
    scf.if %ok {
      %inner = arith.addi %least, %c1 : index
      scf.for %k = %inner to %n step %c4 {
        %place = arith.subi %k, %c1 : index
      }
    }
"""
BELOW = {
    ("back", "i"): True,
    ("i", "back"): False,
    ("both", "i"): True,
    ("i", "both"): True,
    ("least", "i"): True,
    ("i", "least"): False,
    ("inner", "c10"): True,
    ("inner", "c4"): False,
    ("place", "n"): True,
    ("inner", "k"): True,
    ("k", "c10"): False,
    ("far", "any"): False,
}
"""Whether the first is proven to be at most the second, where it is defined."""


def test_inequalities_in_any_order_of_questions():
    found = arm(OPS)
    values, pairs = named_values(found), list(BELOW)
    for seed in range(10):
        Random(seed).shuffle(pairs)
        forms = LinearForms(found, None, Integers())
        answers = {}
        for one, other in pairs:
            block = block_of(values["place" if "k" in (one, other) else one])
            assert block is not None
            goal = forms.at(values[one], block).plus(forms.at(values[other], block), -1)
            answers[one, other] = forms.is_never_positive(goal, block)
        assert answers == BELOW


EXTREMES = """
    %half = arith.divui %i, %c4 : index
    %back = arith.muli %half, %c4 : index
    %next = arith.addi %i, %c1 : index
    %later = arith.addi %i, %c4 : index
    %both = arith.minsi %i, %next : index
    %all = arith.minsi %both, %later : index
    %either = arith.maxsi %i, %back : index
    %any_of = arith.maxsi %either, %half : index
"""
BELOW_EXTREMES = {
    ("back", "all"): True,
    ("i", "all"): True,
    ("next", "all"): False,
    ("any_of", "i"): True,
    ("any_of", "all"): True,
    ("later", "either"): False,
    ("any_of", "back"): False,
}
"""What is at most each of several values is at most their minimum, and so on."""


def test_extremes_case_by_case():
    found = arm(EXTREMES)
    values, forms = named_values(found), LinearForms(found, None, Integers())
    for (one, other), expected in BELOW_EXTREMES.items():
        block = found.body.block
        goal = forms.at(values[one], block).plus(forms.at(values[other], block), -1)
        assert forms.is_never_positive(goal, block) == expected, (one, other)


@pytest.mark.parametrize(("other", "is_known"), [("%n", True), ("%any", False)])
def test_extremes_of_unsigned_numbers_where_none_is_negative(other: str, is_known: bool) -> None:
    found = arm(f"%x = arith.minui %i, {other} : index  %y = arith.maxui %i, {other} : index")
    values, forms = named_values(found), LinearForms(found, None, Integers())
    block = found.body.block
    x, i, y = (forms.at(values[name], block) for name in "xiy")
    assert forms.is_never_positive(x.plus(i, -1), block) == is_known
    assert forms.is_never_positive(i.plus(y, -1), block) == is_known


def test_many_extremes_are_given_up():
    """Of values that each are one of two, nothing is asked case by case without end."""
    lines = ["%m0 = arith.minsi %any, %n : index"]
    for number in range(40):
        load = f"vyre.load %in[%m{number}] : !vyre.buffer<?xi64, read_write> -> i64"
        lines.append(f"%f{number} = {load}")
        lines.append(f"%g{number} = arith.index_cast %f{number} : i64 to index")
        lines.append(f"%h{number} = arith.minsi %g{number}, %m{number} : index")
        lines.append(f"%m{number + 1} = arith.maxsi %h{number}, %c1 : index")
    found = arm("\n".join(lines))
    values, forms = named_values(found), LinearForms(found, None, Integers())
    block = found.body.block
    goal = forms.at(values["m40"], block).plus(forms.at(values["c4"], block), -1)
    assert function_calls(lambda: forms.is_never_positive(goal, block)) < 100_000
    assert not forms.is_never_positive(goal, block)


def proven(build: Callable[[Value], Value], count: int | None = 4096) -> bool:
    """Whether a load from a buffer at an index of an arm is proven to be inside of it."""
    with program("p", workgroup_size=[16]) as p:
        source = p.buffer("source", i32, count, access=Access.READ_ONLY)
        with p.arm("read", source.length) as i:
            _ = source[build(i)]
    ProveAccessesPass().apply(make_context(), p.module)
    return loads_of(p.module)[0].in_bounds == UnitAttr()


def loads_of(module: ModuleOp) -> list[LoadOp]:
    return [op for op in module.walk() if isinstance(op, LoadOp)]


def test_accesses_of_an_arm():
    assert proven(lambda i: i)
    assert proven(lambda i: i, None)
    assert proven(lambda i: i // 2 + i // 2, None)
    assert not proven(lambda i: i + 1)
    assert not proven(lambda i: i + 1, None)
    assert not proven(lambda i: i - 1)


def test_ids_of_a_cooperative_arm():
    ops = """
      %w = vyre.workgroup_id x
      %l = vyre.local_id x
      %c16 = arith.constant 16 : index
      %start = arith.muli %w, %c16 : index
      %place = arith.addi %start, %l : index
      %value = vyre.load %in[%place] : !vyre.buffer<?xi64, read_write> -> i64
      %same = vyre.load %in[%i] : !vyre.buffer<?xi64, read_write> -> i64
      %beyond = arith.addi %place, %c1 : index
      %other = vyre.load %in[%beyond] : !vyre.buffer<?xi64, read_write> -> i64
    """
    found = arm(ops)
    module = found.program.parent_op()
    assert isinstance(module, ModuleOp)
    ProveAccessesPass().apply(make_context(), module)
    marked = {op.value.name_hint for op in loads_of(module) if op.in_bounds is not None}
    assert marked == {"wide", "value", "same"}


@pytest.mark.slow
def test_a_long_chain_keeps_its_form():
    found = arm("")
    values = named_values(found)
    value, block = values["i"], found.body.block
    for number in range(20_000):
        value = (arith.SubiOp if number % 2 else arith.AddiOp)(value, values["c1"]).result
    forms = LinearForms(found, None, Integers())
    assert forms.at(value, block) == forms.at(values["i"], block)


def test_launches_are_looked_for_only_of_kernels(monkeypatch: pytest.MonkeyPatch):
    """For an arm, the module would be walked in vain, and again after each change."""

    def refuse(_launches: Launches, _module: object) -> None:
        pytest.fail("the launches of an arm were looked for")

    monkeypatch.setattr(Launches, "__init__", refuse)
    assert proven(lambda i: i, None)
