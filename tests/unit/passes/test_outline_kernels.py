"""Kernels mean what the arms meant, and nothing that was known about an arm is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, f32, i8, i32
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access, AtomicKind
from vyre_dialect.ops.kernel import KernelOp, LaunchOp
from vyre_dialect.passes.program.outline_kernels import OutlineKernelsPass
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import make_context, parse_module

CONTEXT = make_context()
TEXTS = (Path(__file__).parents[2] / "support" / "kernels.mlir").read_text().split("// -----")
WORDS = np.random.default_rng(0).integers(-(2**31), 2**31, 64).astype(np.int32)


def outlined(module: ModuleOp) -> ModuleOp:
    result = module.clone()
    OutlineKernelsPass().apply(CONTEXT, result)
    result.verify()
    return result


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.split("@", 1)[1].split()[0])
def test_launches_compute_what_the_arms_did(text: str):
    module = parse_module(text, CONTEXT)
    inputs = {"words": WORDS} if "@words" in text else {}
    before = interpret(module, inputs).outputs
    after = interpret(outlined(module), inputs).outputs
    for name, expected in before.items():
        assert expected.tobytes() == after[name].tobytes()


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
def test_the_guard_keeps_the_last_workgroup_inside(count: int):
    with program("count") as p:
        values = p.buffer("values", i8, access=Access.READ_ONLY)
        total = p.buffer("total", i32, 1, live_out=True)
        with p.arm("count", values.length):
            total.atomic(AtomicKind.ADDI, 1)
    module = outlined(p.module)
    result = interpret(module, {"values": np.zeros(count, np.uint8)})
    assert result.outputs["total"].tolist() == [count]


def test_locations_and_names_survive():
    with program("names") as p:
        values = p.buffer("values", f32, 64, live_out=True)
        with p.arm("fill", 64) as i:
            values[i.named("position")] = 1.5
    (arm,) = p.op.arms()
    location = FileLineColLoc(StringAttr("fill.py"), IntAttr(3), IntAttr(1))
    arm.location = location
    module = outlined(p.module)
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    (launch,) = (op for op in module.walk() if isinstance(op, LaunchOp))
    assert kernel.location == launch.location == location
    assert [argument.name_hint for argument in kernel.body.block.args] == ["values"]
    assert "position" in {r.name_hint for op in kernel.body.block.ops for r in op.results}


def test_an_op_that_nobody_describes_is_told_with_its_arm():
    text = """
    vyre.program @foreign {
      vyre.region "use" invocations [1] {
        %buffer = memref.alloc() : memref<4xi8>
      }
    }
    """
    expected = r"^'memref.alloc' in the arm 'use' has no meaning: no package .*; arms compute with"
    with pytest.raises(DiagnosticException, match=expected):
        outlined(parse_module(text, CONTEXT))


def test_what_no_kernel_can_take_is_refused():
    text = """
    vyre.program @vectors {
      %out = vyre.buffer @out : !vyre.buffer<4xi32, read_write>
      %c0 = arith.constant 0 : index
      %v = vyre.load %out[%c0] : !vyre.buffer<4xi32, read_write> -> vector<4xi32>
      vyre.region "use" invocations [1] {
        %i = vyre.invocation_id x
        vyre.store %v, %out[%i] : vector<4xi32>, !vyre.buffer<4xi32, read_write>
      }
    }
    """
    with pytest.raises(DiagnosticException, match="got a value of type 'vector<4xi32>'"):
        outlined(parse_module(text, CONTEXT))
