"""What a program claims is dropped before it is compiled, however it is compiled."""

from __future__ import annotations

import numpy as np
import pytest
from support.claims import CLAIMS, DATA
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE
from vyre_dialect.runtime.program.checking import check_module
from vyre_dialect.runtime.program.compilation import (
    compile_module,
    lower_module,
    make_context,
    parse_module,
)
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.program.pipelines import UNFUSED

CONTEXT = make_context()


def module_of(claim: str) -> ModuleOp:
    return parse_module(CLAIMS[claim][0], CONTEXT)


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_interpreter_does_what_the_rules_say(claim: str) -> None:
    run = run_module(module_of(claim), {"a": DATA}, device=REFERENCE_DEVICE)
    assert run.outputs["o"].view(np.uint8).tolist() == CLAIMS[claim][1].tolist()


@pytest.mark.parametrize("pipeline", [None, UNFUSED, "vyre-outline-kernels", ""])
def test_accesses_of_a_kernel_are_guarded(pipeline: str | None) -> None:
    source = compile_module(module_of("a kernel"), pipeline=pipeline, context=CONTEXT).source
    assert "vyre_load_u8(a, 16, " in source


def test_the_module_keeps_its_claims() -> None:
    module = module_of("a load")
    before = str(module)
    lower_module(module, Passes(UNFUSED), CONTEXT)
    assert str(module) == before


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("a load", "read of element 1099511627776 outside of 'a' by invocation 0"),
        ("a store", "write of element 1099511627776 outside of 'o' by invocation 0"),
    ],
)
def test_a_check_tells_of_false_claims(claim: str, message: str) -> None:
    (finding,) = check_module(module_of(claim), {"a": DATA}, CONTEXT)
    assert finding.message == f"{message}, which claims 'in_bounds'; drop the claim"
    assert not finding.is_error


def test_a_check_tells_nothing_of_claims_that_hold() -> None:
    text = CLAIMS["a load"][0].replace(str(1 << 40), "0")
    assert not check_module(parse_module(text, CONTEXT), {"a": DATA}, CONTEXT)
