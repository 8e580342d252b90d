"""What ops leave to choose, and how it is chosen."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.tuning import (
    HasParametersInterface,
    Parameter,
    choose_open,
    value_of,
)
from vyre_dialect.ops.library import LibraryOp
from vyre_dialect.runtime.program.compilation import load_module, make_context

CONTEXT = make_context()
EXAMPLES = Path(__file__).parents[3] / "examples"


def tunable(name: str) -> tuple[ModuleOp, Sequence[HasParametersInterface]]:
    module = load_module(EXAMPLES / f"{name}.mlir", CONTEXT)
    ops = [op for op in module.walk() if isinstance(op, LibraryOp)]
    return module, [op for op in ops if isinstance(op, HasParametersInterface)]


def test_a_default_is_legal():
    with pytest.raises(ValueError, match="expected a default among"):
        Parameter("values", (1, 2), 3)


@pytest.mark.parametrize(
    "name", ["base64_literal", "base64_patterns", "hex_histogram", "xor_literal", "delta_filter"]
)
def test_every_legal_value_can_be_chosen_and_verifies(name: str):
    module, ops = tunable(name)
    assert ops
    for op in ops:
        for parameter in op.get_parameters():
            assert op.chosen(parameter.name) is None
            assert value_of(op, parameter.name) == parameter.default
            for value in parameter.values:
                op.choose(parameter.name, value)
                assert value_of(op, parameter.name) == value
                module.verify()


def test_what_is_not_legal_is_refused():
    _, (delta, wanted) = tunable("delta_filter")
    with pytest.raises(ValueError, match="expected values of 4, 8, 16, 32, 64, got 5"):
        wanted.choose("values", 5)
    with pytest.raises(ValueError, match=r"one of its parameters \(values, lanes\), got 'chunk'"):
        delta.choose("chunk", 64)


def test_the_verifier_refuses_what_was_written():
    module, (delta, _) = tunable("delta_filter")
    delta.choose("values", 8)
    delta.properties["block"] = IntegerAttr(100, i64)
    with pytest.raises(VerifyException, match="expected values of"):
        module.verify()


def test_only_what_is_open_is_chosen():
    _, (delta, wanted) = tunable("delta_filter")
    delta.choose("values", 4)
    for op in (delta, wanted):
        choose_open(op, {"values": "8", "chunk": "64"})
    assert [value_of(delta, "values"), value_of(wanted, "values")] == [4, 8]


def test_a_choice_may_be_of_one_op():
    _, (delta, wanted) = tunable("delta_filter")
    for op in (delta, wanted):
        choose_open(op, {"values": "8", "vyre.scan.filter.values": "4"})
    assert [value_of(delta, "values"), value_of(wanted, "values")] == [8, 4]


def test_a_value_that_an_op_cannot_have_is_left_out():
    _, (delta, _) = tunable("delta_filter")
    choose_open(delta, {"values": "3"})
    assert delta.chosen("values") is None
