"""A producer that keeps its workgroups hands tiles on to what reads them."""

import numpy as np
import pytest
from support.fusion import UnmaskedReads, require_equal, run_with_any_garbage
from xdsl.dialects.builtin import ModuleOp, i32, i64

from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.ops.decode import DeltaOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.ops.scan import FilterOp
from vyre_dialect.runtime.interpreter import Interpreter, Observers, RaceChecker, interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
WORKGROUP = 16
COUNTS = (0, 1, 65, 200)


def delta_filter(decoded: int, tested: int, count: int | None = None) -> ModuleOp:
    """Blocks of 32 words, and how many values an invocation decodes and tests."""
    with program("delta_filter", workgroup_size=[WORKGROUP]) as p:
        source = p.buffer("encoded", i32, count, access=Access.READ_ONLY)
        values = p.buffer("decoded", i32, source.length, initial=Initial.UNDEFINED)
        found = p.buffer("count", i32, 1, live_out=True)
        total = p.buffer("sum", i64, 1, live_out=True)
        DeltaOp(source, values, 32, values=decoded)
        FilterOp(values, -(1 << 30), 1 << 29, found, total, values=tested)
    return p.module


def after(module: ModuleOp, pipeline: str) -> ModuleOp:
    result = module.clone()
    apply_pipeline(result, pipeline, CONTEXT)
    return result


def arms_of(module: ModuleOp) -> list[str]:
    return [op.generator.data for op in module.walk() if isinstance(op, RegionOp)]


def check(module: ModuleOp, pipeline: str, count: int) -> None:
    words = np.random.default_rng(count).integers(0, 1 << 32, count, dtype=np.uint32)
    expected = interpret(after(module, "vyre-expand"), {"encoded": words}).outputs
    races, undefined = RaceChecker(), UnmaskedReads()
    observer = Observers(races, undefined)
    fused = Interpreter(after(module, pipeline))
    got = run_with_any_garbage(fused, {"encoded": words}, observer=observer)
    races.verify()
    undefined.verify()
    require_equal(got.outputs, expected)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("more", ["", ",vyre-coarsen{items=3}"])
@pytest.mark.parametrize(
    ("decoded", "tested", "strategy"),
    [
        (4, 4, "auto"),
        (8, 8, "private"),
        (8, 8, "workgroup"),
        (8, 16, "workgroup"),
        (16, 4, "workgroup"),
    ],
)
def test_a_fused_producer_gives_what_two_arms_give(
    decoded: int, tested: int, strategy: str, more: str
):
    module = delta_filter(decoded, tested)
    pipeline = f"vyre-expand,vyre-decode-scan-fuse{{strategy={strategy}}}{more}"
    assert arms_of(after(module, pipeline)) == ["decode.delta+scan.filter"]
    for count in COUNTS:
        check(module, f"{pipeline},vyre-privatize-reductions{{scope=workgroup}}", count)


@pytest.mark.parametrize("count", [1, 65, 128, 500])
def test_sizes_that_are_known(count: int):
    module = delta_filter(8, 8, count)
    check(module, "vyre-expand,vyre-decode-scan-fuse", count)


def test_what_no_invocation_wrote_itself_is_no_private_value():
    module = delta_filter(8, 16)
    fused = after(module, "vyre-expand,vyre-decode-scan-fuse{strategy=private}")
    assert arms_of(fused) == ["decode.delta", "scan.filter"]
